import { eventType, payloadField } from "../declaration.js";
import * as m from "../machine/build.js";
import { defineFinding, defineStreamRule } from "../stream-rule.js";

const pathAbsolute = defineFinding({
  id: "path-absolute",
  summary: "a path is absolute, and the contract requires a relative one",
  explanation:
    "Absolute paths reveal the machine of the writer and are useless on another machine. Readers may receive such paths and cannot resolve them, so the reader profile gives a warning.",
  hint: "Make the path relative to the root of the workspace before you send the event.",
  severity: { reader: "warning", writer: "error" },
});

/** Paths that are relative. */
export const relativePaths = defineStreamRule({
  member: "relativePaths",
  declaration: {
    description: "Fields with relative paths.",
    required: ["type", "field"],
    properties: {
      type: eventType("The event type."),
      field: payloadField("The field with a path or a list of paths.", "type"),
    },
  },
  example: [{ type: "checkpoint_created", field: "files" }],
  findings: [pathAbsolute],
  describe: ({ type, field }, { event, code }) =>
    `${code(field)} of ${event(type)} never contains an absolute path.`,
  comparison: { identify: ({ type, field }) => [type, field] },
  createMachines({ type, field }) {
    const path = m.item("path");
    const check = m.reportIf(
      { op: "matches", of: path, pattern: ABSOLUTE },
      pathAbsolute,
      m.message`${m.NAME} names the absolute path ${m.quote(path)} in ${field}.`,
      m.inPayload(field, "path"),
    );
    return m.createEventMachine([type], m.each("path", "items", m.payload(field), check));
  },
});

/** The beginning of an absolute path, in Unix or in Windows. */
const ABSOLUTE = "^(?:[/\\\\]|[A-Za-z]:[/\\\\])";
