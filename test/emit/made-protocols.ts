import fc from "fast-check";
import { ImportError } from "../../generator/import/import-error.js";
import { importSamples } from "../../generator/import/import-samples.js";
import { importUnion } from "../../generator/import/import-union.js";
import { createProtocolFiles } from "../../generator/import/protocol-files.js";
import { isObject, type JsonObject } from "../../generator/json.js";
import { loadSchemas } from "../../generator/load/load.js";
import type { OutputFile, Protocol } from "../../generator/protocol/protocol.js";
import { HOSTILE_TYPES } from "../cases/emit/hostile.js";
import { withTemporaryFolder } from "../folders.js";
import { writeOutputs } from "./emit-all.js";
import { PLACEMENTS, writeFolder } from "./hostile-folder.js";
import { NASTY_STRINGS } from "./nasty.js";
import { anyReading, anyValue } from "./schemas.js";

const name = fc.constantFrom(...NASTY_STRINGS.filter((text) => text.isWellFormed()));
const type = fc.constantFrom(...HOSTILE_TYPES);
const fields = fc.dictionary(
  name,
  anyReading.map(({ schema }) => schema),
  { maxKeys: 4, noNullPrototype: true },
);
const payload = fields.map((properties): JsonObject => ({ type: "object", properties }));
const $defs = anyReading.map(({ $defs }) => $defs as JsonObject);

/** Writes the protocol `name` below a folder of schemas. */
type Make = (schemas: string, name: string) => void;

const authored: fc.Arbitrary<Make> = fc
  .tuple(
    fc.constantFrom(...PLACEMENTS),
    fc.dictionary(type, payload, { minKeys: 1, maxKeys: 4, noNullPrototype: true }),
    $defs,
  )
  .map(
    ([placement, events, $defs]) =>
      (schemas, name) =>
        writeFolder(schemas, { name, placement, events, $defs }),
  );

const union: fc.Arbitrary<Make> = fc
  .tuple(fc.array(payload, { minLength: 2, maxLength: 4 }), $defs)
  .map(([payloads, $defs]) => (schemas, name) => {
    const oneOf = payloads.map(({ properties }, i) => ({
      type: "object",
      properties: { ...(properties as JsonObject), kind: { const: `${NASTY_STRINGS[i]}${i}` } },
      required: ["kind"],
    }));
    const $schema = "https://json-schema.org/draft/2020-12/schema";
    const read = () => ({ $schema, oneOf, $defs });
    writeImported(schemas, () => importUnion("union.json", { read }, { name, version: "1.0" }).parts);
  });

const samples: fc.Arbitrary<Make> = fc
  .array(fc.tuple(type, anyValue), { minLength: 4, maxLength: 12 })
  .map((values) => (schemas, name) => {
    const events = values.map(([type, value]) => {
      const event = { ...(isObject(value) ? value : { value }), type };
      return { value: event, text: JSON.stringify(event) };
    });
    writeImported(schemas, () => importSamples("x.jsonl", events, { name, version: "1.0" }).parts);
  });

function writeImported(schemas: string, parts: () => Parameters<typeof createProtocolFiles>[0]): void {
  let files: readonly OutputFile[] = [];
  try {
    files = createProtocolFiles(parts());
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
  }
  writeOutputs(schemas, files);
}

/** The number of random protocols that each output is checked with, and their seed. */
export const PROTOCOL_COUNT = 10;
export const SEED = 3;

/** Creates protocols of random schemas and names: written as folders, imported from a union, and imported from samples. */
export async function createRandomProtocols(count: number, seed: number): Promise<readonly Protocol[]> {
  // Lint refuses some of the random schemas, so more protocols are created than needed.
  const tries = 4 * count;
  const makes = [authored, union, samples].map((one) => fc.sample(one, { seed, numRuns: tries }));
  const names = Array.from({ length: tries }, (_, i) => `made-${String(i).padStart(4, "0")}`);
  return withTemporaryFolder(async (root) => {
    for (const [i, name] of names.entries()) makes[i % makes.length]?.[i]?.(root, name);
    return (await loadSchemas(root)).protocols.slice(0, count);
  });
}
