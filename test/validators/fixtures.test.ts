/** If this fails, the generated validators accept other events than an independent implementation of JSON Schema. */
import { readdirSync } from "node:fs";
import path from "node:path";
import "@hyperjump/json-schema/formats";
import { setShouldValidateFormat } from "@hyperjump/json-schema";
import { describe, expect, it } from "vitest";
import type { Json } from "../../generator/json.js";
import { loadSchemas } from "../../generator/load/load.js";
import { createBodyReading, createEnvelopeReading } from "../../generator/protocol/message-readings.js";
import type { EventType, Protocol } from "../../generator/protocol/protocol.js";
import { buildDocument, PROFILES, type Profile } from "../../generator/schema/readings.js";
import { makeAjv } from "../../generator/validators/ajv.js";
import { readJson } from "../load/case-folder.js";
import { compileIndependently } from "../schema/oracle.js";

setShouldValidateFormat(true);

const root = path.join(import.meta.dirname, "../..");
const { protocols } = await loadSchemas(path.join(root, "schemas"));

type Accepts = (value: Json) => boolean;

function readFixtures({ id }: Protocol, kind: string, { type }: EventType): Json[] {
  const folder = path.join(root, "fixtures", id, kind, type);
  return readdirSync(folder).map((file) => readJson(path.join(folder, file)));
}

/** Compiles two functions that tell whether Ajv and an independent implementation accept a whole message of an event type. */
async function compileBoth(
  profile: Profile,
  protocol: Protocol,
  event: EventType,
): Promise<[Accepts, Accepts]> {
  const readings = [
    createEnvelopeReading(profile, protocol),
    createBodyReading(profile, protocol, event),
  ].map(buildDocument);
  const ajv = readings.map((reading) => makeAjv().compile(reading));
  const independent = await Promise.all(readings.map(compileIndependently));
  return [
    (value) => ajv.every((accepts) => accepts(value)),
    (value) => independent.every((accepts) => accepts(value)),
  ];
}

describe.each(protocols.map((protocol) => [protocol.id, protocol] as const))(
  "fixtures of %s",
  (_id, protocol) => {
    it("get the same results from Ajv and an independent implementation, and readers accept what writers may send", async () => {
      for (const event of protocol.events) {
        const valid = readFixtures(protocol, "valid", event);
        const invalid = readFixtures(protocol, "invalid", event).map(
          (fixture) => (fixture as { event: Json }).event,
        );
        expect(valid.length).toBeGreaterThan(0);
        const accepted: { [profile: string]: Json[] } = {};
        for (const profile of PROFILES) {
          const [ajv, independent] = await compileBoth(profile, protocol, event);
          const both = [...valid, ...invalid];
          accepted[profile] = both.filter(ajv);
          expect(both.filter(independent)).toEqual(accepted[profile]);
          expect(valid.filter((value) => !ajv(value))).toEqual([]);
        }
        expect(accepted.writer?.filter((value) => !accepted.reader?.includes(value))).toEqual([]);
        expect(accepted.writer).toEqual(valid);
      }
    });
  },
);

it("the bundled protocols have at least 135 event types", () => {
  expect(protocols.flatMap(({ events }) => events).length).toBeGreaterThanOrEqual(135);
});
