import type { Json } from "../../json.js";
import { selectEventTypes } from "../../protocol/event-families.js";
import { collectEventFields } from "../../protocol/event-fields.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { Block } from "../../protocol/stream-rules.js";
import {
  createConditionUses,
  createFieldUses,
  type FieldUse,
  sortEntries,
  sortUnique,
} from "../comparable.js";
import {
  eventTypes,
  eventTypesAndFamilies,
  objectPart,
  payloadField,
  payloadValues,
} from "../declaration.js";
import { hasValues, nameEvent, quoteValue, readId, remember } from "../step.js";
import { defineFinding, defineStreamRule, type RuleChecker, type Step } from "../stream-rule.js";

const eventBlocked = defineFinding({
  id: "event-blocked",
  summary: "an event comes although an earlier event forbids it",
  explanation:
    "While an approval is pending, the call that waits for it does not run; after a refusal it never runs. A reader has drawn the thing as waiting or refused and does not expect that it goes on. If the event that lifts the block may be missing, nothing is reported.",
  hint: "Send the event that lifts the block first, or do not let the work go on.",
  severity: { reader: "error", writer: "error" },
});

/** A block in force. */
interface ActiveBlock {
  /** The name of the event that began the block. */
  readonly event: string;
  readonly epoch: number;
}

interface Blocks {
  /** The blocks in force by the value of `key` ("" without it), then by the id that lifts them. */
  readonly active: Map<string, Map<string, ActiveBlock>>;
  /** The value of `key` by the id that lifts the block. */
  readonly valueById: Map<string, string>;
}

/** Events after which others must not come. */
export const blocks = defineStreamRule({
  member: "blocks",
  declaration: {
    description: "Event types that do not come after another event, until something lifts the block.",
    required: ["after", "forbids"],
    properties: {
      after: eventTypes("The event types that begin the block."),
      when: payloadValues("Payload fields and the values with which they begin it.", "after"),
      key: payloadField(
        "The field whose value the events share; without it, the whole stream is blocked.",
        "after",
        "forbids",
      ),
      forbids: eventTypesAndFamilies(
        "The event types that do not come. `tool.*` stands for all event types whose names begin with `tool.`; with `key`, for those that have the field.",
      ),
      except: eventTypesAndFamilies("Event types of these families that may come."),
      until: objectPart({
        description: "What lifts the block; without it, nothing does.",
        required: ["types"],
        properties: {
          types: eventTypes("The event types that lift it."),
          key: payloadField(
            "The field whose value the event shares with the one that began the block.",
            "after",
            "types",
          ),
          when: payloadValues("Payload fields and the values with which they lift it.", "types"),
        },
      }),
    },
  },
  example: [
    {
      after: ["approval.requested"],
      key: "tool_call_id",
      forbids: ["tool.started"],
      until: { types: ["approval.resolved"], key: "approval_id", when: { decision: "approved" } },
    },
  ],
  findings: [eventBlocked],
  describe({ after, when = {}, key, forbids, except = [], until }, { anyEvent, code }) {
    const describeValues = (each: { readonly [field: string]: string | number | boolean }): string =>
      Object.entries(each)
        .map(([field, value]) => ` with ${code(field)} ${code(String(value))}`)
        .join("");
    const describeKey = (field: string | undefined): string =>
      field === undefined ? "" : ` with the same ${code(field)}`;
    const end =
      until === undefined
        ? ""
        : `, until ${anyEvent(until.types)}${describeValues(until.when ?? {})}${describeKey(until.key)}`;
    const exceptions = except.length === 0 ? "" : `, except ${anyEvent(except)}`;
    return `After ${anyEvent(after)}${describeValues(when)} there is no ${anyEvent(forbids)}${describeKey(key)}${exceptions}${end}.`;
  },
  comparison: { identify: ({ after, key }) => [[...after].sort(), key ?? null], split: "forbids" },
  createCheckers: createBlockChecker,
});

function createBlockChecker(declared: Block, protocol: Protocol): RuleChecker<Blocks> {
  const { after, when = {}, key, until } = declared;
  const forbids = listForbiddenTypes(declared, protocol);
  const getValue = ({ payload }: Step): string | undefined => (key === undefined ? "" : readId(payload[key]));
  const begin = ({ active, valueById }: Blocks, step: Step): void => {
    const value = getValue(step);
    const id = until?.key === undefined ? value : readId(step.payload[until.key]);
    if (value === undefined || id === undefined || !hasValues(step.payload, when)) return;
    const blocks = active.get(value) ?? new Map<string, ActiveBlock>();
    if (blocks.get(id)?.epoch === step.stream.epoch) return;
    blocks.set(id, { event: nameEvent(step), epoch: step.stream.epoch });
    remember(active, value, blocks, step);
    remember(valueById, id, value, step);
  };
  const lift = ({ active, valueById }: Blocks, step: Step): void => {
    if (!hasValues(step.payload, until?.when ?? {})) return;
    if (until?.key === undefined) {
      active.clear();
      return;
    }
    const id = readId(step.payload[until.key]);
    const value = id === undefined ? undefined : valueById.get(id);
    if (id === undefined || value === undefined) return;
    const blocks = active.get(value);
    blocks?.delete(id);
    if (blocks?.size === 0) active.delete(value);
    valueById.delete(id);
  };
  const check = ({ active }: Blocks, step: Step): void => {
    if (active.size === 0) return;
    const value = getValue(step);
    const blocks = value === undefined ? undefined : active.get(value);
    if (blocks === undefined) return;
    for (const { event, epoch } of blocks.values()) {
      if (until !== undefined && epoch !== step.stream.epoch) continue;
      const subject = key === undefined ? "" : ` for ${key} ${quoteValue(value)}`;
      const pointer = key === undefined ? "" : step.locate(key);
      step.report(eventBlocked, `${nameEvent(step)} comes although ${event} forbids it${subject}.`, pointer);
      return;
    }
  };
  return {
    start: () => ({ active: new Map(), valueById: new Map() }),
    // An event that is forbidden by one block and lifts another one is checked first.
    handlers: [
      { types: forbids, check },
      { types: until?.types ?? [], check: lift },
      { types: after, check: begin },
    ],
    comparable: {
      dependsOn: ["blocks", sortUnique(after), { ...when }, key ?? null, describeEnd(until)],
      onlyRefuses: sortUnique(forbids),
      usesEpochs: true,
      refuses: forbids,
      remembers: after,
      allows: until?.types ?? [],
      reads: listFieldUses({ ...declared, forbids }),
      snapshot: ({ active }, { stream }) =>
        sortEntries(active, (blocks) => sortEntries(blocks, ({ epoch }) => epoch === stream.epoch)),
    },
  };
}

/** Returns the event types that the block forbids. If there is a key, event types without that field are about other things. */
function listForbiddenTypes({ key, forbids, except = [] }: Block, protocol: Protocol): readonly string[] {
  const types = selectEventTypes(protocol, forbids, except);
  if (key === undefined) return types;
  const withKey = protocol.events.filter((event) => collectEventFields(protocol, event).has(key));
  return types.filter((type) => withKey.some((event) => event.type === type));
}

function describeEnd(until: Block["until"]): Json {
  return until === undefined ? null : [sortUnique(until.types), until.key ?? null, { ...until.when }];
}

function listFieldUses({ after, when = {}, key, forbids, until }: Block): FieldUse[] {
  const createIdUses = (types: readonly string[], field: string | undefined): FieldUse[] =>
    field === undefined ? [] : createFieldUses(types, field, { kind: "id" });
  return [
    ...createIdUses([...after, ...forbids], key),
    ...createIdUses([...after, ...(until?.types ?? [])], until?.key),
    ...after.flatMap((type) => createConditionUses(type, when)),
    ...(until?.types ?? []).flatMap((type) => createConditionUses(type, until?.when ?? {})),
  ];
}
