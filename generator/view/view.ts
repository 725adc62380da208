/**
 * The state of the reference consumer, which the page of `accrete serve` and `accrete replay` show. It turns deliveries of
 * `accrete/stream` into blocks. It never throws, and remembers a bounded number of blocks that may still change.
 */
import type { Role, ViewDeclaration } from "../protocol/view-roles.js";
import type { Delivery, FirstArrival } from "../stream/delivery.js";
import type { Block, FaultBlock, GapBlock } from "./block.js";
import { createBlockBase, drawEvent, type Occurrence, type ViewState } from "./draw.js";
import { type Fields, readPayload, type ViewContract } from "./payload.js";

/** Turns deliveries into blocks. */
export interface View {
  /** Returns the blocks that are new or changed, oldest first; none for a redelivery. The last one shows the event. */
  take(delivery: Delivery<unknown, unknown>): readonly Block[];
  /** Returns the blocks that change because the stream has ended. */
  end(): readonly Block[];
}

/** Creates a view without blocks. */
export function createView(contract: ViewContract): View {
  const { failed = [] } = contract.view ?? {};
  const state: ViewState = {
    failed,
    nextId: 1,
    changingBlocks: new Map(),
    texts: new Map(),
    lastTexts: new Map(),
  };
  const findRole = createRoleFinder(contract.view ?? { roles: {} });
  const { discriminator } = contract.envelope;
  const take = (delivery: Delivery<unknown, unknown>): readonly Block[] => {
    if (delivery.kind === "duplicate") return [];
    if (delivery.kind === "invalid") {
      const [issue] = delivery.issues;
      const problem = issue ? `${issue.pointer} ${issue.message}`.trim() : "is not an event";
      const origin = { stream: "", sequence: undefined, type: "invalid" };
      return [createFault(state, origin, problem, delivery.value)];
    }
    const { event, stream, sequence } = delivery as typeof delivery & { readonly event: Fields };
    const type = String(event[discriminator]);
    if (delivery.kind === "conflict")
      return [createFault(state, { stream, sequence, type }, "has the id of another event", event)];
    const late = delivery.kind === "late";
    const occurrence: Occurrence = {
      stream,
      sequence,
      type,
      time: readTime(contract, event),
      late,
      event,
      summary: (delivery.known ? contract.metadata[type]?.summary : undefined) ?? type,
      payload: readPayload(contract, event),
    };
    // The block of the gap comes before the event, so it is created first. It is dropped if the event names the whole gap.
    const gap = delivery.kind === "late" ? undefined : createGap(state, occurrence, delivery);
    const blocks = drawEvent(state, occurrence, delivery.known ? findRole(type) : undefined);
    return gap && !isCoveringGap(blocks.at(-1), gap) ? [gap, ...blocks] : blocks;
  };
  return { take, end: () => endAllTexts(state) };
}

function endAllTexts({ texts }: ViewState): readonly Block[] {
  const open = [...texts.values()].flatMap((textsOfStream) => [...textsOfStream.values()]);
  texts.clear();
  for (const text of open) text.open = false;
  return open;
}

/** Returns whether a block covers all numbers of a gap. */
function isCoveringGap(
  block: Block | undefined,
  { first, last = Number.POSITIVE_INFINITY }: GapBlock,
): boolean {
  if (block?.kind !== "gap" || block.first === undefined || block.last === undefined) return false;
  return block.first <= (first ?? block.first) && block.last >= last;
}

/** Returns a block for the numbers that were skipped before an event. */
function createGap(state: ViewState, occurrence: Occurrence, { gap }: FirstArrival): GapBlock | undefined {
  if (gap === undefined) return undefined;
  const first = gap.after === undefined ? undefined : gap.after + 1;
  const base = createBlockBase(state, { ...occurrence, type: "", late: false });
  return { ...base, kind: "gap", first, last: gap.before - 1, facts: [] };
}

function createFault(
  state: ViewState,
  origin: Pick<Occurrence, "stream" | "sequence" | "type">,
  problem: string,
  value: unknown,
): FaultBlock {
  const base = createBlockBase(state, { ...origin, time: undefined, late: false });
  return { ...base, kind: "fault", problem, value };
}

function readTime({ stream }: ViewContract, event: Fields): string | number | undefined {
  const time = stream?.time === undefined ? undefined : event[stream.time];
  return typeof time === "string" || typeof time === "number" ? time : undefined;
}

const NOTICE: Role = { as: "notice" };

/** Returns a function that gives the role of an event type; a type without a role is a notice. */
export function createRoleFinder({ roles }: ViewDeclaration): (type: string) => Role {
  const families = Object.keys(roles).filter((type) => type.endsWith("*"));
  return (type) => {
    if (Object.hasOwn(roles, type)) return roles[type] as Role;
    const family = families.find((prefix) => type.startsWith(prefix.slice(0, -1)));
    return family === undefined ? NOTICE : (roles[family] as Role);
  };
}
