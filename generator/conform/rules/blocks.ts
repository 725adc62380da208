import type { Json } from "../../json.js";
import { selectEventTypes } from "../../protocol/event-families.js";
import { collectEventFields } from "../../protocol/event-fields.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { Block, FieldValues } from "../../protocol/stream-rules.js";
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
  flag,
  objectPart,
  payloadField,
  payloadFields,
  payloadValues,
} from "../declaration.js";
import { hasValues, nameEvent, quoteValue, readId, remember } from "../step.js";
import {
  type CatalogTerms,
  defineFinding,
  defineStreamRule,
  type RuleChecker,
  type Scenario,
  type Step,
} from "../stream-rule.js";

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
  /** True if the block is also lifted when a later block of the same thing is. */
  isExpired: boolean;
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
      without: payloadFields("Payload fields that an event which begins it does not have.", "after"),
      beforeEnd: flag("An event that comes after the terminal event of its stream does not begin it."),
      key: payloadField(
        "The field whose value the events share; without it, the whole stream is blocked.",
        "after",
        "forbids",
      ),
      forbids: eventTypesAndFamilies(
        "The event types that do not come. `tool.*` stands for all event types whose names begin with `tool.`; with `key`, for those that have the field.",
      ),
      forbidsWhen: payloadValues("Payload fields and the values with which they do not come.", "forbids"),
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
          expiry: eventTypes(
            "Event types with the same `key` after which the block expires: it is also lifted when a block that began later for the same thing is lifted.",
          ),
        },
      }),
    },
  },
  example: [
    {
      after: ["approval.requested"],
      key: "tool_call_id",
      forbids: ["tool.started"],
      until: {
        types: ["approval.resolved"],
        key: "approval_id",
        when: { decision: "approved" },
        expiry: ["approval.timed_out"],
      },
    },
  ],
  findings: [eventBlocked],
  describe: describeBlock,
  comparison: { identify: ({ after, key }) => [[...after].sort(), key ?? null], split: "forbids" },
  createCheckers: createBlockChecker,
  generation: {
    listReservedTypes: listStreamBlockers,
    createScenario: createBlockScenario,
  },
});

/**
 * Returns the event types that block a whole stream, without those that other rules place. A random stream that has them
 * anywhere would have few events after them.
 */
function listStreamBlockers({ after, key }: Block, { stream }: Protocol): readonly string[] {
  const { terminal, lifecycles = [] } = stream?.rules ?? {};
  const placedTypes = new Set([
    ...(terminal?.opens ?? []),
    ...(terminal?.types ?? []),
    ...lifecycles.flatMap(({ start, end }) => [...start, ...end]),
  ]);
  return key === undefined ? after.filter((type) => !placedTypes.has(type)) : [];
}

/** The probability that a random stream gets a block of the whole stream when its scenario is chosen. */
const BLOCK_CHANCE = 0.2;

/** Creates the scenario of a block of a whole stream, which is lifted at once. Other blocks have no scenario. */
function createBlockScenario(declared: Block, protocol: Protocol): Scenario | undefined {
  const { when = {}, until } = declared;
  const types = listStreamBlockers(declared, protocol);
  if (types.length === 0) return undefined;
  const terminalTypes = protocol.stream?.rules?.terminal?.types ?? [];
  const ends = (until?.types ?? []).filter((type) => !terminalTypes.includes(type));
  return {
    name: `block after ${declared.after.join(" or ")}`,
    types,
    propose({ random, createUniqueValue, requiredType }) {
      const type = types.find((each) => each === requiredType) ?? types[random.below(types.length)];
      if (type === undefined || (type !== requiredType && !random.chance(BLOCK_CHANCE))) return [];
      const shared = until?.key === undefined ? {} : { [until.key]: createUniqueValue(type, until.key) };
      const end = ends[random.below(ends.length)];
      const begin = { type, fixedFields: { ...when, ...shared } };
      return end === undefined ? [begin] : [begin, { type: end, fixedFields: { ...until?.when, ...shared } }];
    },
  };
}

function describeBlock(declared: Block, { anyEvent, code, fields }: CatalogTerms): string {
  const { after, when = {}, without = [], key, forbids, forbidsWhen = {}, except = [], until } = declared;
  const describeValues = (values: FieldValues): string =>
    Object.entries(values)
      .map(([field, value]) => ` with ${code(field)} ${code(String(value))}`)
      .join("");
  const describeKey = (field: string | undefined): string =>
    field === undefined ? "" : ` with the same ${code(field)}`;
  const absence = without.length === 0 ? "" : ` without ${fields(without)}`;
  const exceptions = except.length === 0 ? "" : `, except ${anyEvent(except)}`;
  const end = until
    ? `, until ${anyEvent(until.types)}${describeValues(until.when ?? {})}${describeKey(until.key)}`
    : "";
  const expiry = until?.expiry
    ? ` After ${anyEvent(until.expiry)}, the same event for a later ${anyEvent(after)} is enough.`
    : "";
  return `After ${anyEvent(after)}${describeValues(when)}${absence} there is no ${anyEvent(forbids)}${describeValues(forbidsWhen)}${describeKey(key)}${exceptions}${end}.${expiry}`;
}

function createBlockChecker(declared: Block, protocol: Protocol): RuleChecker<Blocks> {
  const { after, when = {}, without = [], beforeEnd = false, key, forbidsWhen = {}, until } = declared;
  const forbids = listForbiddenTypes(declared, protocol);
  const getValue = ({ payload }: Step): string | undefined => (key === undefined ? "" : readId(payload[key]));
  const begin = ({ active, valueById }: Blocks, step: Step): void => {
    const { payload, stream } = step;
    const value = getValue(step);
    const id = until?.key === undefined ? value : readId(payload[until.key]);
    const begins = hasValues(payload, when) && without.every((field) => payload[field] === undefined);
    if (value === undefined || id === undefined || !begins || (beforeEnd && stream.hasEnded)) return;
    const blocks = active.get(value) ?? new Map<string, ActiveBlock>();
    if (blocks.get(id)?.epoch === stream.epoch) return;
    blocks.set(id, { event: nameEvent(step), epoch: stream.epoch, isExpired: false });
    remember(active, value, blocks, step);
    remember(valueById, id, value, step);
  };
  const check = ({ active }: Blocks, step: Step): void => {
    if (active.size === 0 || !hasValues(step.payload, forbidsWhen)) return;
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
      { types: until?.types ?? [], check: (blocks, step) => liftBlock(blocks, step, until) },
      { types: until?.expiry ?? [], check: (blocks, step) => expireBlock(blocks, step, until) },
      { types: after, check: begin },
    ],
    comparable: {
      dependsOn: describeBlockParts(declared, protocol),
      onlyRefuses: sortUnique(forbids),
      usesEpochs: true,
      refuses: forbids,
      remembers: after,
      allows: [...(until?.types ?? []), ...(until?.expiry ?? [])],
      reads: listFieldUses({ ...declared, forbids }),
      snapshot: ({ active }, { stream }) =>
        sortEntries(active, (blocks) => [
          sortEntries(blocks, ({ epoch, isExpired }) => [epoch === stream.epoch, isExpired]),
          // Blocks that expire depend on their order.
          ...(until?.expiry ? blocks.keys() : []),
        ]),
    },
  };
}

/** Removes the block that the event of `step` lifts, and the expired ones before it. Without a key, it removes all blocks. */
function liftBlock({ active, valueById }: Blocks, step: Step, until: Block["until"]): void {
  if (!hasValues(step.payload, until?.when ?? {})) return;
  if (until?.key === undefined) {
    active.clear();
    return;
  }
  const id = readId(step.payload[until.key]);
  const value = id === undefined ? undefined : valueById.get(id);
  const blocks = value === undefined ? undefined : active.get(value);
  if (id === undefined || value === undefined || !blocks?.has(id)) return;
  if (until.expiry !== undefined)
    for (const [other, { isExpired }] of blocks) {
      if (other === id) break;
      if (isExpired) blocks.delete(other);
    }
  blocks.delete(id);
  if (blocks.size === 0) active.delete(value);
  valueById.delete(id);
}

/** Marks the block that the event of `step` names as expired. */
function expireBlock({ active, valueById }: Blocks, step: Step, until: Block["until"]): void {
  const id = until?.key === undefined ? undefined : readId(step.payload[until.key]);
  if (id === undefined) return;
  const value = valueById.get(id);
  const block = value === undefined ? undefined : active.get(value)?.get(id);
  if (block !== undefined) block.isExpired = true;
}

/** Returns the event types that the block forbids. If there is a key, event types without that field are about other things. */
function listForbiddenTypes({ key, forbids, except = [] }: Block, protocol: Protocol): readonly string[] {
  const types = selectEventTypes(protocol, forbids, except);
  if (key === undefined) return types;
  const withKey = protocol.events.filter((event) => collectEventFields(protocol, event).has(key));
  return types.filter((type) => withKey.some((event) => event.type === type));
}

/** Returns all values that the checker of a block depends on, except the forbidden event types. */
function describeBlockParts(declared: Block, { stream }: Protocol): Json {
  const { after, when = {}, without = [], beforeEnd = false, key, forbidsWhen = {}, until } = declared;
  const { opens = [], types = [] } = stream?.rules?.terminal ?? {};
  const end =
    until === undefined
      ? null
      : [sortUnique(until.types), until.key ?? null, { ...until.when }, sortUnique(until.expiry ?? [])];
  return [
    "blocks",
    [sortUnique(after), { ...when }, sortUnique(without)],
    [key ?? null, { ...forbidsWhen }],
    end,
    beforeEnd ? [sortUnique(opens), sortUnique(types)] : null,
  ];
}

function listFieldUses({
  after,
  when = {},
  without = [],
  key,
  forbids,
  forbidsWhen = {},
  until,
}: Block): FieldUse[] {
  const createIdUses = (types: readonly string[], field: string | undefined, related = false): FieldUse[] =>
    field === undefined ? [] : createFieldUses(types, field, { kind: "id", related });
  const ends = until?.types ?? [];
  return [
    ...createIdUses([...after, ...forbids], key),
    ...createIdUses([...after, ...ends, ...(until?.expiry ?? [])], until?.key, until?.expiry !== undefined),
    ...without.flatMap((field) => createIdUses(after, field)),
    ...after.flatMap((type) => createConditionUses(type, when)),
    ...forbids.flatMap((type) => createConditionUses(type, forbidsWhen)),
    ...ends.flatMap((type) => createConditionUses(type, until?.when ?? {})),
  ];
}
