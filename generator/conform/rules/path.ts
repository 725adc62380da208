import { join } from "../../json.js";
import type { RelativePath } from "../../protocol/stream-rules.js";
import { readField } from "../comparable.js";
import { named, quote } from "../step-text.js";
import { defineStreamRule, type RuleFile, type Step, type Watch } from "../stream-rule.js";

const pathAbsolute = defineStreamRule({
  id: "path-absolute",
  summary: "a path that is relative by contract is absolute",
  explanation:
    "Absolute paths tell about the machine of the emitter and are of no use on another. Readers may meet some and cannot resolve them, so it is a warning for them.",
  hint: "Make the path relative to the root of the workspace before the event is sent.",
  severity: { reader: "warning", writer: "error" },
  declaredBy: "relativePaths",
});

const ABSOLUTE = /^(?:[/\\]|[A-Za-z]:[/\\])/;

/** Paths that are relative. */
export const pathRules: RuleFile = {
  rules: [pathAbsolute],
  declares: { relativePaths: ({ type = "", field = "" }) => [type, field] },
  watch: ({ stream }) => (stream?.rules?.relativePaths ?? []).map(watch),
};

function watch({ type, field, profile }: RelativePath): Watch<null> {
  const tell = (step: Step, path: string, pointer: string): void =>
    step.report(pathAbsolute, pointer, `${named(step)} names the absolute path ${quote(path)} in ${field}.`);
  const check = (_state: null, step: Step): void => {
    const value = step.payload[field];
    if (typeof value === "string" && ABSOLUTE.test(value)) tell(step, value, step.at(field));
    if (!Array.isArray(value)) return;
    for (const [index, path] of value.entries())
      if (typeof path === "string" && ABSOLUTE.test(path)) tell(step, path, join(step.at(field), index));
  };
  const comparable = {
    madeOf: ["relativePaths", type, field],
    usesEpochs: false,
    judges: [type],
    remembers: [],
    allows: [],
    reads: readField([type], field, { kind: "listed", listed: ["a", "C:/a"] }),
    snapshot: () => null,
  };
  return {
    rules: [pathAbsolute],
    profile,
    start: () => null,
    handlers: [{ types: [type], check }],
    comparable,
  };
}
