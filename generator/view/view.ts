/**
 * The state of the reference consumer, which the page of `accrete serve` and `accrete replay` show. It turns deliveries of
 * `accrete-client/stream` into blocks. It never throws, and remembers a bounded number of blocks that may still change.
 */
import type { Role, ViewDeclaration } from "../protocol/view-roles.js";
import type { Delivery, Gap } from "../stream/delivery.js";
import { readPosition } from "../stream/stream-key.js";
import type { Block, FaultBlock, GapBlock } from "./block.js";
import { type Fields, isFields, readPayload, type ViewContract } from "./payload.js";
import {
  applyEvent,
  createBlockBase,
  endOpenBlocks,
  type Occurrence,
  type ViewState,
} from "./update-blocks.js";

/** Turns deliveries into blocks. */
export interface View {
  /** Returns the blocks that are new or changed, the oldest first, or none for a redelivery. The last one shows the event. */
  take(delivery: Delivery<unknown, unknown>): readonly Block[];
  /** Returns the blocks that change because the stream has ended. */
  end(): readonly Block[];
}

/** Creates a view without blocks. */
export function createView(contract: ViewContract): View {
  const { failed = [], ends = [], masks } = contract.view ?? {};
  const state: ViewState = {
    failed,
    masks,
    nextId: 1,
    changingBlocks: new Map(),
    openBlocks: new Set(),
    texts: new Map(),
    lastTexts: new Map(),
  };
  const findRole = createRoleFinder(contract.view ?? { roles: {} });
  const { discriminator } = contract.envelope;
  const invalidNumbers = createNumberMemory();
  const take = (delivery: Delivery<unknown, unknown>): readonly Block[] => {
    if (delivery.kind === "duplicate") return [];
    if (delivery.kind === "invalid") {
      const [issue] = delivery.issues;
      const problem = issue ? `${issue.pointer} ${issue.message}`.trim() : "is not an event";
      const origin = readOrigin(contract, delivery.value);
      invalidNumbers.add(origin.stream, origin.sequence);
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
    // The blocks of gaps come before the event, so they are created first.
    const missingRanges = delivery.kind === "late" ? [] : invalidNumbers.subtract(stream, delivery.gap);
    const gaps = missingRanges.map((range) => createGap(state, occurrence, range));
    const blocks = applyEvent(state, occurrence, delivery.known ? findRole(type) : undefined);
    // The event itself may report the gap.
    const unreportedGaps = gaps.filter((gap) => !isCoveringGap(blocks.at(-1), gap));
    const ended = delivery.known && ends.includes(type) ? endOpenBlocks(state, stream) : [];
    return [...unreportedGaps, ...ended, ...blocks];
  };
  return { take, end: () => [...endAllTexts(state), ...endOpenBlocks(state, undefined)] };
}

/** Returns the stream, the number and the type of a value that is not a valid event, as far as they can be read. */
function readOrigin({ envelope, stream: fields }: ViewContract, value: unknown) {
  const { stream = "", sequence } = readPosition(fields, value);
  const type = isFields(value) ? value[envelope.discriminator] : undefined;
  return { stream, sequence, type: typeof type === "string" ? type : "invalid" };
}

/** A range of missing numbers. `first` is undefined if the stream begins with the range. */
interface MissingRange {
  readonly first: number | undefined;
  readonly last: number;
}

/** The largest number of invalid events that are remembered. */
const MAX_INVALID = 10_000;

/** Remembers the numbers of invalid events, which arrived and are not missing. */
function createNumberMemory() {
  const numbers = new Map<string, number[]>();
  let size = 0;
  return {
    add(stream: string, sequence: number | undefined): void {
      if (sequence === undefined || size >= MAX_INVALID) return;
      size++;
      numbers.set(
        stream,
        [...(numbers.get(stream) ?? []), sequence].sort((a, b) => a - b),
      );
    },
    /** Returns the ranges of a gap without the remembered numbers. */
    subtract(stream: string, gap: Gap | undefined): MissingRange[] {
      if (gap === undefined) return [];
      const ranges: MissingRange[] = [];
      // The first number of the next range; undefined if the stream begins with it.
      let first = gap.after === undefined ? undefined : gap.after + 1;
      for (const number of numbers.get(stream) ?? []) {
        if (number >= gap.before || number < (first ?? number)) continue;
        if (number > (first ?? 0)) ranges.push({ first, last: number - 1 });
        first = number + 1;
      }
      if (first === undefined || first < gap.before) ranges.push({ first, last: gap.before - 1 });
      return ranges;
    },
  };
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

/** Returns a block for numbers that were skipped before an event. */
function createGap(state: ViewState, occurrence: Occurrence, { first, last }: MissingRange): GapBlock {
  const base = createBlockBase(state, { ...occurrence, type: "", late: false });
  return { ...base, kind: "gap", first, last, facts: {} };
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

/** Creates a function that returns the role of an event type. An event type without a role is a notice. */
export function createRoleFinder({ roles }: ViewDeclaration): (type: string) => Role {
  const families = Object.keys(roles).filter((type) => type.endsWith("*"));
  return (type) => {
    if (Object.hasOwn(roles, type)) return roles[type] as Role;
    const family = families.find((prefix) => type.startsWith(prefix.slice(0, -1)));
    return family === undefined ? NOTICE : (roles[family] as Role);
  };
}
