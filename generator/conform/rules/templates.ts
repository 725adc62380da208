import { collectEventFields } from "../../protocol/event-fields.js";
import { label } from "../declaration.js";
import * as m from "../machine/build.js";
import { defineFinding, defineStreamRule } from "../stream-rule.js";

const templateMismatch = defineFinding({
  id: "template-mismatch",
  summary: "a field does not have the text that its template makes of other fields",
  explanation:
    "Readers split the text into its parts, or read the fields that hold the parts. Both must give the same values. Events without one of the fields are not checked.",
  hint: "Build the field from the other fields when you create the event.",
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
  createMachines({ field, template }, protocol) {
    const parts = listParts(template);
    const types = protocol.events
      .filter((event) => [field, ...parts].every((name) => collectEventFields(protocol, event).has(name)))
      .map(({ type }) => type);
    // The odd pieces are the names of fields.
    const pieces = template.split(/\{([^{}]+)\}/);
    const expected: m.Value = {
      op: "join",
      of: pieces.map((piece, index) => (index % 2 === 0 ? m.literal(piece) : m.payload(piece))),
    };
    const text = m.payload(field);
    return m.createEventMachine(
      types,
      m.reportIf(
        m.all(m.is("text", text), m.different(text, expected)),
        templateMismatch,
        m.message`${m.NAME} has ${field} ${m.quote(text)}, but ${parts.join(" and ")} make ${m.quote(expected)}.`,
        field,
      ),
    );
  },
});

/** Returns the names in braces. */
function listParts(template: string): string[] {
  return [...template.matchAll(/\{([^{}]+)\}/g)].map(([, name = ""]) => name);
}
