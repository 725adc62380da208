import { collectEventFields } from "../../protocol/event-fields.js";
import { label } from "../declaration.js";
import * as m from "../machine/build.js";
import { defineFinding, defineStreamRule } from "../stream-rule.js";

const redactionUnknown = defineFinding({
  id: "redaction-unknown",
  summary: "a list of redacted places names something that the payload does not have",
  explanation:
    "Readers mark the listed places as hidden. A place that is not there misleads a person who looks for what was hidden. Paths are JSON pointers or names joined by dots.",
  hint: "List the fields whose values were masked, and do not list fields that were left out.",
  severity: { reader: "off", writer: "error" },
});

/** Lists of redacted places, in which every place exists. */
export const redactions = defineStreamRule({
  member: "redactions",
  declaration: {
    description: "The payload fields that list what was removed or masked before the event was written.",
    required: ["keys", "paths"],
    properties: {
      keys: label("The field with a list of names of payload fields, or of members deeper in the payload."),
      paths: label("The field with a list of paths of deeper places."),
    },
  },
  single: true,
  example: { keys: "redacted_keys", paths: "redacted_paths" },
  findings: [redactionUnknown],
  describe: ({ keys, paths }, { code }) =>
    `${code(keys)} and ${code(paths)} name places that the payload has.`,
  comparison: { identify: () => "redactions" },
  createMachines({ keys, paths }, protocol) {
    const fields = new Set(protocol.events.flatMap((event) => [...collectEventFields(protocol, event)]));
    const of = m.item("name");
    const check = (field: string, exists: m.Condition): m.Statement =>
      m.when(
        m.is("list", m.payload(field)),
        m.each(
          "name",
          "items",
          m.payload(field),
          m.reportIf(
            m.all(m.is("text", of), m.not(exists)),
            redactionUnknown,
            m.message`${m.NAME} lists ${m.quote(of)} in ${field}, but its payload has no such place.`,
            m.inPayload(field, "name"),
          ),
        ),
      );
    return m.createEventMachine(
      protocol.events.map(({ type }) => type),
      check(keys, { op: "hasMember", of, except: [keys, paths], fields: [...fields].sort() }),
      check(paths, { op: "hasPath", of }),
    );
  },
});
