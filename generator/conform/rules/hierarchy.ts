import { envelopeField } from "../declaration.js";
import * as m from "../machine/build.js";
import { defineFinding, defineStreamRule } from "../stream-rule.js";

const hierarchyBroken = defineFinding({
  id: "hierarchy-broken",
  summary: "an emitter is neither at the top level nor directly below it",
  explanation:
    "There are two levels: emitters without a parent, and emitters that name one of these. Readers cannot draw a parent that has a parent itself, that is its own parent, or that changes. A parent that was not seen may be in another part of the input.",
  hint: "Leave the parent empty at the top level, and name the top-level emitter everywhere below.",
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
  createMachines({ id: idField, parent: parentField }) {
    const [id, parent] = [m.envelope(idField), m.envelope(parentField)];
    const parents = m.table("parents", 1, { parent: "value" });
    const children = m.table("children", 1, { child: "value" });
    const [self, above] = [parents.row("self", id), parents.row("above", parent)];
    const [below, link] = [children.row("below", id), children.row("link", parent)];
    const isTop = (value: m.Value): m.Condition => m.equal(value, m.literal(""));
    const reportBroken = (problem: readonly m.MessagePart[]): m.Statement =>
      m.report(
        hierarchyBroken,
        m.message`${idField} ${m.quote(id)} ${problem} (in ${m.NAME}).`,
        m.inEnvelope(parentField),
      );
    const named = m.message`has the ${parentField} ${m.quote(parent)}`;
    const check = m.choose(
      [self.exists, reportBroken(m.message`${named}, after ${m.quote(self.cells.parent)}`)],
      [isTop(parent)],
      [m.equal(parent, id), reportBroken(m.message`names itself as its ${parentField}`)],
      [
        m.all(above.exists, m.not(isTop(above.cells.parent))),
        reportBroken(m.message`${named}, which has the ${parentField} ${m.quote(above.cells.parent)}`),
      ],
      [
        below.exists,
        reportBroken(m.message`${named}, but is itself the ${parentField} of ${m.quote(below.cells.child)}`),
      ],
    );
    // The parent of each emitter is remembered, and a child of each parent.
    const remember = m.when(
      m.not(self.exists),
      self.set({ parent }),
      m.when(m.not(isTop(parent)), link.find(link.set({ child: id }))),
    );
    const isNew = m.not(m.equal(self.cells.parent, parent));
    return {
      shared: true,
      ...m.createMachine(
        [parents, children],
        m.on(
          "every",
          m.when(
            m.all(m.is("text", id), m.is("text", parent)),
            self.find(m.when(isNew, above.find(below.find(...check, remember)))),
          ),
        ),
      ),
    };
  },
});
