/** Makes events of the earlier version, and carries them over with the emitted modules. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { transformSync } from "esbuild";
import type { Json, JsonObject } from "../../generator/json.js";
import { createEventMaker } from "../../generator/sample/event-maker.js";
import type { UpcastQuestion } from "../../generator/upcast/certify-plan.js";
import { emitUpcast } from "../../generator/upcast/emit-upcast.js";
import { areEventsValid } from "../compat/streams/stream-oracle.js";

/** Makes events of all types that writers of the earlier version may send. */
export function makeEvents(
  { from }: Pick<UpcastQuestion, "from">,
  count: number,
  firstSeed = 0,
): JsonObject[] {
  const isSent = (event: JsonObject): boolean => areEventsValid(from, "writer", [event]);
  const maker = createEventMaker(from, isSent);
  const sequence = from.stream?.sequence;
  return Array.from({ length: count }, (_, index) => {
    const { type } = from.events[index % from.events.length] as { readonly type: string };
    const seed = firstSeed + index;
    return maker.make({
      type,
      envelope: maker.makeEnvelope(seed, sequence === undefined ? {} : { [sequence]: seed }),
      fixedFields: {},
      seed,
      fieldChance: 0.6,
    });
  }).filter((event) => event !== undefined);
}

/** A function of an emitted module. The result has the text of the error where an event cannot be carried over. */
type CarryEvents = (events: readonly JsonObject[]) => readonly Json[];

/** Writes the modules of a plan to a folder, and returns a function for the TypeScript module. */
export async function loadTypescript(question: UpcastQuestion, folder: string): Promise<CarryEvents> {
  const source = emitUpcast(question).find((file) => file.path.endsWith(".ts"));
  const file = path.join(folder, "upcast.mjs");
  writeFileSync(file, transformSync(source?.content ?? "", { loader: "ts" }).code);
  const { upcastEvents } = await import(/* @vite-ignore */ file);
  return (events) => upcastEvents(events);
}

/** Returns a function for the Python module of a plan; undefined if Python is absent. */
export function loadPython(question: UpcastQuestion, folder: string): CarryEvents | undefined {
  if (spawnSync("python3", ["--version"]).status !== 0) return undefined;
  const module = emitUpcast(question).find((file) => file.path.endsWith(".py"));
  writeFileSync(path.join(folder, "upcast.py"), module?.content ?? "");
  writeFileSync(path.join(folder, "run.py"), RUNNER);
  return (events) => {
    const input = JSON.stringify(events);
    const { stdout, stderr } = spawnSync("python3", ["run.py"], { cwd: folder, input, maxBuffer: 2 ** 30 });
    if (stderr.length > 0) throw new Error(String(stderr));
    return JSON.parse(String(stdout));
  };
}

const RUNNER = `import json, sys
from upcast import upcast_events

json.dump(upcast_events(json.load(sys.stdin)), sys.stdout)
`;
