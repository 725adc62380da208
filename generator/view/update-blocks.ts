/** Adds an event to its block, by the role of its type. */
import type { ApprovalRole, NoticeRole, Role, TextRole, Tone, ToolRole } from "../protocol/view-roles.js";
import type {
  ApprovalBlock,
  Block,
  BlockBase,
  ChangingBlock,
  EventPosition,
  Output,
  TextBlock,
  ToolBlock,
} from "./block.js";
import {
  collectFacts,
  type Fields,
  formatLabel,
  getValueAt,
  readNumber,
  selectFacts,
  toText,
} from "./payload.js";

/** The blocks that may still change. */
export interface ViewState {
  /** Fields that show that a call failed. */
  readonly failed: readonly string[];
  /** The id of the next block. */
  nextId: number;
  /** The blocks of calls and approvals by stream, kind and key. The oldest are removed when there are too many. */
  readonly changingBlocks: Map<string, ToolBlock | ApprovalBlock>;
  /** The blocks of `changingBlocks` that have not ended. */
  readonly openBlocks: Set<ToolBlock | ApprovalBlock>;
  /** Texts that may get more pieces, by stream, then by the key that `createTextKey` returns. */
  readonly texts: Map<string, Map<string, TextBlock>>;
  /** The last complete text of each stream. */
  readonly lastTexts: Map<string, TextBlock>;
}

/** An event with its position and its payload. */
export interface Occurrence extends EventPosition {
  readonly summary: string;
  readonly event: Fields;
  readonly payload: Fields;
}

/** Returns the blocks that the event changes. The last one shows the event. If `role` is undefined, the event type is unknown. */
export function applyEvent(state: ViewState, occurrence: Occurrence, role: Role | undefined): Block[] {
  const ended = endTexts(state, occurrence.stream, role);
  const block = updateBlock(state, occurrence, role);
  const call = block.kind === "approval" ? rejectCall(state, block) : undefined;
  return call === undefined ? [...ended, block] : [...ended, call, block];
}

/** Ends the calls and approvals that are open, of one stream or of all. Returns those that change. */
export function endOpenBlocks(
  { openBlocks }: ViewState,
  stream: string | undefined,
): (ToolBlock | ApprovalBlock)[] {
  const ended = [...openBlocks].filter((block) => stream === undefined || block.stream === stream);
  for (const block of ended) {
    openBlocks.delete(block);
    setState(block, block.kind === "tool" ? "no end recorded" : "no answer recorded", "plain");
  }
  return ended;
}

function updateBlock(state: ViewState, occurrence: Occurrence, role: Role | undefined): Block {
  const { payload, event } = occurrence;
  switch (role?.as) {
    case undefined:
      return { kind: "unknown", ...createBlockBase(state, occurrence), value: event };
    case "text":
      return updateTextBlock(state, occurrence, role);
    case "tool":
      return (
        updateToolBlock(state, occurrence, role) ?? createNoticeBlock(state, occurrence, { as: "notice" })
      );
    case "approval":
      return (
        updateApprovalBlock(state, occurrence, role) ?? createNoticeBlock(state, occurrence, { as: "notice" })
      );
    case "gap":
      return {
        kind: "gap",
        ...createBlockBase(state, occurrence),
        first: readNumber(payload, role.first),
        last: readNumber(payload, role.last),
        facts: collectFacts(payload),
      };
    case "notice":
    case "cost":
      return createNoticeBlock(state, occurrence, role);
  }
}

/** Returns the members that all blocks have, for a new block. */
export function createBlockBase(
  state: ViewState,
  { stream, sequence, type, time, late }: EventPosition,
): BlockBase {
  return { id: state.nextId++, stream, sequence, type, time, late };
}

function createNoticeBlock(state: ViewState, occurrence: Occurrence, role: NoticeRole): Block {
  const { as, tone = "plain", facts } = role;
  const { summary, payload, type } = occurrence;
  return {
    kind: as,
    ...createBlockBase(state, occurrence),
    label: formatLabel(type),
    summary,
    tone,
    facts: facts ? selectFacts(payload, facts) : collectFacts(payload),
  };
}

/**
 * Ends texts before an event: all texts of the stream if the role ends them, otherwise the texts without a key, except the
 * text that the event continues.
 */
function endTexts({ texts }: ViewState, stream: string, role: Role | undefined): TextBlock[] {
  const openTexts = texts.get(stream);
  // An unknown event may or may not end texts, so it ends none.
  if (openTexts === undefined || role === undefined || ("aside" in role && role.aside)) return [];
  const endsAll = "endsTexts" in role && role.endsTexts;
  const continuesText = role.as === "text" && role.key === undefined && role.part;
  const continuedSpeaker = continuesText ? role.speaker : undefined;
  const ended = [...openTexts].filter(
    ([key, { speaker }]) => endsAll || (hasNoKey(key, speaker) && speaker !== continuedSpeaker),
  );
  for (const [key, text] of ended) {
    text.open = false;
    openTexts.delete(key);
  }
  if (openTexts.size === 0) texts.delete(stream);
  return ended.map(([, text]) => text);
}

/** Returns the key of a text among the open texts of its stream: the speaker, if the role has no key. */
function createTextKey({ speaker, key = [] }: TextRole, payload: Fields): string {
  if (key.length === 0) return speaker;
  return JSON.stringify([speaker, ...key.map((field) => getValueAt(payload, field))]);
}

/** Returns whether `createTextKey` returned this key for a role without a key. */
function hasNoKey(textKey: string, speaker: string): boolean {
  return textKey === speaker;
}

function updateTextBlock(state: ViewState, occurrence: Occurrence, role: TextRole): TextBlock {
  const { speaker, part = false, echo = false } = role;
  const { stream, payload } = occurrence;
  const text = toText(getValueAt(payload, role.field) ?? "");
  const previous = state.lastTexts.get(stream);
  if (echo && previous?.text === text) return previous;
  const openTexts = state.texts.get(stream) ?? new Map<string, TextBlock>();
  const textKey = createTextKey(role, payload);
  const block: TextBlock = openTexts.get(textKey) ?? {
    kind: "text",
    ...createBlockBase(state, occurrence),
    speaker,
    text: "",
    open: true,
  };
  block.text = part ? block.text + text : text;
  block.open = part;
  if (part) openTexts.set(textKey, block);
  else openTexts.delete(textKey);
  if (openTexts.size > 0) putLast(state.texts, stream, openTexts);
  else state.texts.delete(stream);
  if (!part) putLast(state.lastTexts, stream, block);
  return block;
}

/** Returns the block of the call or approval that an event names, and creates it if needed. Undefined if the event names none. */
function findOrCreateBlock<B extends ToolBlock | ApprovalBlock>(
  state: ViewState,
  occurrence: Occurrence,
  { as, key: field }: ToolRole | ApprovalRole,
  createMembers: (key: string) => Omit<B, keyof ChangingBlock>,
): B | undefined {
  const key = getValueAt(occurrence.payload, field);
  if (typeof key !== "string" || key === "") return undefined;
  const name = JSON.stringify([occurrence.stream, as, key]);
  const block = (state.changingBlocks.get(name) ?? {
    ...createBlockBase(state, occurrence),
    ...createMembers(key),
    key,
    state: "",
    tone: "open",
    facts: {},
  }) as B;
  putLast(state.changingBlocks, name, block);
  return block;
}

/** Adds a block to the open blocks, or removes it if it has ended. */
function updateOpenBlocks({ openBlocks }: ViewState, block: ToolBlock | ApprovalBlock): void {
  if (block.tone !== "open") openBlocks.delete(block);
  else if (openBlocks.size < MAX_REMEMBERED) openBlocks.add(block);
}

/** Passes the state of a rejected approval to the call that waits for it. Returns the call if it changes. */
function rejectCall(state: ViewState, approval: ApprovalBlock): ToolBlock | undefined {
  if (approval.tone !== "bad" || approval.call === undefined) return undefined;
  const call = state.changingBlocks.get(JSON.stringify([approval.stream, "tool", approval.call]));
  if (call?.kind !== "tool" || call.tone !== "open") return undefined;
  setState(call, approval.state, "bad");
  state.openBlocks.delete(call);
  return call;
}

function updateToolBlock(state: ViewState, occurrence: Occurrence, role: ToolRole): ToolBlock | undefined {
  const block = findOrCreateBlock<ToolBlock>(state, occurrence, role, () => ({
    kind: "tool",
    name: "",
    input: undefined,
    output: [],
  }));
  if (!block) return undefined;
  fillToolBlock(block, role, occurrence.payload, state.failed);
  updateOpenBlocks(state, block);
  return block;
}

function fillToolBlock(block: ToolBlock, role: ToolRole, payload: Fields, failed: readonly string[]): void {
  const { channel, channelName = "output", offset, state, tone = "plain", stateField } = role;
  const name = getValueAt(payload, role.name);
  const input = getValueAt(payload, role.input) ?? undefined;
  const chunk = getValueAt(payload, role.output) ?? undefined;
  if (typeof name === "string" && name !== "") block.name = name;
  if (input !== undefined) block.input = toText(input);
  if (chunk !== undefined) {
    const outputChannel = toText(getValueAt(payload, channel) ?? channelName);
    addOutput(block.output, outputChannel, toText(chunk), readNumber(payload, offset));
  }
  const ownState = getValueAt(payload, stateField);
  if (typeof ownState === "string") setState(block, ownState);
  else if (state !== undefined) setState(block, state, tone);
  if (block.tone !== "open" && failed.some((field) => isFailure(getValueAt(payload, field)))) {
    // A state that promises success would contradict the failure.
    if (block.tone === "good") block.state = "failed";
    block.tone = "bad";
  }
  addFacts(block, payload, role.facts, [role.key, role.name, role.input, role.output, stateField]);
}

/** Returns whether a value shows that a call failed: a text that is not empty, a number other than 0, or `true`. */
function isFailure(value: unknown): boolean {
  return ["string", "number", "boolean"].includes(typeof value) && Boolean(value);
}

/** The tones of states that events name themselves; other states have no tone. */
const TONES: ReadonlyMap<string, Tone> = new Map<string, Tone>([
  ["approved", "good"],
  ["rejected", "bad"],
  ["denied", "bad"],
  ["queued", "open"],
  ["running", "open"],
  ["exited", "good"],
  ["cancelled", "bad"],
  ["failed", "bad"],
]);

function setState(block: ChangingBlock, state: string, tone = TONES.get(state) ?? "plain"): void {
  block.state = state;
  block.tone = tone;
}

/** Adds the declared facts of an event to a block. By default, adds all fields but those in `omitted`. */
function addFacts(
  block: ChangingBlock,
  payload: Fields,
  declared: readonly string[] | undefined,
  omitted: readonly (string | undefined)[],
): void {
  const newFacts = declared ? selectFacts(payload, declared) : collectFacts(payload, omitted);
  block.facts = { ...block.facts, ...newFacts };
}

function updateApprovalBlock(
  state: ViewState,
  occurrence: Occurrence,
  role: ApprovalRole,
): ApprovalBlock | undefined {
  const { payload } = occurrence;
  const { key, subject = [], stateField } = role;
  const block = findOrCreateBlock<ApprovalBlock>(state, occurrence, role, (id) => ({
    kind: "approval",
    call: undefined,
    subject: id,
  }));
  if (!block) return undefined;
  const subjectValue = subject
    .map((path) => getValueAt(payload, path))
    .find((value) => value !== undefined && value !== "");
  if (subjectValue !== undefined) block.subject = toText(subjectValue);
  const call = getValueAt(payload, role.call);
  if (typeof call === "string" && call !== "") block.call = call;
  const ownState = getValueAt(payload, stateField);
  if (typeof ownState === "string" && ownState !== "") setState(block, ownState);
  else setState(block, role.state, role.tone ?? "plain");
  addFacts(block, payload, role.facts, [key, ...subject, "status", stateField]);
  updateOpenBlocks(state, block);
  return block;
}

/** The largest number of blocks and streams that are remembered. */
const MAX_REMEMBERED = 10_000;

/** Puts an entry last. Beyond the limit, removes the oldest one. */
function putLast<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= MAX_REMEMBERED) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}

/** The number of characters at the end of a long output that are always kept. */
export const MIN_OUTPUT_LENGTH = 64 * 1024;

/** The largest number of outputs of a call. The oldest are removed beyond it. */
const MAX_OUTPUTS = 200;

const ENCODER = new TextEncoder();

/** The number of bytes of each channel that have arrived or are known to be missing, by the outputs of the call. */
const byteCounts = new WeakMap<Output[], Map<string, number>>();

/** Returns the number of bytes that are missing before a piece at `offset`, and remembers where the next piece begins. */
function countMissingBytes(output: Output[], channel: string, piece: string, offset: number): number {
  const countByChannel = byteCounts.get(output) ?? new Map<string, number>();
  byteCounts.set(output, countByChannel);
  const expected = countByChannel.get(channel) ?? 0;
  countByChannel.set(channel, Math.max(expected, offset + ENCODER.encode(piece).length));
  return Math.max(0, offset - expected);
}

/**
 * Adds a piece to the last output if that has the same channel and no bytes are missing in between. Otherwise begins another
 * output. `offset` is the number of bytes of the channel before the piece.
 */
export function addOutput(output: Output[], channel: string, piece: string, offset?: number): void {
  const missing = offset === undefined ? 0 : countMissingBytes(output, channel, piece, offset);
  const last = output.at(-1);
  const target =
    last?.channel === channel && missing === 0 ? last : { channel, text: "", dropped: 0, missing };
  if (target !== last) output.push(target);
  target.text += piece;
  if (target.text.length > 2 * MIN_OUTPUT_LENGTH) {
    const droppedLength = target.text.length - MIN_OUTPUT_LENGTH;
    target.text = target.text.slice(droppedLength).toWellFormed();
    target.dropped += droppedLength;
  }
  if (output.length > MAX_OUTPUTS) output.splice(0, output.length - MAX_OUTPUTS);
}
