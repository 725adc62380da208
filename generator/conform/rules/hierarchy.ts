import { joinPointer } from "../../json.js";
import type { Hierarchy } from "../../protocol/stream-rules.js";
import { createEnvelopeUses, sortEntries } from "../comparable.js";
import { envelopeField } from "../declaration.js";
import { nameEvent, quoteValue, remember } from "../step.js";
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
  describe: ({ id, parent }, { code }) =>
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
interface KnownEmitters {
  readonly parents: Map<string, string>;
  readonly children: Map<string, string>;
}

function createHierarchyChecker({ id: idField, parent: parentField }: Hierarchy): RuleChecker<KnownEmitters> {
  const describeViolation = (
    { parents, children }: KnownEmitters,
    id: string,
    parent: string,
  ): string | undefined => {
    const knownParent = parents.get(id);
    if (knownParent !== undefined)
      return `has the ${parentField} ${quoteValue(parent)}, after ${quoteValue(knownParent)}`;
    if (parent === "") return undefined;
    if (parent === id) return `names itself as its ${parentField}`;
    const grandparent = parents.get(parent);
    if (grandparent)
      return `has the ${parentField} ${quoteValue(parent)}, which has the ${parentField} ${quoteValue(grandparent)}`;
    const child = children.get(id);
    if (child === undefined) return undefined;
    return `has the ${parentField} ${quoteValue(parent)}, but is itself the ${parentField} of ${quoteValue(child)}`;
  };
  const check = (emitters: KnownEmitters, step: Step): void => {
    const { parents, children } = emitters;
    const id = step.event[idField];
    const parent = step.event[parentField];
    if (typeof id !== "string" || typeof parent !== "string" || parents.get(id) === parent) return;
    const violation = describeViolation(emitters, id, parent);
    if (violation !== undefined) {
      const message = `${idField} ${quoteValue(id)} ${violation} (in ${nameEvent(step)}).`;
      step.report(hierarchyBroken, message, joinPointer("", parentField));
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
        ...createEnvelopeUses(idField, { kind: "emitter", empty: false }),
        ...createEnvelopeUses(parentField, { kind: "emitter", empty: true }),
      ],
      snapshot: ({ parents, children }) => [
        sortEntries(parents, (parent) => parent),
        sortEntries(children, (child) => child),
      ],
    },
  };
}
