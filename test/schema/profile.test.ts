/** If this fails, readers refuse events that writers may send. */
import { readdirSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createObject, type Json } from "../../generator/json.js";
import type { Schema } from "../../generator/schema/json-schema.js";
import { buildDocument, PROFILES, type Profile, readAs } from "../../generator/schema/readings.js";
import { makeAjv } from "../../generator/validators/ajv.js";
import { readJson } from "../load/case-folder.js";
import { compileIndependently } from "./oracle.js";
import { createDefinition, sample } from "./schema-arbitrary.js";

/** A schema, and values that both profiles, only readers, or neither profile accepts. Writers alone never accept a value. */
interface ProfileCase {
  readonly about: string;
  readonly schema: Schema;
  readonly definitions?: { readonly [name: string]: Schema };
  readonly both: readonly Json[];
  readonly reader: readonly Json[];
  readonly neither: readonly Json[];
}

const folder = path.join(import.meta.dirname, "../cases/profile");
const caseFiles = readdirSync(folder).map(
  (file) => [file, readJson(path.join(folder, file)) as unknown as ProfileCase[]] as const,
);

function buildReading(profile: Profile, { schema, definitions = {} }: ProfileCase): Schema {
  const named = Object.entries(definitions).map(
    ([name, schema]) => [name, createDefinition(schema)] as const,
  );
  return buildDocument(readAs(profile, schema, createObject(named)));
}

describe.each(caseFiles)("the readings: %s", (_file, cases) => {
  it.each(cases)("$about", async (example) => {
    const { both, reader, neither } = example;
    for (const profile of PROFILES) {
      const reading = buildReading(profile, example);
      const wanted = profile === "writer" ? both : [...both, ...reader];
      const values = [...both, ...reader, ...neither];
      const ajv = makeAjv({ ownProperties: true }).compile(reading);
      const independent = await compileIndependently(reading);
      expect({ profile, accepted: values.filter((value) => ajv(value)) }).toEqual({
        profile,
        accepted: wanted,
      });
      expect({ profile, accepted: values.filter(independent) }).toEqual({ profile, accepted: wanted });
    }
  });
});

describe("the readings of random schemas", () => {
  it("accept for readers every value that writers may send", async () => {
    await fc.assert(
      fc.asyncProperty(sample, async ({ schema, definitions, values }) => {
        const [reader, writer] = await Promise.all(
          PROFILES.map((profile) =>
            compileIndependently(buildDocument(readAs(profile, schema, definitions))),
          ),
        );
        expect(values.filter((value) => writer?.(value) && !reader?.(value))).toEqual([]);
      }),
      { numRuns: 250 },
    );
  });

  it("are the same each time, and for definitions in another order", () => {
    fc.assert(
      fc.property(sample, fc.constantFrom(...PROFILES), ({ schema, definitions }, profile) => {
        const text = JSON.stringify(readAs(profile, schema, definitions));
        expect(JSON.stringify(readAs(profile, schema, structuredClone(definitions)))).toBe(text);
        const reordered = createObject(Object.entries(definitions).reverse());
        expect(JSON.stringify(readAs(profile, schema, reordered))).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  it("contain the definitions that they refer to, and no keyword of accrete", () => {
    fc.assert(
      fc.property(sample, fc.constantFrom(...PROFILES), ({ schema, definitions }, profile) => {
        const reading = readAs(profile, schema, definitions);
        const text = JSON.stringify(reading);
        expect(text).not.toMatch(/"(x-writer|x-extensible-enum|deprecated)":/);
        const names = [...text.matchAll(/"\$ref":"#\/\$defs\/([^"]*)"/g)].map(([, name]) => name as string);
        expect(names.filter((name) => !Object.hasOwn(reading.$defs, name))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});
