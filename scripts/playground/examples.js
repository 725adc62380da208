/** The examples of the playground: changes that broke published contracts, and some that only look dangerous. */
const delta = (name, more = {}) => ({
  type: "object",
  properties: { type: { const: "message.delta" }, [name]: { type: "string" }, ...more },
  required: ["type", name],
});
const done = (reasons, more = {}) => ({
  type: "object",
  properties: { type: { const: "message.done" }, reason: { enum: reasons }, ...more },
  required: ["type", "reason"],
});
const union = (...events) => ({ anyOf: events });
const usage = (schema) => ({
  type: "object",
  properties: { type: { const: "usage" }, tokens: schema },
  required: ["type", "tokens"],
});

/** Each example with its title and both schemas. */
export const EXAMPLES = [
  [
    "A field of a model's stream is renamed",
    union(delta("text"), done(["stop"])),
    union(delta("delta"), done(["stop"])),
  ],
  [
    "A list of known values grows: a new stop reason",
    union(delta("text"), done(["stop", "length"])),
    union(delta("text"), done(["stop", "length", "refusal"])),
  ],
  [
    "A field becomes null while the tool still runs",
    {
      type: "object",
      properties: { type: { const: "tool.result" }, output: { type: "string" } },
      required: ["type", "output"],
    },
    {
      type: "object",
      properties: { type: { const: "tool.result" }, output: { type: ["string", "null"] } },
      required: ["type", "output"],
    },
  ],
  [
    "An optional field is added, which breaks nobody",
    union(delta("text"), done(["stop"])),
    union(delta("text", { index: { type: "integer" } }), done(["stop"])),
  ],
  [
    "The same contract in other words",
    usage({ type: "integer", minimum: 0, maximum: 9 }),
    {
      $defs: { Count: { type: "number", multipleOf: 1, allOf: [{ minimum: 0 }, { exclusiveMaximum: 10 }] } },
      ...usage({ $ref: "#/$defs/Count" }),
    },
  ],
  [
    "A pattern of ids is tightened",
    usage({ type: "string", pattern: "^tok_[a-z0-9]+$" }),
    usage({ type: "string", pattern: "^tok_[a-z0-9]{4,32}$" }),
  ],
].map(([title, before, after]) => ({
  title,
  before: JSON.stringify(before, null, 2),
  after: JSON.stringify(after, null, 2),
}));
