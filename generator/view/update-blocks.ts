/** Adds an event to its block, by the role of its type. */
import type {
  ApprovalRole,
  NoticeRole,
  ResolvedView,
  Role,
  TextRole,
  Tone,
  ToolRole,
} from "../protocol/view-roles.js";
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
  /** The payload fields that list what was masked. */
  readonly masks: ResolvedView["masks"];
  /** The id of the next block. */
  nextId: number;
  /** The blocks of calls and approvals by stream, kind and key. The oldest are removed when there are too many. */
  readonly changingBlocks: Map<string, ToolBlock | ApprovalBlock>;
  /** The blocks of `changingBlocks` that have not ended. */
  readonly openBlocks: Set<ToolBlock | ApprovalBlock>;
  /** Texts that may get more pieces, by stream, then by the key that `createTextKey` returns. */
  readonly texts: Map<string, Map<string, TextBlock>>;
  /** The last complete text of each stream that repeats no other one. */
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
  // A text that may repeat another one is not repeated itself.
  if (!part && !echo) putLast(state.lastTexts, stream, block);
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

/** Returns the name of the call that waits for an approval, if an event has announced it. */
function findCallName(state: ViewState, { stream, call }: ApprovalBlock): string | undefined {
  const block = state.changingBlocks.get(JSON.stringify([stream, "tool", call]));
  return block?.kind === "tool" && block.name !== "" ? block.name : undefined;
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
  if (role.restarts && !occurrence.late) restartOutput(block);
  fillToolBlock(block, role, occurrence.payload, state);
  updateOpenBlocks(state, block);
  return block;
}

/** Removes the output of an earlier try of a call, which runs again. */
function restartOutput({ output }: ToolBlock): void {
  output.length = 0;
  byteCounts.delete(output);
}

function fillToolBlock(
  block: ToolBlock,
  role: ToolRole,
  payload: Fields,
  { failed, masks }: Pick<ViewState, "failed" | "masks">,
): void {
  const { channel, channelName = "output", offset, state, tone = "plain", stateField } = role;
  const name = getValueAt(payload, role.name);
  const input = getValueAt(payload, role.input) ?? undefined;
  const chunk = getValueAt(payload, role.output) ?? undefined;
  if (typeof name === "string" && name !== "") block.name = name;
  if (input !== undefined) block.input = toText(input);
  if (chunk !== undefined) {
    const outputChannel = toText(getValueAt(payload, channel) ?? channelName);
    const isMasked = masks !== undefined && listsField(payload, masks, role.output ?? "");
    addOutput(block.output, outputChannel, toText(chunk), { offset: readNumber(payload, offset), isMasked });
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

/** Returns whether a payload lists one of its fields as masked. */
function listsField(
  payload: Fields,
  { keys, paths }: NonNullable<ResolvedView["masks"]>,
  field: string,
): boolean {
  const lists = [keys, paths].flatMap((name) => {
    const list = getValueAt(payload, name);
    return Array.isArray(list) ? list : [];
  });
  return lists.includes(field) || lists.includes(`/${field}`);
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
  const call = getValueAt(payload, role.call);
  if (typeof call === "string" && call !== "") block.call = call;
  // The name of the call says more than its id.
  const name = subjectValue === call ? findCallName(state, block) : undefined;
  if (subjectValue !== undefined) block.subject = name ?? toText(subjectValue);
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

/** Where the next piece of a channel begins, and where the masked pieces before it began. */
interface ChannelEnd {
  readonly end: number;
  readonly maskedFrom?: number;
}

/** The ends of the channels, by the outputs of the call. */
const byteCounts = new WeakMap<Output[], Map<string, ChannelEnd>>();

/** A piece of output: the number of bytes of its channel before it, and whether a mask takes its place. */
interface PiecePlace {
  readonly offset: number | undefined;
  readonly isMasked: boolean;
}

/** Returns the numbers of bytes that are missing or masked before a piece, and remembers where the next piece begins. */
function countHiddenBytes(
  output: Output[],
  channel: string,
  piece: string,
  { offset, isMasked }: PiecePlace,
): { readonly missing: number; readonly masked: number } {
  if (offset === undefined) return { missing: 0, masked: 0 };
  const ends = byteCounts.get(output) ?? new Map<string, ChannelEnd>();
  byteCounts.set(output, ends);
  const { end, maskedFrom } = ends.get(channel) ?? { end: 0 };
  const next = Math.max(end, offset + ENCODER.encode(piece).length);
  // The bytes of a masked piece are not known before the next piece begins.
  ends.set(channel, isMasked ? { end: offset, maskedFrom: maskedFrom ?? offset } : { end: next });
  if (maskedFrom === undefined) return { missing: Math.max(0, offset - end), masked: 0 };
  return { missing: 0, masked: isMasked ? 0 : Math.max(0, offset - maskedFrom) };
}

/**
 * Adds a piece to the last output if that has the same channel and no bytes are missing or masked in between. Otherwise begins
 * another output.
 */
export function addOutput(
  output: Output[],
  channel: string,
  piece: string,
  place: PiecePlace = { offset: undefined, isMasked: false },
): void {
  const { missing, masked } = countHiddenBytes(output, channel, piece, place);
  const last = output.at(-1);
  const target =
    last?.channel === channel && missing === 0 && masked === 0
      ? last
      : { channel, text: "", dropped: 0, missing, ...(masked > 0 && { masked }) };
  if (target !== last) output.push(target);
  target.text += piece;
  if (target.text.length > 2 * MIN_OUTPUT_LENGTH) {
    const droppedLength = target.text.length - MIN_OUTPUT_LENGTH;
    target.text = target.text.slice(droppedLength).toWellFormed();
    target.dropped += droppedLength;
  }
  if (output.length > MAX_OUTPUTS) output.splice(0, output.length - MAX_OUTPUTS);
}
