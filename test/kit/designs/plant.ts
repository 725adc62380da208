/** Plants bugs in the partial consumers: creates their adapters from edited source text. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { protocol as evva } from "../../../generated/evva/v0/index.js";
import { protocol as frames } from "../../../generated/frames/v2/index.js";
import { protocol as hecate } from "../../../generated/hecate/v1/index.js";
import type { Adapter, KitProtocol } from "../../../generator/kit/index.js";
import type { DesignBug } from "./bugs.js";
import { adaptDesign, type DesignSet } from "./design.js";
import { evvaDesigns } from "./evva.js";
import { framesDesigns } from "./frames.js";
import { furtherEvvaDesigns } from "./further-evva.js";
import { furtherFramesDesigns } from "./further-frames.js";
import { furtherHecateDesigns } from "./further-hecate.js";
import { hecateDesigns } from "./hecate.js";

/** The partial consumers of a protocol, and the file that holds them. */
export interface ProtocolDesigns {
  readonly protocol: KitProtocol;
  readonly set: DesignSet;
  readonly file: string;
  /** Designs by an author who had not seen the laws. No bugs are planted in them. */
  readonly further: DesignSet;
}

export const DESIGNS: readonly ProtocolDesigns[] = [
  { protocol: hecate, set: hecateDesigns, file: "hecate.ts", further: furtherHecateDesigns },
  { protocol: frames, set: framesDesigns, file: "frames.ts", further: furtherFramesDesigns },
  { protocol: evva, set: evvaDesigns, file: "evva.ts", further: furtherEvvaDesigns },
];

/** Returns the correct adapters of a protocol by their names: each design without unknown types and with them. */
export function listCorrectAdapters({
  protocol,
  set,
  further,
}: ProtocolDesigns): readonly (readonly [string, Adapter])[] {
  const known = new Set(Object.keys(protocol.schemas.events));
  return [set, further].flatMap((each) =>
    Object.entries(each.designs).flatMap(([name, create]) => [
      [name, adaptDesign(each, create)] as const,
      [`${name}, with unknown types`, adaptDesign(each, create, known)] as const,
    ]),
  );
}

/** Creates the adapter of a design with a bug. */
export async function createBuggyAdapter({ file }: ProtocolDesigns, bug: DesignBug): Promise<Adapter> {
  const folder = import.meta.dirname;
  const source = readFileSync(path.join(folder, file), "utf8");
  const start = source.indexOf(`\nfunction ${bug.design}()`);
  const end = source.indexOf("\n}\n", start);
  const parts = source.slice(start, end).split(bug.find);
  if (start < 0 || parts.length !== 2)
    throw new Error(`"${bug.find}" occurs ${parts.length - 1} times in ${bug.design} of ${file}`);
  const edited = source.slice(0, start) + parts.join(bug.replacement) + source.slice(end);
  const { outputFiles } = await build({
    stdin: { contents: edited, resolveDir: folder, loader: "ts" },
    ...{ bundle: true, format: "esm", write: false, target: "es2022", logLevel: "silent" },
  });
  const url = `data:text/javascript;base64,${Buffer.from(outputFiles[0]?.contents ?? []).toString("base64")}`;
  const [set] = Object.values((await import(/* @vite-ignore */ url)) as { [name: string]: DesignSet });
  const create = set?.designs[bug.design];
  if (set === undefined || create === undefined) throw new Error(`${file} has no design ${bug.design}.`);
  return adaptDesign(set, create);
}
