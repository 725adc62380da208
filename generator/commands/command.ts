import type { Option } from "commander";
import type { Io } from "../io.js";
import type { RawOptions } from "./options.js";

/** A command as the program knows it. A new one is a file that exports this, and an entry in the table of program.ts. */
export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  /** The operands as commander writes them: `[protocol...]`. */
  readonly operands?: { readonly syntax: string; readonly description: string };
  readonly options: readonly Option[];
  /** Whether it changes files: a signal then ends it between two steps only, and with a sentence. */
  readonly writes?: boolean;
  /** Command lines without the program's name, each with what it does. */
  readonly examples: readonly (readonly [line: string, meaning: string])[];
  /** What its exit codes mean, where that is not what EXIT says. */
  readonly exits?: string;
  /** Resolves to the exit code: 0, 1 and 2 mean what EXIT says, a command may have more. */
  run(operands: readonly string[], options: RawOptions, io: Io): Promise<number>;
}
