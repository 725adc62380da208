/** Puts one event into the block where it belongs, by its role. */
import type {
  ApprovalRole,
  GapRole,
  NoticeRole,
  Role,
  TextRole,
  Tone,
  ToolRole,
} from "../protocol/view-roles.js";
import type { ApprovalBlock, Block, Output, TextBlock, ToolBlock } from "./block.js";
import { asText, at, type Fields, factsAt, factsOf } from "./payload.js";

/** What may still change. */
export interface Memory {
  /** Fields that show that a call failed. */
  readonly failed: readonly string[];
  /** The id of the next block. */
  next: number;
  /** Calls and approvals by stream, role and key; the oldest go when there are too many. */
  readonly known: Map<string, ToolBlock | ApprovalBlock>;
  /** Texts that may get more pieces, by stream, then by key. */
  readonly texts: Map<string, Map<string, TextBlock>>;
  /** The last whole text of each stream. */
  readonly last: Map<string, TextBlock>;
}

/** An event and where it stands. */
export interface Occurrence {
  readonly stream: string;
  readonly sequence: number | undefined;
  readonly type: string;
  readonly time: string | number | undefined;
  readonly late: boolean;
  readonly summary: string;
  readonly event: Fields;
}

/** How many calls, approvals and streams are remembered. */
const REMEMBERED = 10_000;

/** The blocks that change, the one that shows the event last. Without a role the event is of an unknown type. */
export function drawEvent(
  memory: Memory,
  place: Occurrence,
  role: Role | undefined,
  payload: Fields,
): Block[] {
  const ended = endedTexts(memory, place.stream, role);
  return [...ended, draw(memory, place, role, payload)];
}

function draw(memory: Memory, place: Occurrence, role: Role | undefined, payload: Fields): Block {
  switch (role?.as) {
    case undefined:
      return { kind: "unknown", ...shared(memory, place), value: place.event };
    case "text":
      return drawText(memory, place, role, payload);
    case "tool":
      return drawTool(memory, place, role, payload) ?? notice(memory, place, { as: "notice" }, payload);
    case "approval":
      return drawApproval(memory, place, role, payload) ?? notice(memory, place, { as: "notice" }, payload);
    case "gap":
      return { kind: "gap", ...shared(memory, place), ...range(role, payload), facts: factsOf(payload) };
    case "notice":
    case "cost":
      return notice(memory, place, role, payload);
  }
}

function shared(memory: Memory, { stream, sequence, type, time, late }: Occurrence) {
  return { id: memory.next++, stream, sequence, type, time, late };
}

function notice(memory: Memory, place: Occurrence, role: NoticeRole, payload: Fields): Block {
  const { as, tone = "plain", facts } = role;
  const said = facts ? factsAt(payload, facts) : factsOf(payload);
  return { kind: as, ...shared(memory, place), summary: place.summary, tone, facts: said };
}

function range(
  { first, last }: GapRole,
  payload: Fields,
): { first: number | undefined; last: number | undefined } {
  return { first: numberAt(payload, first), last: numberAt(payload, last) };
}

function numberAt(payload: Fields, field: string | undefined): number | undefined {
  const value = field === undefined ? undefined : at(payload, field);
  return typeof value === "number" ? value : undefined;
}

/** Texts with a key last until their turn is over, those without one until something else happens. */
function endedTexts({ texts }: Memory, stream: string, role: Role | undefined): TextBlock[] {
  const open = texts.get(stream);
  // An unknown event is not known to end anything.
  if (open === undefined || role === undefined || ("aside" in role && role.aside)) return [];
  const all = "endsTexts" in role && role.endsTexts;
  const same = role.as === "text" && role.key === undefined && role.part ? role.speaker : undefined;
  const ended = [...open].filter(([key, { speaker }]) => all || (key === speaker && speaker !== same));
  for (const [key, text] of ended) {
    text.open = false;
    open.delete(key);
  }
  if (open.size === 0) texts.delete(stream);
  return ended.map(([, text]) => text);
}

function drawText(memory: Memory, place: Occurrence, role: TextRole, payload: Fields): TextBlock {
  const { speaker, key = [], part = false, echo = false } = role;
  const text = asText(at(payload, role.field) ?? "");
  const before = memory.last.get(place.stream);
  if (echo && before?.text === text) return before;
  const open = memory.texts.get(place.stream) ?? new Map<string, TextBlock>();
  const name =
    key.length === 0 ? speaker : JSON.stringify([speaker, ...key.map((field) => at(payload, field))]);
  const block: TextBlock = open.get(name) ?? {
    ...{ kind: "text", ...shared(memory, place), speaker, text: "", open: true },
  };
  block.text = part ? block.text + text : text;
  block.open = part;
  if (part) open.set(name, block);
  else open.delete(name);
  if (open.size > 0) remember(memory.texts, place.stream, open);
  else memory.texts.delete(place.stream);
  if (!part) remember(memory.last, place.stream, block);
  return block;
}

function drawTool(memory: Memory, place: Occurrence, role: ToolRole, payload: Fields): ToolBlock | undefined {
  const call = at(payload, role.key);
  if (typeof call !== "string" || call === "") return undefined;
  const key = JSON.stringify([place.stream, "tool", call]);
  const found = memory.known.get(key);
  const block: ToolBlock =
    found?.kind === "tool"
      ? found
      : {
          ...{ kind: "tool", ...shared(memory, place), key: call, name: "", state: "", tone: "open" },
          ...{ input: undefined, output: [], facts: new Map() },
        };
  remember(memory.known, key, block);
  changeTool(block, role, payload, memory.failed);
  return block;
}

function changeTool(block: ToolBlock, role: ToolRole, payload: Fields, failed: readonly string[]): void {
  const { name, input, output, channel, channelName = "output", state, tone = "plain" } = role;
  const { stateField, facts } = role;
  const named = name === undefined ? undefined : at(payload, name);
  if (typeof named === "string" && named !== "") block.name = named;
  const given = input === undefined ? undefined : at(payload, input);
  if (given !== undefined && given !== null) block.input = asText(given);
  const chunk = output === undefined ? undefined : at(payload, output);
  if (chunk !== undefined && chunk !== null)
    addOutput(
      block.output,
      channel === undefined ? channelName : asText(at(payload, channel) ?? channelName),
      asText(chunk),
    );
  const told = stateField === undefined ? undefined : at(payload, stateField);
  if (typeof told === "string") [block.state, block.tone] = [told, TONES.get(told) ?? "plain"];
  else if (state !== undefined) [block.state, block.tone] = [state, tone];
  if (block.tone !== "open" && failed.some((field) => isFailure(at(payload, field)))) block.tone = "bad";
  const left = [role.key, name, input, output, stateField].filter((field) => field !== undefined);
  const said = facts ? factsAt(payload, facts) : factsOf(payload, left);
  for (const [what, text] of said) block.facts.set(what, text);
}

/** Whether a value shows that a call failed: a text that is not empty, a number other than 0, or `true`. */
function isFailure(value: unknown): boolean {
  return (
    (typeof value === "string" && value !== "") ||
    (typeof value === "number" && value !== 0) ||
    value === true
  );
}

/** How states sound that events name themselves; others are shown without a tone. */
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

function drawApproval(
  memory: Memory,
  place: Occurrence,
  { key: field, call, subject = [], state, tone = "plain", stateField, facts }: ApprovalRole,
  payload: Fields,
): ApprovalBlock | undefined {
  const name = at(payload, field);
  if (typeof name !== "string" || name === "") return undefined;
  const key = JSON.stringify([place.stream, "approval", name]);
  const found = memory.known.get(key);
  const block: ApprovalBlock =
    found?.kind === "approval"
      ? found
      : {
          ...{ kind: "approval", ...shared(memory, place), key: name, call: undefined, subject: name },
          ...{ state: "", tone: "open", facts: new Map() },
        };
  remember(memory.known, key, block);
  const first = subject.map((path) => at(payload, path)).find((value) => value !== undefined && value !== "");
  if (first !== undefined) block.subject = asText(first);
  const caller = call === undefined ? undefined : at(payload, call);
  if (typeof caller === "string" && caller !== "") block.call = caller;
  const told = stateField === undefined ? undefined : at(payload, stateField);
  if (typeof told === "string" && told !== "") [block.state, block.tone] = [told, TONES.get(told) ?? "plain"];
  else [block.state, block.tone] = [state, tone];
  const left = [field, ...subject, "status", ...(stateField ? [stateField] : [])];
  const said = facts ? factsAt(payload, facts) : factsOf(payload, left);
  for (const [what, text] of said) block.facts.set(what, text);
  return block;
}

/** Puts an entry last and drops the oldest beyond the limit. */
function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= REMEMBERED) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}

/** How many characters of a channel are kept at least when there are more: the end matters most. */
export const OUTPUT_KEPT = 64 * 1024;

/** Adds a piece to the last output if it is of the same channel, or begins another. Costs no more than the piece. */
export function addOutput(output: Output[], channel: string, piece: string): void {
  const last = output.at(-1);
  const target = last?.channel === channel ? last : { channel, text: "", dropped: 0 };
  if (target !== last) output.push(target);
  target.text += piece;
  if (target.text.length > 2 * OUTPUT_KEPT) {
    const cut = target.text.length - OUTPUT_KEPT;
    target.text = target.text.slice(cut).toWellFormed();
    target.dropped += cut;
  }
  if (output.length > CHANGES) output.splice(0, output.length - CHANGES);
}

/** How often the channel may change before the beginning is left out. */
const CHANGES = 200;
