/** A break that no change explains is found beside one that only says something: of an experimental field, or of a less stable envelope. */
import { describe, expect, it } from "vitest";
import type { ExampleFiles } from "../../generator/compat/rule.js";
import { at, compat, history, SERVED, text } from "./tea-history.js";

const number = { type: "integer", description: "Which." };
const wild = { "x-stability": "experimental" };
/** Steps that stand in a second place, where the comparison of the first does not look. */
const steps = (second: number) => ({ allOf: [{ multipleOf: 2 }, { multipleOf: second }] });

/** A version of a stable event with a field `trace` in the payload or in the envelope, and with a hidden rule. */
function version(version: string, trace: object, inside: boolean, second: number): ExampleFiles {
  const files = at(version, {
    cups: { ...number, ...steps(second) },
    ...(inside && { trace: { ...trace, ...wild } }),
  });
  const data = { type: "object", description: "The payload." };
  const envelope = { type: text, id: text, data, ...(!inside && { trace }) };
  return JSON.parse(
    JSON.stringify({
      ...files,
      [SERVED]: { ...files[SERVED], "x-stability": "stable" },
      "envelope.schema.json": { properties: envelope },
    }),
  );
}

const PLACES = [
  { name: "an experimental field", inside: true },
  { name: "a candidate envelope", inside: false },
];

describe.each(PLACES)("beside a break of $name", ({ inside }) => {
  const rules = async (second: number) => {
    const schemas = history([version("1.0", text, inside, 3), version("1.1", number, inside, second)]);
    return (await compat(schemas)).rules;
  };

  it("a break of a stable event is found", async () =>
    expect(await rules(5)).toEqual(expect.arrayContaining(["contract-narrowed", "type-changed"])));

  it("nothing is found where there is none", async () => expect(await rules(3)).toEqual(["type-changed"]));
});

it("what an experimental field loses in other ways, too, is said of that field alone", async () => {
  const whole = (schema: object) => ({
    ...{ type: "object", description: "Which." },
    properties: { where: { description: "Where.", ...wild, ...schema } },
  });
  // Objects had any field; now they have one, which is required.
  const [before, after] = [{}, { properties: { room: text }, required: ["room"] }].map(whole);
  const stable = (files: ExampleFiles) => ({
    ...files,
    [SERVED]: { ...files[SERVED], "x-stability": "stable" },
  });
  const schemas = history([stable(at("1.0", { place: before })), stable(at("1.1", { place: after }))]);
  const { findings } = await compat(schemas);
  expect(findings.map(({ rule, severity }) => [rule, severity])).toEqual([["field-added-required", "note"]]);
});
