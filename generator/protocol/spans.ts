/** Lists the things that begin and end in a stream, as the stream rules and the roles of event types declare them. */
import type { Protocol } from "./protocol.js";
import { chooseView, findRole } from "./view-roles.js";

/** Things of one kind, such as tool calls. An event that begins one and the next event that ends one belong together. */
export interface Span {
  /** The noun for the thing in the words of the protocol, such as `tool_call`. */
  readonly name: string;
  /** The paths of the payload fields that are equal in both events. Without any, things of a stream follow each other. */
  readonly keys: readonly string[];
  readonly start: readonly string[];
  readonly end: readonly string[];
}

/** Returns the turns, the things with a lifecycle, and the pairs. */
export function listSpans(protocol: Protocol): readonly Span[] {
  const { lifecycles = [], pairs = [] } = protocol.stream?.rules ?? {};
  return [
    ...listTurns(protocol),
    ...lifecycles.map(({ key, start, end }) => ({ name: nameThing(key), keys: [key], start, end })),
    ...pairs.map(({ open, close, same = [] }) => ({ name: open, keys: same, start: [open], end: [close] })),
  ];
}

/** Returns the turns of the model, which event types with the role of their beginning and end mark. */
function listTurns(protocol: Protocol): readonly Span[] {
  const { roles } = chooseView(protocol);
  const marks = protocol.events.flatMap(({ type }) => {
    const role = findRole(roles, type);
    return role !== undefined && "turn" in role ? [{ type, turn: role.turn, key: role.key }] : [];
  });
  const listTypes = (turn: "start" | "end"): readonly string[] =>
    marks.filter((mark) => mark.turn === turn).map(({ type }) => type);
  const [start, end] = [listTypes("start"), listTypes("end")];
  if (start.length === 0 || end.length === 0) return [];
  const [key] = marks.map((mark) => mark.key);
  const hasKey = key !== undefined && marks.every((mark) => mark.key === key);
  return [{ name: "turn", keys: hasKey ? [key] : [], start, end }];
}

/** Returns the noun for a thing from the name of the field with its id. */
function nameThing(key: string): string {
  return key.replace(/[_.-]?ids?$/i, "") || key;
}
