import { joinPointer } from "../../json.js";
import type { RelativePath } from "../../protocol/stream-rules.js";
import { createFieldUses } from "../comparable.js";
import { eventType, payloadField } from "../declaration.js";
import { nameEvent, quoteValue } from "../step.js";
import {
  createEventChecker,
  defineFinding,
  defineStreamRule,
  type RuleChecker,
  type Step,
} from "../stream-rule.js";

const pathAbsolute = defineFinding({
  id: "path-absolute",
  summary: "a path is absolute, and the contract requires a relative one",
  explanation:
    "Absolute paths reveal the machine of the writer and are useless on another machine. Readers may receive such paths and cannot resolve them, so the reader profile gives a warning.",
  hint: "Make the path relative to the root of the workspace before you send the event.",
  severity: { reader: "warning", writer: "error" },
});

/** The beginning of an absolute path, in Unix or in Windows. */
const ABSOLUTE = /^(?:[/\\]|[A-Za-z]:[/\\])/;

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
  createCheckers: createPathChecker,
  generation: {
    createAdjuster: ({ type, field }) => ({
      adjust(sentType, payload) {
        const value = sentType === type ? payload[field] : undefined;
        if (typeof value === "string") payload[field] = "src/main.ts";
        else if (Array.isArray(value)) payload[field] = value.map((_, index) => `src/file-${index}.ts`);
      },
    }),
  },
});

function createPathChecker({ type, field }: RelativePath): RuleChecker {
  const reportPath = (step: Step, path: string, pointer: string): void =>
    step.report(
      pathAbsolute,
      `${nameEvent(step)} names the absolute path ${quoteValue(path)} in ${field}.`,
      pointer,
    );
  const check = (step: Step): void => {
    const value = step.payload[field];
    if (typeof value === "string" && ABSOLUTE.test(value)) reportPath(step, value, step.locate(field));
    if (!Array.isArray(value)) return;
    for (const [index, path] of value.entries())
      if (typeof path === "string" && ABSOLUTE.test(path))
        reportPath(step, path, joinPointer(step.locate(field), index));
  };
  return createEventChecker(
    [type],
    check,
    createFieldUses([type], field, { kind: "listed", listed: ["a", "C:/a"] }),
  );
}
