import { selectEventTypes } from "../../protocol/event-families.js";
import { collectEventFields } from "../../protocol/event-fields.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { Block, FieldValues } from "../../protocol/stream-rules.js";
import {
  eventTypes,
  eventTypesAndFamilies,
  flag,
  objectPart,
  payloadField,
  payloadFields,
  payloadValues,
} from "../declaration.js";
import * as m from "../machine/build.js";
import { type CatalogTerms, defineFinding, defineStreamRule } from "../stream-rule.js";

const eventBlocked = defineFinding({
  id: "event-blocked",
  summary: "an event comes although an earlier event forbids it",
  explanation:
    "While an approval is pending, the call that waits for it does not run; after a refusal it never runs. A reader has drawn the thing as waiting or refused and does not expect that it goes on. If the event that lifts the block may be missing, nothing is reported.",
  hint: "Send the event that lifts the block first, or do not let the work go on.",
});

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
  createMachines(declared, protocol) {
    const {
      after,
      when: values = {},
      without = [],
      beforeEnd = false,
      key,
      forbidsWhen = {},
      until,
    } = declared;
    const value = key === undefined ? m.literal("") : m.payload(key);
    const id = until?.key === undefined ? value : m.payload(until.key);
    const block = BLOCKS.row("block", value, id);
    const owner = OWNERS.row("owner", id);
    const begins = m.all(
      m.hasValues(values),
      ...[...without].sort().map((field) => m.absent(m.payload(field))),
      ...(beforeEnd ? [m.not(m.HAS_ENDED)] : []),
    );
    const begin = block.find(
      m.when(
        m.not(block.isCurrent),
        block.set({ ...m.THIS_EVENT, isExpired: m.NOTHING }),
        until?.key === undefined ? [] : owner.find(owner.set({ value })),
      ),
    );
    const subject = key === undefined ? [] : m.message` for ${key} ${m.quote(m.item("value"))}`;
    const checkBlocks = block.eachOf(
      key === undefined ? value : m.item("value"),
      m.when(
        until === undefined ? m.all() : block.isCurrent,
        m.report(
          eventBlocked,
          m.message`${m.NAME} comes although ${block.cells.event} forbids it${subject}.`,
          key,
        ),
        m.STOP,
      ),
    );
    // Messages name the value as a text, also if it is a number.
    const check =
      key === undefined
        ? checkBlocks
        : m.when(m.not(m.is("list", value)), m.eachId("value", value, checkBlocks));
    return m.createMachine(
      [BLOCKS, ...(until?.key === undefined ? [] : [OWNERS])],
      // An event that is forbidden by one block and lifts another one is checked first.
      m.on(listForbiddenTypes(declared, protocol), m.when(m.hasValues(forbidsWhen), check)),
      m.on(until?.types ?? [], m.when(m.hasValues(until?.when ?? {}), liftBlocks(until))),
      m.on(until?.expiry ?? [], findNamedBlock(until, block.set({ isExpired: m.TRUE }))),
      m.on(after, m.when(begins, begin)),
    );
  },
});

/** The blocks in force by the value of `key`, then by the id that lifts them. */
const BLOCKS = m.table("blocks", 2, { ...m.EVENT_CELLS, isExpired: "flag" }, { grouped: true });
/** The value of `key` by the id that lifts the block. */
const OWNERS = m.table("owners", 1, { value: "value" });

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

/** Returns the event types that the block forbids. If there is a key, event types without that field are about other things. */
function listForbiddenTypes({ key, forbids, except = [] }: Block, protocol: Protocol): readonly string[] {
  const types = selectEventTypes(protocol, forbids, except);
  if (key === undefined) return types;
  const withKey = protocol.events.filter((event) => collectEventFields(protocol, event).has(key));
  return types.filter((type) => withKey.some((event) => event.type === type));
}

/** Finds the block that the event names, if it is in force. */
function findNamedBlock(until: Block["until"], ...body: m.Statement[]): m.Statement[] {
  if (until?.key === undefined) return [];
  const id = m.payload(until.key);
  const owner = OWNERS.row("owner", id);
  const block = BLOCKS.row("block", owner.cells.value, id);
  return [owner.find(block.find(m.when(block.exists, ...body)))];
}

/** Removes the block that the event lifts, and the expired ones before it. Without a key, it removes all blocks. */
function liftBlocks(until: Block["until"]): m.Statement[] {
  if (until?.key === undefined) return [BLOCKS.clear()];
  const [owner, block, other] = [OWNERS.row("owner"), BLOCKS.row("block"), BLOCKS.row("other")];
  const dropExpired = other.eachOf(
    owner.cells.value,
    m.when(m.equal(other.key, block.key), m.STOP),
    m.when(m.present(other.cells.isExpired), other.drop),
  );
  return findNamedBlock(until, ...(until.expiry === undefined ? [] : [dropExpired]), block.drop, owner.drop);
}
