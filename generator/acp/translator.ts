/** Translates the events of any protocol with a `view` into messages of the Agent Client Protocol. */
import type { Delivery } from "../stream/delivery.js";
import type { ApprovalBlock, Block, TextBlock, ToolBlock } from "../view/block.js";
import type { ViewContract } from "../view/payload.js";
import { createView } from "../view/view.js";
import { PERMISSION_OPTIONS } from "./decision.js";
import type { AcpChunk, AcpMessage, AcpToolFields, AcpToolKind, AcpToolStatus } from "./messages.js";

/** Turns deliveries of a reader into messages for an ACP client. */
export interface AcpTranslator {
  /** Returns the messages that show a delivery, in their order; none for a redelivery. */
  take(delivery: Delivery<unknown, unknown>): readonly AcpMessage[];
}

/** Options of a translator. */
export interface AcpOptions {
  /** Returns the ACP session of a stream. By default its id is the key of the stream. */
  readonly sessionOf?: (stream: string) => string;
  /** True to send the reasoning of models as thoughts. It is left out by default. */
  readonly showsReasoning?: boolean;
}

/** Creates a translator. It never throws, and it remembers as much as a view does: a bounded number of texts and calls. */
export function createAcpTranslator(contract: ViewContract, options: AcpOptions = {}): AcpTranslator {
  const { sessionOf = (stream) => stream, showsReasoning = false } = options;
  const view = createView(contract);
  const sent = createSentMemory();
  return {
    take: (delivery) =>
      view
        .take(delivery)
        .filter((block) => showsReasoning || block.kind !== "text" || block.speaker !== "thinking")
        .flatMap((block) => translate(block, sessionOf(block.stream) || "unknown", sent)),
  };
}

/** The greatest numbers of texts, of calls and of approvals that are remembered. */
const MAX_REMEMBERED = 10_000;

/** What the client has of each block that may still change. */
interface SentMemory {
  readonly texts: Map<number, { readonly text: string; readonly message: number }>;
  readonly calls: Map<number, AcpToolFields>;
  readonly approvals: Map<number, string>;
}

function createSentMemory(): SentMemory {
  return { texts: new Map(), calls: new Map(), approvals: new Map() };
}

function translate(block: Block, sessionId: string, sent: SentMemory): AcpMessage[] {
  switch (block.kind) {
    case "text":
      return translateText(block, sessionId, sent);
    case "tool":
      return translateCall(block, sessionId, sent);
    case "approval":
      return translateApproval(block, sessionId, sent);
    case "gap":
      return [
        createExtensionMessage(sessionId, block.type, "Events are missing", block.facts, pickRange(block)),
      ];
    case "notice":
    case "cost":
      return [createExtensionMessage(sessionId, block.type, block.summary, block.facts)];
    case "unknown":
      return [createExtensionMessage(sessionId, block.type, "An event of an unknown type", {}, block.value)];
    case "fault":
      return [createExtensionMessage(sessionId, block.type, block.problem, {}, block.value)];
  }
}

const SPEAKERS: { readonly [speaker in TextBlock["speaker"]]: AcpChunk["sessionUpdate"] } = {
  user: "user_message_chunk",
  assistant: "agent_message_chunk",
  thinking: "agent_thought_chunk",
};

/**
 * Sends the part that was added to a text. A text that changed in another way, because pieces of it were missed, is sent again
 * as another message.
 */
function translateText(
  { id, speaker, text }: TextBlock,
  sessionId: string,
  { texts }: SentMemory,
): AcpMessage[] {
  const previous = texts.get(id) ?? { text: "", message: 0 };
  if (text === previous.text) return [];
  const isExtended = text.startsWith(previous.text);
  const message = isExtended ? previous.message : previous.message + 1;
  remember(texts, id, { text, message });
  const content = { type: "text", text: isExtended ? text.slice(previous.text.length) : text } as const;
  const update: AcpChunk = { sessionUpdate: SPEAKERS[speaker], content, messageId: `${id}.${message}` };
  return [{ method: "session/update", params: { sessionId, update } }];
}

function translateCall(block: ToolBlock, sessionId: string, { calls }: SentMemory): AcpMessage[] {
  const fields = createToolFields(block);
  const previous = calls.get(block.id);
  remember(calls, block.id, fields);
  if (previous === undefined)
    return [
      { method: "session/update", params: { sessionId, update: { sessionUpdate: "tool_call", ...fields } } },
    ];
  // A call that runs again has no output yet, and says again that it is in progress.
  const isRestarted = previous.content !== undefined && fields.content === undefined;
  const current: AcpToolFields = isRestarted ? { ...fields, content: [] } : fields;
  const changedFields = Object.entries(current).filter(
    ([name, value]) =>
      (isRestarted && name === "status") ||
      JSON.stringify(value) !== JSON.stringify(previous[name as keyof AcpToolFields]),
  );
  if (changedFields.length === 0) return [];
  const update = {
    sessionUpdate: "tool_call_update",
    toolCallId: fields.toolCallId,
    ...Object.fromEntries(changedFields),
  } as const;
  return [{ method: "session/update", params: { sessionId, update } }];
}

function createToolFields({ key, name, state, tone, input, output, facts }: ToolBlock): AcpToolFields {
  const status = findStatus(tone, state, output.length > 0);
  // ACP has one status for all bad ends, so the content says which one it was.
  const texts = [
    ...output.map(({ text }) => text),
    ...(status === "failed" && state !== "failed" ? [state] : []),
  ];
  const content = texts.map((text) => ({ type: "content", content: { type: "text", text } }) as const);
  return {
    toolCallId: key,
    title: createTitle(name, input),
    kind: findKind(name),
    status,
    ...(input !== undefined && { rawInput: parseIfJson(input) }),
    ...(content.length > 0 && { content }),
    ...(hasEnded(tone) && { rawOutput: facts }),
  };
}

function hasEnded(tone: ToolBlock["tone"]): boolean {
  return tone === "good" || tone === "bad";
}

/** The longest input in a title, in characters. */
const TITLE_LENGTH = 120;

function createTitle(name: string, input: string | undefined): string {
  const title = name === "" ? "tool" : name;
  if (input === undefined || input.startsWith("{") || input.length > TITLE_LENGTH) return title;
  return `${title}: ${input}`;
}

/** Kinds by a word in the name of a tool; the first row that fits decides. */
const KINDS: readonly (readonly [words: RegExp, kind: AcpToolKind])[] = [
  [/shell|bash|exec|command|terminal|python|run|git/i, "execute"],
  [/search|grep|glob|find/i, "search"],
  [/fetch|http|url|browse|download/i, "fetch"],
  [/delete|remove|unlink/i, "delete"],
  [/move|rename/i, "move"],
  [/edit|write|patch|create|replace/i, "edit"],
  [/read|view|cat|open|list/i, "read"],
  [/todo|plan|think/i, "think"],
];

function findKind(name: string): AcpToolKind {
  return KINDS.find(([words]) => words.test(name))?.[1] ?? "other";
}

function findStatus(tone: ToolBlock["tone"], state: string, hasOutput: boolean): AcpToolStatus {
  if (tone === "bad") return "failed";
  if (tone === "good") return "completed";
  return hasOutput || /run|start|progress/i.test(state) ? "in_progress" : "pending";
}

function parseIfJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Asks for permission once, while the approval waits. The decision is a notice, because the client knows it or can no longer use it. */
function translateApproval(block: ApprovalBlock, sessionId: string, sent: SentMemory): AcpMessage[] {
  const { approvals } = sent;
  const { id, key, call, subject, state, tone, type } = block;
  if (approvals.get(id) === state) return [];
  remember(approvals, id, state);
  const facts = { ...block.facts, approval: key, state };
  if (tone !== "open") return [createExtensionMessage(sessionId, type, subject, facts)];
  const toolCall = { toolCallId: call ?? key, title: subject, status: "pending" } as const;
  const params = { sessionId, toolCall, options: PERMISSION_OPTIONS };
  return [{ method: "session/request_permission", params, approval: key }];
}

function createExtensionMessage(
  sessionId: string,
  type: string,
  summary: string,
  facts: { readonly [name: string]: string },
  event?: unknown,
): AcpMessage {
  const params = { sessionId, type, summary, facts, ...(event !== undefined && { event }) };
  return { method: "_accrete/event", params };
}

function pickRange({
  first,
  last,
}: {
  readonly first: number | undefined;
  readonly last: number | undefined;
}) {
  return { ...(first !== undefined && { first }), ...(last !== undefined && { last }) };
}

/** Puts an entry last and drops the oldest beyond the limit. */
function remember<K, V>(map: Map<K, V>, key: K, value: V): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= MAX_REMEMBERED) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}
