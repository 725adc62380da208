import type { Json, JsonObject } from "../../json.js";
import { collectEventFields } from "../../protocol/event-fields.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { Template } from "../../protocol/stream-rules.js";
import { createFieldUses, type FieldUse } from "../comparable.js";
import { label } from "../declaration.js";
import { nameEvent, quoteValue } from "../step.js";
import {
  createEventChecker,
  defineFinding,
  defineStreamRule,
  type RuleChecker,
  type Step,
} from "../stream-rule.js";

const templateMismatch = defineFinding({
  id: "template-mismatch",
  summary: "a field does not have the text that its template makes of other fields",
  explanation:
    "Readers split the text into its parts, or read the fields that hold the parts. Both must give the same values. Events without one of the fields are not checked.",
  hint: "Build the field from the other fields when you create the event.",
  severity: { reader: "error", writer: "error" },
});

/** A field that is made of other fields of its event. */
export const templates = defineStreamRule({
  member: "templates",
  declaration: {
    description: "Fields that are made of other fields of the same payload.",
    required: ["field", "template"],
    properties: {
      field: label("The field; every event type that has it and all fields of the template is checked."),
      template: label("Its text, with the names of fields in braces."),
    },
  },
  example: [{ field: "tool_name", template: "mcp__{mcp_server}__{mcp_tool}" }],
  findings: [templateMismatch],
  describe: ({ field, template }, { code, fields }) =>
    `If ${fields(listParts(template))} are present, ${code(field)} is ${code(template)}.`,
  comparison: { identify: ({ field }) => field },
  createCheckers: createTemplateChecker,
  generation: {
    createAdjuster: ({ field, template }) => {
      const parts = listParts(template);
      return { adjust: (_type, payload) => fillParts(payload, field, template, parts) };
    },
  },
});

/** Returns the names in braces. */
function listParts(template: string): string[] {
  return [...template.matchAll(/\{([^{}]+)\}/g)].map(([, name = ""]) => name);
}

/** Returns the text of a template with these parts; undefined if a field is not there or is not a text. */
function fillTemplate(template: string, parts: readonly string[], payload: JsonObject): string | undefined {
  if (!parts.every((name) => typeof payload[name] === "string")) return undefined;
  return template.replace(/\{([^{}]+)\}/g, (_, name: string) => payload[name] as string);
}

/** Takes the parts from the field if it has the form of the template. Otherwise makes the field from the parts. */
function fillParts(
  payload: { [name: string]: Json },
  field: string,
  template: string,
  parts: readonly string[],
): void {
  const filled = fillTemplate(template, parts, payload);
  const value = payload[field];
  if (filled === undefined || typeof value !== "string" || value === filled) return;
  const escapeForRegex = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  const form = template
    .split(/\{[^{}]+\}/)
    .map(escapeForRegex)
    .join("(.+?)");
  const match = new RegExp(`^${form}$`, "s").exec(value);
  if (match) for (const [index, name] of parts.entries()) payload[name] = match[index + 1] as string;
  else payload[field] = filled;
}

function createTemplateChecker({ field, template }: Template, protocol: Protocol): RuleChecker {
  const parts = listParts(template);
  const types = protocol.events
    .filter((event) => [field, ...parts].every((name) => collectEventFields(protocol, event).has(name)))
    .map(({ type }) => type);
  const check = (step: Step): void => {
    const value = step.payload[field];
    const expected = fillTemplate(template, parts, step.payload);
    if (expected === undefined || typeof value !== "string" || value === expected) return;
    step.report(
      templateMismatch,
      `${nameEvent(step)} has ${field} ${quoteValue(value)}, but ${parts.join(" and ")} make ${quoteValue(expected)}.`,
      step.locate(field),
    );
  };
  return createEventChecker(types, check, listTemplateUses(types, field, template));
}

/** Returns the uses of the fields: two values of each part, and the texts that they make. */
function listTemplateUses(types: readonly string[], field: string, template: string): FieldUse[] {
  const values = ["a", "b"];
  const parts = listParts(template);
  let texts = [template];
  for (const name of parts)
    texts = texts.flatMap((text) => values.map((value) => text.replaceAll(`{${name}}`, value)));
  return [
    ...parts.flatMap((name) => createFieldUses(types, name, { kind: "listed", listed: values })),
    ...createFieldUses(types, field, { kind: "listed", listed: texts, others: true }),
  ];
}
