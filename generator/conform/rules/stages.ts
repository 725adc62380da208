import type { Stages } from "../../protocol/stream-rules.js";
import { createFieldUses, sortEntries, sortUnique } from "../comparable.js";
import { eventTypeLists, eventTypes, payloadField } from "../declaration.js";
import { listIds, nameEvent, quoteValue, remember } from "../step.js";
import { defineFinding, defineStreamRule, type RuleChecker, type Step } from "../stream-rule.js";

const stageLate = defineFinding({
  id: "stage-late",
  summary: "a stage comes after a later one of the same thing",
  explanation:
    "Readers draw the stages of a thing one below the other, and take the last one as its state. An earlier stage that comes late would set it back.",
  hint: "Send the events of one id in the order in which they happen.",
  severity: { reader: "error", writer: "error" },
});

const stageRepeated = defineFinding({
  id: "stage-repeated",
  summary: "a stage that happens once comes again for the same thing",
  explanation:
    "A reader that adds a line for each stage shows it twice. Pieces of output and other types that the contract lists may come again.",
  hint: "Send the event once for each id, and use a new id for a new attempt.",
  severity: { reader: "error", writer: "error" },
});

/** The progress of a thing. */
interface Progress {
  /** The index of the last stage. */
  readonly stage: number;
  /** The name of the event that reached the stage. */
  readonly event: string;
  readonly epoch: number;
}

/** Things whose events come in a fixed order. */
export const stages = defineStreamRule({
  member: "stages",
  declaration: {
    description: "Event types about one thing that come in an order, each once; any of them may be left out.",
    required: ["key", "stages"],
    properties: {
      key: payloadField("The field with the id of the thing, or with a list of ids.", "stages"),
      stages: eventTypeLists("The stages in their order, each a list of event types."),
      repeat: eventTypes("Event types that may come more than once in their stage."),
    },
  },
  example: [
    {
      key: "call_id",
      stages: [["call.proposed"], ["call.started"], ["call.output"]],
      repeat: ["call.output"],
    },
  ],
  findings: [stageLate, stageRepeated],
  describe: ({ key, stages, repeat = [] }, { anyEvent, allEvents, code }) =>
    `Events with the same ${code(key)} come in this order, at most one for each stage: ${stages.map((types) => anyEvent(types)).join(" → ")}.${repeat.length > 0 ? ` ${allEvents(repeat)} may come several times.` : ""}`,
  comparison: { identify: ({ key }) => key, ordered: ["stages"] },
  createCheckers: createStageChecker,
  generation: {
    createScenario: ({ key, stages }) => ({
      name: `stages of ${key}`,
      types: stages.flat(),
      propose({ random, createUniqueValue, requiredType }) {
        const first = stages[0]?.[0];
        if (first === undefined) return [];
        const fixedFields = { [key]: createUniqueValue(first, key) };
        return stages.flatMap((types) => {
          const type = types.find((each) => each === requiredType) ?? random.pick(types);
          return type === requiredType || random.chance(0.8) ? [{ type, fixedFields }] : [];
        });
      },
    }),
  },
});

function createStageChecker({ key, stages, repeat = [] }: Stages): RuleChecker<Map<string, Progress>> {
  const stageByType = new Map(stages.flatMap((types, stage) => types.map((type) => [type, stage] as const)));
  const types = [...stageByType.keys()];
  const checkThing = (things: Map<string, Progress>, step: Step, id: string, stage: number): void => {
    const last = things.get(id);
    // If events may be missing since the last stage, the work may have started again.
    const progress = last?.epoch === step.stream.epoch ? last : undefined;
    if (progress !== undefined && stage < progress.stage)
      step.report(
        stageLate,
        `${nameEvent(step)} is about ${key} ${quoteValue(id)}, which had reached ${progress.event}.`,
        step.locate(key),
      );
    else if (progress?.stage === stage && !repeat.includes(step.type))
      step.report(
        stageRepeated,
        `${nameEvent(step)} is about ${key} ${quoteValue(id)}, which had ${progress.event} already.`,
        step.locate(key),
      );
    if (progress === undefined || stage >= progress.stage)
      remember(things, id, { stage, event: nameEvent(step), epoch: step.stream.epoch }, step);
  };
  const check = (things: Map<string, Progress>, step: Step): void => {
    const stage = stageByType.get(step.type);
    if (stage !== undefined) for (const id of listIds(step.payload[key])) checkThing(things, step, id, stage);
  };
  return {
    start: () => new Map(),
    handlers: [{ types, check }],
    comparable: {
      dependsOn: ["stages", key, stages.map((types) => sortUnique(types)), sortUnique(repeat)],
      refuses: types,
      remembers: types,
      reads: createFieldUses(types, key, { kind: "id" }),
      usesEpochs: true,
      snapshot: (things, { stream }) =>
        sortEntries(things, ({ stage, epoch }) => (epoch === stream.epoch ? stage : null)),
    },
  };
}
