import { readFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { protocol as evva } from "../../generated/evva/v0/index.js";
import { protocol as frames1 } from "../../generated/frames/v1/index.js";
import { protocol as frames2 } from "../../generated/frames/v2/index.js";
import { protocol as hecate } from "../../generated/hecate/v1/index.js";
import type { Adapter, KitProtocol } from "../../generator/kit/index.js";
import type { Bug } from "./bugs.js";

const FOLDER = path.join(import.meta.dirname, "consumers");

/** Event types of the release before hecate 1.0 that the tests make up. */
const OLDER =
  /^(run\.(created|started|finished)|assistant\.(text_delta|text_complete)|tool\.(invoked|completed))$/;

/** The field of tool.completed that the older release did not have. */
const LATER = "summary";

/** The protocols of consumers with bugs; hecate has an older release. */
const PROTOCOLS: { readonly [id in NonNullable<Bug["protocol"]>]: KitProtocol } = {
  "hecate/v1": addOlderRelease(),
  "frames/v1": frames1,
  "frames/v2": frames2,
  "evva/v0": evva,
};

/** Returns the protocol of the consumer that gets a bug. */
export function getProtocol({ protocol = "hecate/v1" }: Bug): KitProtocol {
  return PROTOCOLS[protocol];
}

/** The consumer of a file of test/kit/consumers with a bug in it. */
export async function createPlantedAdapter(bug: Bug, protocol = getProtocol(bug)): Promise<Adapter> {
  const source = readFileSync(path.join(FOLDER, `${bug.in}.ts`), "utf8");
  const parts = source.split(bug.find);
  if (parts.length !== 2) throw new Error(`"${bug.find}" occurs ${parts.length - 1} times in ${bug.in}.ts`);
  const { outputFiles } = await build({
    stdin: { contents: parts.join(bug.replacement), resolveDir: FOLDER, loader: "ts" },
    ...{ bundle: true, format: "esm", write: false, target: "es2022", logLevel: "silent" },
  });
  const [file] = outputFiles;
  const url = `data:text/javascript;base64,${Buffer.from(file?.contents ?? []).toString("base64")}`;
  const module = (await import(/* @vite-ignore */ url)) as {
    [name: string]: (protocol: KitProtocol) => Adapter;
  };
  return (module[`${bug.in}Adapter`] as (protocol: KitProtocol) => Adapter)(protocol);
}

interface Payload {
  readonly properties: { readonly [name: string]: unknown };
}

/** Hecate's protocol, as if there had been a smaller release before. */
export function addOlderRelease(protocol: KitProtocol = hecate): KitProtocol {
  const { schemas } = protocol;
  const events = Object.entries(schemas.events).flatMap(([type, event]) => {
    const payload = event.payload as Payload;
    const fields = Object.entries(payload.properties).filter(([name]) => name !== LATER);
    const older = { ...payload, properties: Object.fromEntries(fields) };
    return OLDER.test(type) ? [[type, { ...event, payload: older }] as const] : [];
  });
  return {
    ...protocol,
    releases: [{ version: "0.9", schemas: { ...schemas, events: Object.fromEntries(events) } }],
  };
}
