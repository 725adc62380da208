/** Validates inputs in this process with schemas that are loaded only once. */
import type { Finding } from "../../generator/finding.js";
import { findInputs } from "../../generator/ingest/inputs.js";
import { loadSchemas } from "../../generator/load/load.js";
import { type RunOptions, runSession } from "../../generator/validate/run.js";
import { createValidators } from "../../generator/validators/protocol-validators.js";

const validators = (await loadSchemas("schemas")).protocols.map(createValidators);

/** Validates operands as `accrete validate` does, against all protocols of this repository. */
export async function validateOperands(
  operands: readonly string[],
  stdin: string | Uint8Array | AsyncIterable<Uint8Array>,
  options: Partial<Pick<RunOptions, "profile" | "eventsOnly">> = {},
): Promise<{
  findings: readonly Finding[];
  events: number;
  invalid: number;
  unreadable: readonly string[];
}> {
  const { inputs, unreadable: unreadableOperands } = await findInputs(operands);
  const findings: Finding[] = [];
  const input =
    typeof stdin === "string" || stdin instanceof Uint8Array
      ? (async function* () {
          yield Buffer.from(stdin);
        })()
      : stdin;
  const { tally, unreadable } = await runSession(
    {
      inputs,
      validators,
      profile: "writer",
      eventsOnly: false,
      stats: false,
      thread: 0,
      threads: 1,
      ...options,
    },
    {
      stdin: input,
      hasRoom: () => true,
      reportProgress() {},
      report: ({ finding }) => void findings.push(finding),
    },
  );
  return {
    findings,
    events: tally.events,
    invalid: tally.invalid,
    unreadable: [...unreadableOperands, ...unreadable],
  };
}
