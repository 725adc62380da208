import { eventType, eventTypes, payloadFields, wholeNumber } from "../declaration.js";
import * as m from "../machine/build.js";
import { defineFinding, defineStreamRule } from "../stream-rule.js";

const counterDecreased = defineFinding({
  id: "counter-decreased",
  summary: "a running total is lower than before",
  explanation: "Readers show running totals as they arrive. A total may stay the same or rise.",
  hint: "Send the total since the start of the stream, not the last increment.",
});

const numberSkipped = defineFinding({
  id: "number-skipped",
  summary: "a number that counts up in equal steps skips or repeats one",
  explanation:
    "Readers name things by these numbers, for example the turns of a run, and show one that is missing as lost. If events may be missing since the last number, nothing is reported.",
  hint: "Count up by one step for each event, beginning with the first number of the contract.",
});

/** Numbers that never fall from event to event. */
export const rising = defineStreamRule({
  member: "rising",
  declaration: {
    description: "Numbers that never decrease within a stream.",
    required: ["type", "fields"],
    properties: {
      type: eventType("The event type."),
      fields: payloadFields("The fields: numbers, or objects of numbers.", "type"),
      step: wholeNumber("The difference of each number and the one before it, instead of any increase."),
      first: wholeNumber("With `step`, the first number of a complete stream."),
      restart: eventTypes("Event types after which the numbers may start again."),
    },
  },
  example: [{ type: "usage", fields: ["Cumulative"], profile: "writer" }],
  findings: [counterDecreased, numberSkipped],
  describe({ type, fields: names, step, first, restart = [] }, { event, anyEvent, fields }) {
    const [isOne, exception] = [
      names.length === 1,
      restart.length === 0 ? "" : `, unless ${anyEvent(restart)} came in between`,
    ];
    const subject = `${fields(names)} of ${event(type)}`;
    if (step === undefined) return `${subject} never ${isOne ? "decreases" : "decrease"}${exception}.`;
    const start = first === undefined ? "" : `${isOne ? "begins" : "begin"} with ${first} and `;
    return `${subject} ${start}${isOne ? "goes" : "go"} up by ${step} each time${exception}.`;
  },
  comparison: { identify: ({ type, fields }) => [type, fields], split: "fields" },
  createMachines({ type, fields, step, first, restart = [] }) {
    if (step !== undefined) return createStepMachine(type, fields, step, first, restart);
    const numbers = m.table("numbers", 0, Object.fromEntries(fields.map((field) => [field, "number"])));
    const totals = m.table("totals", 2, { number: "number" }, { limit: MAX_TOTALS });
    const last = numbers.row("last");
    const check = (field: string, now: m.Value, before: m.Value, item?: string): m.Statement =>
      m.reportIf(
        m.less(now, before),
        counterDecreased,
        m.message`${m.NAME} has ${item === undefined ? field : { field, item }} ${now}, which is less than the last value, ${before}.`,
        m.inPayload(field, item),
      );
    const checkNumber = (field: string): m.Statement[] => [
      check(field, m.payload(field), last.cell(field)),
      last.set({ [field]: m.payload(field) }),
    ];
    const checkMembers = (field: string): m.Statement => {
      const number = m.item("number");
      const total = totals.row("total", m.literal(field), { op: "path", item: "number" });
      return m.each(
        "number",
        "numbers",
        m.payload(field),
        total.find(check(field, number, total.cells.number, "number"), total.set({ number })),
      );
    };
    const checkField = (field: string): m.Statement[] =>
      m.choose([m.is("number", m.payload(field)), ...checkNumber(field)], [true, checkMembers(field)]);
    return m.createMachine(
      [numbers, totals],
      m.on(restart, numbers.clear(), totals.clear()),
      m.on([type], last.find(...fields.flatMap(checkField))),
    );
  },
});

/** The greatest number of values that are remembered, because objects of numbers are open. */
const MAX_TOTALS = 1000;

/** Checks numbers that go up in equal steps. */
function createStepMachine(
  type: string,
  fields: readonly string[],
  step: number,
  first: number | undefined,
  restart: readonly string[],
): m.Machine {
  const nameCell = (index: number): string => `number${index}`;
  const numbers = m.table<string>("steps", 0, {
    ...m.EVENT_CELLS,
    ...Object.fromEntries(fields.map((_, index) => [nameCell(index), "number"])),
  });
  const last = numbers.row("last");
  const check = (field: string, index: number): m.Statement => {
    const [now, before] = [m.payload(field), last.cell(nameCell(index))];
    const next = m.add(before, m.literal(step));
    const report = (isWrong: m.Condition, problem: readonly m.MessagePart[]): m.Statement =>
      m.reportIf(isWrong, numberSkipped, m.message`${m.NAME} has ${field} ${now}, but ${problem}.`, field);
    return m.when(
      m.is("number", now),
      ...m.choose(
        [
          m.all(last.isCurrent, m.present(before)),
          report(
            m.different(now, next),
            m.message`${next} comes after ${before}, which ${last.cell("event")} has`,
          ),
        ],
        [
          m.all(m.not(m.present(last.cell("event"))), m.SEEN_FROM_START),
          ...(first === undefined
            ? []
            : [
                report(
                  m.different(now, m.literal(first)),
                  m.message`the first number is ${m.literal(first)}`,
                ),
              ]),
        ],
      ),
    );
  };
  const empty = last.set(Object.fromEntries(fields.map((_, index) => [nameCell(index), m.NOTHING])));
  const remember = last.set({
    ...m.THIS_EVENT,
    ...Object.fromEntries(fields.map((field, index) => [nameCell(index), m.payload(field)])),
  });
  return m.createMachine(
    [numbers],
    m.on(restart, last.find(empty)),
    m.on([type], last.find(...fields.map(check), remember)),
  );
}
