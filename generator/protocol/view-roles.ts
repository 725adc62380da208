/**
 * The types of the member `view` of protocol.json, which gives event types roles. The page of `accrete serve` and
 * `accrete replay` show events by their roles. Roles name fields of payloads; `/` separates the names of a path.
 */
import type { StreamRules } from "./stream-rules.js";

/** The rating of a state; `open` is the state of something that has not ended. */
export type Tone = "plain" | "open" | "good" | "bad";

/** The role of events with a text, or with a part of one. */
export interface TextRole {
  readonly as: "text";
  readonly speaker: "user" | "assistant" | "thinking";
  readonly field: string;
  /** True if the field holds a part of the text instead of all of it. */
  readonly part?: boolean;
  /** The fields that distinguish the texts of a stream. Without a key, any other event ends a text. */
  readonly key?: readonly string[];
  /** True if the event may repeat the text before it. A repeated text is shown once. */
  readonly echo?: boolean;
}

/** The role of events about a tool call, or about something else that runs. */
export interface ToolRole {
  readonly as: "tool";
  readonly key: string;
  readonly name?: string;
  readonly input?: string;
  readonly output?: string;
  /** The field with the channel of the output. */
  readonly channel?: string;
  /** The channel of the output, if no field names it. */
  readonly channelName?: string;
  /** The field with the number of bytes of the channel before the output. */
  readonly offset?: string;
  /** True if the output of the call starts again at the event. */
  readonly restarts?: boolean;
  /** The state of the call after the event, if no field holds it. */
  readonly state?: string;
  readonly tone?: Tone;
  /** The field with the state. */
  readonly stateField?: string;
  /** The fields that are shown; by default all that the role does not name. */
  readonly facts?: readonly string[];
}

/** The role of events with a question to a person, or with its answer. */
export interface ApprovalRole {
  readonly as: "approval";
  readonly key: string;
  /** The field with the id of the call that waits for the answer. */
  readonly call?: string;
  /** Fields with the question. The first that has a value is shown. */
  readonly subject?: readonly string[];
  readonly state: string;
  readonly tone?: Tone;
  readonly stateField?: string;
  /** The fields that are shown; by default all that the role does not name. */
  readonly facts?: readonly string[];
}

/** The role of events that state which events are missing. */
interface GapRole {
  readonly as: "gap";
  readonly first?: string;
  readonly last?: string;
}

/** The role of all other events. */
export interface NoticeRole {
  readonly as: "notice" | "cost";
  readonly tone?: Tone;
  /** The fields that are shown; by default all. */
  readonly facts?: readonly string[];
  /** True if the event ends all texts of the stream. */
  readonly endsTexts?: boolean;
  /** True if the texts before the event continue after it. */
  readonly aside?: boolean;
  /** The boundary of a turn of the model that the event marks. */
  readonly turn?: "start" | "end";
  /** The field with the number or the id of the turn. Without it, the turns of a stream follow each other. */
  readonly key?: string;
  /** The fields with the totals of the run so far. */
  readonly totals?: Totals;
}

/** The paths of the fields that hold the totals of a run. */
interface Totals {
  readonly cost?: string;
  readonly inputTokens?: string;
  readonly outputTokens?: string;
}

/** The role of an event type. */
export type Role = TextRole | ToolRole | ApprovalRole | GapRole | NoticeRole;

/** The roles of the event types of a protocol. */
export interface ViewDeclaration {
  /** Roles by event type. A name that ends with `*` stands for all types that begin so and have no role of their own. */
  readonly roles: { readonly [type: string]: Role };
  /** Fields that show that a call failed: by a text that is not empty, a number other than 0, or `true`. */
  readonly failed?: readonly string[];
}

/** The roles of the event types, with what the stream rules add to them. */
export interface ResolvedView extends ViewDeclaration {
  /** The event types that end a run. */
  readonly ends?: readonly string[];
  /** The payload fields that list what was masked before an event was written. */
  readonly masks?: { readonly keys: string; readonly paths: string };
}

/** The parts of a protocol that decide how its events are shown. */
export interface ViewSource {
  readonly view?: ViewDeclaration;
  readonly stream?: { readonly rules?: StreamRules };
}

/** Returns how events are shown: as declared, or as the stream rules suggest. */
export function chooseView({ view, stream }: ViewSource): ResolvedView {
  const rules = stream?.rules ?? {};
  const chosen = view ?? { roles: deriveRoles(rules), failed: ["error", "exit_code"] };
  const ends = rules.terminal?.types;
  const { keys, paths } = rules.redactions ?? {};
  const masks = keys !== undefined && paths !== undefined && { masks: { keys, paths } };
  return { ...chosen, roles: addOffsets(chosen.roles, rules), ...(ends && { ends }), ...masks };
}

/** Returns the role of an event type: its own, or that of the first family to which it belongs. */
export function findRole(roles: ViewDeclaration["roles"], type: string): Role | undefined {
  if (Object.hasOwn(roles, type)) return roles[type];
  const family = Object.keys(roles).find((name) => name.endsWith("*") && type.startsWith(name.slice(0, -1)));
  return family === undefined ? undefined : roles[family];
}

/** Adds what the stream rules say about output: the fields with offsets, and the event types at which output starts again. */
function addOffsets(
  roles: ViewDeclaration["roles"],
  { offsets = [] }: StreamRules,
): ViewDeclaration["roles"] {
  const added = offsets.flatMap(({ type, data, offset, start = [] }) => {
    const role = roles[type];
    if (role?.as !== "tool" || role.output !== data) return [];
    const restarts = start.flatMap((each) => {
      const own = findRole(roles, each);
      return own?.as === "tool" && own.key === role.key ? [[each, { restarts: true, ...own }] as const] : [];
    });
    return [[type, { offset, ...role }] as const, ...restarts];
  });
  return { ...roles, ...Object.fromEntries(added) };
}

/** Derives roles from stream rules: of texts, of things that start and end, of their output, and of gaps. */
function deriveRoles({ gaps = [], lifecycles = [], offsets = [], texts = [] }: StreamRules) {
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
