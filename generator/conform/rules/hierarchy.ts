import { join } from "../../json.js";
import type { Hierarchy } from "../../protocol/stream-rules.js";
import { entriesOf, readEnvelope } from "../comparable.js";
import { remember } from "../remember.js";
import { named, quote } from "../step-text.js";
import { defineStreamRule, type RuleFile, type Step, type Watch } from "../stream-rule.js";

const hierarchyBroken = defineStreamRule({
  id: "hierarchy-broken",
  summary: "an emitter is neither at the top nor directly below it",
  explanation:
    "There are two layers: an emitter without a parent, and those that name it. A parent that has a parent itself, that is its own parent, or that changes, cannot be drawn. A parent that was not seen may be in another part of the input.",
  hint: "Leave the parent empty at the top, and name the emitter at the top everywhere below.",
  severity: { reader: "error", writer: "error" },
  declaredBy: "hierarchy",
});

/** Two layers of emitters. What is known of them is shared by all streams. */
export const hierarchyRules: RuleFile = {
  rules: [hierarchyBroken],
  declares: { hierarchy: () => "" },
  watch: ({ stream }) => (stream?.rules?.hierarchy ? [watch(stream.rules.hierarchy)] : []),
};

/** Who names whom: child → parent, and back. */
interface Family {
  readonly parents: Map<string, string>;
  readonly children: Map<string, string>;
}

function watch({ id: idField, parent: parentField, profile }: Hierarchy): Watch<Family> {
  const wrong = ({ parents, children }: Family, id: string, parent: string): string | undefined => {
    const above = parents.get(parent);
    if (parent === "") return undefined;
    if (parent === id) return `names itself as its ${parentField}`;
    if (above) return `has the ${parentField} ${quote(parent)}, whose own is ${quote(above)}`;
    const below = children.get(id);
    return below === undefined
      ? undefined
      : `has the ${parentField} ${quote(parent)}, but is the one of ${quote(below)} itself`;
  };
  const check = (family: Family, step: Step): void => {
    const { parents, children } = family;
    const [id, parent] = [step.event[idField], step.event[parentField]];
    if (typeof id !== "string" || typeof parent !== "string") return;
    const before = parents.get(id);
    if (before === parent) return;
    const fault =
      before === undefined
        ? wrong(family, id, parent)
        : `has the ${parentField} ${quote(parent)}, after ${quote(before)}`;
    if (fault !== undefined)
      step.report(
        hierarchyBroken,
        join("", parentField),
        `${idField} ${quote(id)} ${fault} (in ${named(step)}).`,
      );
    if (before === undefined) {
      remember(parents, id, parent, step);
      if (parent !== "") remember(children, parent, id, step);
    }
  };
  return {
    rules: [hierarchyBroken],
    profile,
    shared: true,
    start: () => ({ parents: new Map(), children: new Map() }),
    handlers: [{ types: "every", check }],
    comparable: {
      madeOf: ["hierarchy", idField, parentField],
      usesEpochs: false,
      judges: "every",
      remembers: [],
      allows: [],
      reads: [
        ...readEnvelope(idField, { kind: "emitter", empty: false }),
        ...readEnvelope(parentField, { kind: "emitter", empty: true }),
      ],
      snapshot: ({ parents, children }) => [
        entriesOf(parents, (parent) => parent),
        entriesOf(children, (child) => child),
      ],
    },
  };
}
