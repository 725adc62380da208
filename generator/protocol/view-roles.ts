/**
 * What event types are to somebody who watches a stream: the member `view` of protocol.json. The page of `accrete serve`
 * and `accrete replay` show events by it. Fields are those of payloads; `/` leads into objects and lists.
 */
import type { StreamRules } from "./stream-rules.js";

/** How something went; `open` waits for more. */
export type Tone = "plain" | "open" | "good" | "bad";

/** A text, whole or a piece of it. */
export interface TextRole {
  readonly as: "text";
  readonly speaker: "user" | "assistant" | "thinking";
  readonly field: string;
  /** The field is a piece of the text instead of all of it. */
  readonly part?: boolean;
  /** The fields that distinguish texts of a stream; without it, a text ends where something else begins. */
  readonly key?: readonly string[];
  /** It may repeat the text before it. */
  readonly echo?: boolean;
}

/** A part of a tool call's life, or of another thing that runs. */
export interface ToolRole {
  readonly as: "tool";
  readonly key: string;
  readonly name?: string;
  readonly input?: string;
  readonly output?: string;
  /** The field with the output's channel; or the channel itself. */
  readonly channel?: string;
  readonly channelName?: string;
  readonly state?: string;
  readonly tone?: Tone;
  /** The field with the state. */
  readonly stateField?: string;
  /** The fields that are shown; all others unless given. */
  readonly facts?: readonly string[];
}

/** A question to a person, or its answer. */
export interface ApprovalRole {
  readonly as: "approval";
  readonly key: string;
  /** The field with the id of the call that waits for the answer. */
  readonly call?: string;
  /** Fields with the question; the first that has a value counts. */
  readonly subject?: readonly string[];
  readonly state: string;
  readonly tone?: Tone;
  readonly stateField?: string;
  /** The fields that are shown; all others unless given. */
  readonly facts?: readonly string[];
}

/** A marker for events that are gone. */
export interface GapRole {
  readonly as: "gap";
  readonly first?: string;
  readonly last?: string;
}

/** Anything else. */
export interface NoticeRole {
  readonly as: "notice" | "cost";
  readonly tone?: Tone;
  /** The fields that are shown; all unless given. */
  readonly facts?: readonly string[];
  /** Texts of the stream end here. */
  readonly endsTexts?: boolean;
  /** It comes in between without ending anything. */
  readonly aside?: boolean;
}

export type Role = TextRole | ToolRole | ApprovalRole | GapRole | NoticeRole;

/** How events of a protocol are shown. */
export interface ViewDeclaration {
  /** Roles by event type. A name that ends with `*` stands for all types that begin so and have no role of their own. */
  readonly roles: { readonly [type: string]: Role };
  /** Fields that show that a call failed: by a text that is not empty, a number other than 0, or `true`. */
  readonly failed?: readonly string[];
}

/** What the roles of a protocol follow from. */
export interface Viewed {
  readonly view?: ViewDeclaration;
  readonly stream?: { readonly rules?: StreamRules };
}

/** Returns how events are shown: as declared, or as the stream rules suggest. */
export function viewOf({ view, stream }: Viewed): ViewDeclaration {
  return view ?? { roles: rolesOfRules(stream?.rules ?? {}), failed: ["error", "exit_code"] };
}

/** Roles that follow from stream rules: texts, things with a life and an output, markers of gaps. */
function rolesOfRules({ gaps = [], lifecycles = [], offsets = [], texts = [] }: StreamRules) {
  const roles: { [type: string]: Role } = {};
  for (const { key, start, end } of lifecycles) {
    for (const type of start) roles[type] = { as: "tool", key, state: "running", tone: "open" };
    for (const type of end) roles[type] = { as: "tool", key, state: "ended", tone: "good" };
  }
  for (const { type, key, data } of offsets)
    roles[type] = { as: "tool", key: key[0], output: data, channel: key[1], facts: [] };
  for (const { delta, part, whole, text, key } of texts) {
    roles[delta] = { as: "text", speaker: "assistant", field: part, part: true, key };
    roles[whole] = { as: "text", speaker: "assistant", field: text, key };
  }
  for (const { type, first, last } of gaps)
    roles[type] = { as: "gap", ...(first !== undefined && { first }), ...(last !== undefined && { last }) };
  return roles;
}
