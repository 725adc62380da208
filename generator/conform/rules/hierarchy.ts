import type { Hierarchy } from "../../protocol/stream-rules.js";
import { envelopeField } from "../declaration.js";
import * as m from "../machine/build.js";
import type { Condition, Machine, MessagePart, Statement, Value } from "../machine/language.js";
import { defineFinding, defineStreamRule } from "../stream-rule.js";

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
  createMachines: createHierarchyMachine,
});

/** Remembers the parent of each emitter, and a child of each parent. */
function createHierarchyMachine({ id: idField, parent: parentField }: Hierarchy): Machine {
  const [id, parent] = [m.envelope(idField), m.envelope(parentField)];
  const [knownParent, grandparent] = [m.cell("self", "parent"), m.cell("above", "parent")];
  const isTop = (value: Value): Condition => m.equal(value, m.literal(""));
  const reportBroken = (problem: readonly MessagePart[]): Statement =>
    m.report(
      hierarchyBroken,
      [...m.message`${idField} ${m.quote(id)} `, ...problem, ...m.message` (in ${m.NAME}).`],
      m.inEnvelope(parentField),
    );
  const named = m.message`has the ${parentField} ${m.quote(parent)}`;
  const check = m.choose(
    [m.exists("self"), reportBroken([...named, ...m.message`, after ${m.quote(knownParent)}`])],
    [isTop(parent)],
    [m.equal(parent, id), reportBroken(m.message`names itself as its ${parentField}`)],
    [
      m.all(m.exists("above"), m.not(isTop(grandparent))),
      reportBroken([...named, ...m.message`, which has the ${parentField} ${m.quote(grandparent)}`]),
    ],
    [
      m.exists("below"),
      reportBroken([
        ...named,
        ...m.message`, but is itself the ${parentField} of ${m.quote(m.cell("below", "child"))}`,
      ]),
    ],
  );
  const remember = m.when(
    m.not(m.exists("self")),
    m.set("self", { parent }),
    m.when(m.not(isTop(parent)), m.find("link", "children", [parent], m.set("link", { child: id }))),
  );
  return m.createMachine(
    { parents: m.table(1, { parent: "value" }), children: m.table(1, { child: "value" }) },
    [
      m.on(
        "every",
        m.when(
          m.all(m.is("text", id), m.is("text", parent)),
          m.find(
            "self",
            "parents",
            [id],
            m.when(
              m.not(m.equal(knownParent, parent)),
              m.find("above", "parents", [parent], m.find("below", "children", [id], ...check, remember)),
            ),
          ),
        ),
      ),
    ],
    { shared: true },
  );
}
