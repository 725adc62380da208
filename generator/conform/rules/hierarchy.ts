import { join } from "../../json.js";
import type { Hierarchy } from "../../protocol/stream-rules.js";
import { entriesOf, readEnvelope } from "../comparable.js";
import { envelopeField } from "../declaration.js";
import { named, quote, remember } from "../step.js";
import { defineFinding, defineStreamRule, type RuleChecker, type Step } from "../stream-rule.js";

const hierarchyBroken = defineFinding({
  id: "hierarchy-broken",
  summary: "an emitter is neither at the top level nor directly below it",
  explanation:
    "There are two levels: emitters without a parent, and emitters that name one of these. Readers cannot draw a parent that has a parent itself, that is its own parent, or that changes. A parent that was not seen may be in another part of the input.",
  hint: "Leave the parent empty at the top level, and name the top-level emitter everywhere below.",
  severity: { reader: "error", writer: "error" },
});

/** Two levels of emitters, remembered for all streams together. */
export const hierarchy = defineStreamRule({
  member: "hierarchy",
  single: true,
  declaration: {
    description:
      "Two levels of emitters: the parent is empty at the top level, and names a top-level emitter below it.",
    required: ["id", "parent"],
    properties: {
      id: envelopeField("The envelope field that names the emitter."),
      parent: envelopeField("The envelope field that names its parent."),
    },
  },
  example: { id: "AgentID", parent: "ParentID" },
  findings: [hierarchyBroken],
  sentence: ({ id, parent }, { code }) =>
    `${code(parent)} is empty, or it is the ${code(id)} of an emitter whose ${code(parent)} is empty: there are two levels.`,
  comparison: { identify: () => "" },
  createCheckers: createHierarchyChecker,
  generation: {
    adjustEnvelope({ id, parent }, fields, index, first) {
      fields[parent] = index % 2 === 0 ? "" : (first?.[id] ?? "");
      if (typeof fields[id] === "string") fields[id] = `${fields[id]}-${index}`;
    },
  },
});

/** The parent of each emitter, and a child of each parent. */
interface Family {
  readonly parents: Map<string, string>;
  readonly children: Map<string, string>;
}

function createHierarchyChecker({ id: idField, parent: parentField }: Hierarchy): RuleChecker<Family> {
  const findFault = ({ parents, children }: Family, id: string, parent: string): string | undefined => {
    const before = parents.get(id);
    if (before !== undefined) return `has the ${parentField} ${quote(parent)}, after ${quote(before)}`;
    if (parent === "") return undefined;
    if (parent === id) return `names itself as its ${parentField}`;
    const above = parents.get(parent);
    if (above) return `has the ${parentField} ${quote(parent)}, which has the ${parentField} ${quote(above)}`;
    const below = children.get(id);
    if (below === undefined) return undefined;
    return `has the ${parentField} ${quote(parent)}, but is itself the ${parentField} of ${quote(below)}`;
  };
  const check = (family: Family, step: Step): void => {
    const { parents, children } = family;
    const [id, parent] = [step.event[idField], step.event[parentField]];
    if (typeof id !== "string" || typeof parent !== "string" || parents.get(id) === parent) return;
    const fault = findFault(family, id, parent);
    if (fault !== undefined) {
      const message = `${idField} ${quote(id)} ${fault} (in ${named(step)}).`;
      step.report(hierarchyBroken, message, join("", parentField));
    }
    if (parents.has(id)) return;
    remember(parents, id, parent, step);
    if (parent !== "") remember(children, parent, id, step);
  };
  return {
    shared: true,
    start: () => ({ parents: new Map(), children: new Map() }),
    handlers: [{ types: "every", check }],
    comparable: {
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
