import type { Preparation } from "../../protocol/stream-rules.js";
import { eventType, eventTypes, objectPart, payloadField, payloadValues } from "../declaration.js";
import * as m from "../machine/build.js";
import type { Machine, Statement } from "../machine/language.js";
import { defineFinding, defineStreamRule } from "../stream-rule.js";

const preparationLate = defineFinding({
  id: "preparation-late",
  summary: "an event that prepares some work comes while the work is running",
  explanation:
    "A snapshot, for example, is taken before a tool changes files. The event is too late if work of the same name is running and began without such an event. Work that has no such event at all is accepted, and nothing is reported if events may be missing.",
  hint: "Send the preparing event first, and then the event that begins the work.",
  severity: { reader: "error", writer: "error" },
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
  createMachines: createPreparationMachine,
});

/**
 * Remembers the running work of each name: how many of it run, and whether a preparation came before its first start or may
 * have been missed. A failed preparation need not name the work.
 */
function createPreparationMachine({
  type,
  name,
  when: values = {},
  failed = [],
  work,
}: Preparation): Machine {
  const [prepared, id] = [m.payload(name), m.payload(work.key)];
  const open = m.cell("work", "open");
  const isRunning = m.all(m.isCurrent("work", "epoch"), m.less(m.literal(0), open));
  return m.createMachine(
    {
      running: m.table(1, { epoch: "epoch", isPrepared: "flag", first: "event", open: "number" }, LIMIT),
      names: m.table(1, { name: "value" }, LIMIT),
      ready: m.table(1, {}, LIMIT),
      failures: m.table(0, {}),
    },
    [
      m.on(
        [type],
        m.when(
          m.all(m.is("text", prepared), m.hasValues(values)),
          m.find(
            "work",
            "running",
            [prepared],
            m.when(
              m.all(isRunning, m.absent(m.cell("work", "isPrepared"))),
              m.report(
                preparationLate,
                m.message`${m.NAME} prepares for ${m.quote(prepared)}, but comes after ${m.plain(m.cell("work", "first"))}, which starts it.`,
                m.inPayload(name),
              ),
            ),
          ),
          m.find("ready", "ready", [prepared], m.set("ready", {})),
        ),
      ),
      m.on(failed, m.find("failure", "failures", [], m.set("failure", {}))),
      m.on([work.start], createStart(work)),
      m.on(work.end, m.find("id", "names", [id], endWork(), m.drop("id"))),
    ],
  );
}

/** The greatest number of names, and of ids, that are followed at once. */
const LIMIT = { limit: 1000 };

/** Counts the work of the row `id` as ended. */
function endWork(): Statement {
  const open = m.cell("ended", "open");
  return m.find(
    "ended",
    "running",
    [m.cell("id", "name")],
    m.when(m.exists("ended"), m.set("ended", { open: m.subtract(open, m.literal(1)) })),
  );
}

/** Remembers work that begins. The first work of a name uses up the preparation. */
function createStart(work: Preparation["work"]): Statement {
  const [workName, id, open] = [m.payload(work.name), m.payload(work.key), m.cell("work", "open")];
  const isRunning = m.all(m.isCurrent("work", "epoch"), m.less(m.literal(0), open));
  const begin = { epoch: m.EPOCH, first: m.EVENT, open: m.literal(0) };
  return m.when(
    m.is("text", workName),
    m.find(
      "id",
      "names",
      [id],
      // Work that starts again is still one piece of work.
      endWork(),
      m.find(
        "work",
        "running",
        [workName],
        m.find(
          "ready",
          "ready",
          [workName],
          m.find(
            "failure",
            "failures",
            [],
            m.when(
              m.not(isRunning),
              ...m.choose(
                [
                  m.any(m.exists("ready"), m.exists("failure"), m.not(m.SEEN_FROM_START)),
                  m.set("work", { ...begin, isPrepared: m.TRUE }),
                ],
                [true, m.set("work", { ...begin, isPrepared: m.NOTHING })],
              ),
            ),
            m.drop("failure"),
          ),
          m.drop("ready"),
        ),
        m.set("work", { open: m.add(open, m.literal(1)) }),
      ),
      m.set("id", { name: workName }),
    ),
  );
}
