import { eventType, eventTypes, objectPart, payloadField, payloadValues } from "../declaration.js";
import * as m from "../machine/build.js";
import { defineFinding, defineStreamRule } from "../stream-rule.js";

const preparationLate = defineFinding({
  id: "preparation-late",
  summary: "an event that prepares some work comes while the work is running",
  explanation:
    "A snapshot, for example, is taken before a tool changes files. The event is too late if work of the same name is running and began without such an event. Work that has no such event at all is accepted, and nothing is reported if events may be missing.",
  hint: "Send the preparing event first, and then the event that begins the work.",
});

/** Events that precede the work that they prepare. */
export const preparations = defineStreamRule({
  member: "preparations",
  declaration: {
    description: "Events that prepare some work and precede it.",
    required: ["type", "name", "work"],
    properties: {
      type: eventType("The event type that prepares."),
      name: payloadField("Its field with the name of the work.", "type"),
      when: payloadValues("Only events with these values count as preparation."),
      failed: eventTypes("Event types that report a failed preparation; the next work needs none."),
      work: objectPart({
        description: "The work that is prepared.",
        required: ["start", "end", "key", "name"],
        properties: {
          start: eventType("The event type that begins it."),
          end: eventTypes("Event types that end it."),
          key: payloadField("The field of all of them with its id.", "start", "end"),
          name: payloadField("The field of the start with its name.", "start"),
        },
      }),
    },
  },
  example: [
    {
      type: "checkpoint_created",
      name: "tool_name",
      when: { auto: true },
      failed: ["checkpoint_failed"],
      work: { start: "tool_started", end: ["tool_ended", "tool_failed"], key: "tool_id", name: "name" },
    },
  ],
  findings: [preparationLate],
  describe({ type, name, when = {}, work }, { event, code }) {
    const conditions = Object.entries(when).map(([field, value]) => `${code(field)} is ${code(`${value}`)}`);
    const where = conditions.length === 0 ? "" : ` where ${conditions.join(" and ")}`;
    return `${event(type)}${where} comes before the ${event(work.start)} whose ${code(work.name)} equals its ${code(name)}.`;
  },
  comparison: { identify: ({ type, work }) => [type, work.start] },
  createMachines({ type, name, when: values = {}, failed = [], work }) {
    const running = m.table(
      "running",
      1,
      { epoch: "epoch", isPrepared: "flag", first: "event", open: "number" },
      LIMIT,
    );
    const names = m.table("names", 1, { name: "value" }, LIMIT);
    const readyNames = m.table("ready", 1, {}, LIMIT);
    const failures = m.table("failures", 0, {});
    const [prepared, workName] = [m.payload(name), m.payload(work.name)];
    const one = running.row("work", prepared);
    const { open, isPrepared, first } = one.cells;
    const isRunning = m.all(one.isCurrent, m.less(m.literal(0), open));
    const id = names.row("id", m.payload(work.key));
    const failure = failures.row("failure");
    const ended = running.row("ended", id.cells.name);
    const endWork = ended.find(
      m.when(ended.exists, ended.set({ open: m.subtract(ended.cells.open, m.literal(1)) })),
    );
    const ready = readyNames.row("ready", workName);
    const begin = { epoch: m.EPOCH, first: m.EVENT, open: m.literal(0) };
    const beginFirst = m.choose(
      [
        m.any(ready.exists, failure.exists, m.not(m.SEEN_FROM_START)),
        one.set({ ...begin, isPrepared: m.TRUE }),
      ],
      [true, one.set({ ...begin, isPrepared: m.NOTHING })],
    );
    // The first work of a name uses up the preparation. A failed preparation need not name the work.
    const start = running
      .row("work", workName)
      .find(
        ready.find(failure.find(m.when(m.not(isRunning), ...beginFirst), failure.drop), ready.drop),
        one.set({ open: m.add(open, m.literal(1)) }),
      );
    const isLate = m.reportIf(
      m.all(isRunning, m.absent(isPrepared)),
      preparationLate,
      m.message`${m.NAME} prepares for ${m.quote(prepared)}, but comes after ${first}, which starts it.`,
      name,
    );
    const prepare = readyNames.row("ready", prepared).find(ready.set({}));
    return m.createMachine(
      [running, names, readyNames, failures],
      m.on([type], m.when(m.all(m.is("text", prepared), m.hasValues(values)), one.find(isLate), prepare)),
      m.on(failed, failure.find(failure.set({}))),
      // Work that starts again is still one piece of work.
      m.on([work.start], m.when(m.is("text", workName), id.find(endWork, start, id.set({ name: workName })))),
      m.on(work.end, id.find(endWork, id.drop)),
    );
  },
});

/** The greatest number of names, and of ids, that are followed at once. */
const LIMIT = { limit: 1000 };
