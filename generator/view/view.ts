/**
 * The reference consumer's state: deliveries of `accrete/stream` in, blocks to show out. It never throws, keeps nothing
 * of events that it has shown, and remembers a bounded number of texts, calls and approvals that may still change.
 */
import type { Role, ViewDeclaration } from "../protocol/view-roles.js";
import type { Delivery, First } from "../stream/delivery.js";
import type { Block, FaultBlock, GapBlock } from "./block.js";
import { drawEvent, type Memory, type Occurrence } from "./draw.js";
import { type Fields, payloadOf, type ViewProtocol } from "./payload.js";

/** Turns deliveries into blocks. */
export interface View {
  /**
   * The blocks that are new or changed, oldest first; none for what was delivered before. The last one is where the
   * event itself is shown.
   */
  take(delivery: Delivery<unknown, unknown>): readonly Block[];
  /** The blocks that change because nothing more will come. */
  end(): readonly Block[];
}

/** A view that has shown nothing. */
export function createView(protocol: ViewProtocol): View {
  const { failed = [] } = protocol.view ?? {};
  const memory: Memory = { failed, next: 1, known: new Map(), texts: new Map(), last: new Map() };
  const roleOf = roleFinder(protocol.view ?? { roles: {} });
  const take = (delivery: Delivery<unknown, unknown>): readonly Block[] => {
    if (delivery.kind === "duplicate") return [];
    if (delivery.kind === "invalid") {
      const [issue] = delivery.issues;
      const problem = issue ? `${issue.pointer} ${issue.message}`.trim() : "is not an event";
      return [faultOf(memory, "", undefined, "invalid", problem, delivery.value)];
    }
    const { event, stream, sequence } = delivery as typeof delivery & { readonly event: Fields };
    const type = String(event[protocol.envelope.discriminator]);
    if (delivery.kind === "conflict")
      return [faultOf(memory, stream, sequence, type, "has the id of another event", event)];
    const known =
      delivery.kind === "event" || (delivery.kind === "late" && Object.hasOwn(protocol.metadata, type));
    const role = known ? roleOf(type) : undefined;
    const summary = known ? (protocol.metadata[type]?.summary ?? type) : type;
    const late = delivery.kind === "late";
    const time = timeOf(protocol, event);
    const occurrence: Occurrence = { stream, sequence, type, time, late, summary, event };
    const payload = payloadOf(protocol, event);
    // Created first, because it stands before the event. An event that covers the whole gap is shown alone.
    const hole = delivery.kind === "late" ? undefined : holeOf(memory, occurrence, delivery);
    const drawn = drawEvent(memory, occurrence, role, payload);
    return hole && !tells(drawn.at(-1), hole) ? [hole, ...drawn] : drawn;
  };
  return { take, end: () => endTexts(memory) };
}

function endTexts(memory: Memory): readonly Block[] {
  const open = [...memory.texts.values()].flatMap((texts) => [...texts.values()]);
  memory.texts.clear();
  for (const text of open) text.open = false;
  return open;
}

/** Whether a block covers all numbers of a gap. */
function tells(block: Block | undefined, { first, last = Number.POSITIVE_INFINITY }: GapBlock): boolean {
  if (block?.kind !== "gap" || block.first === undefined || block.last === undefined) return false;
  return block.first <= (first ?? block.first) && block.last >= last;
}

/** The numbers that were skipped before an event. */
function holeOf(memory: Memory, place: Occurrence, { gap }: First): GapBlock | undefined {
  if (gap === undefined) return undefined;
  const { stream, sequence, time } = place;
  const first = gap.after === undefined ? undefined : gap.after + 1;
  const shared = { id: memory.next++, stream, sequence, type: "", time, late: false };
  return { ...shared, kind: "gap", first, last: gap.before - 1, facts: [] };
}

function faultOf(
  memory: Memory,
  stream: string,
  sequence: number | undefined,
  type: string,
  problem: string,
  value: unknown,
): FaultBlock {
  return {
    ...{ kind: "fault", id: memory.next++, stream, sequence, type, time: undefined, late: false },
    ...{ problem, value },
  };
}

function timeOf({ stream }: ViewProtocol, event: Fields): string | number | undefined {
  const time = stream?.time === undefined ? undefined : event[stream.time];
  return typeof time === "string" || typeof time === "number" ? time : undefined;
}

const NOTICE: Role = { as: "notice" };

/** Returns a function that gives the role of an event type; a type without a role is a notice. */
export function roleFinder({ roles }: ViewDeclaration): (type: string) => Role {
  const families = Object.keys(roles).filter((type) => type.endsWith("*"));
  return (type) => {
    if (Object.hasOwn(roles, type)) return roles[type] as Role;
    const family = families.find((prefix) => type.startsWith(prefix.slice(0, -1)));
    return family === undefined ? NOTICE : (roles[family] as Role);
  };
}
