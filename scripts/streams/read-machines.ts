/**
 * Reads declarations of `machines` as docs/authoring-schemas.md describes them, without the machines that accrete makes of
 * them: keeps the state of each thing and says which events are refused. For streams in which no event is missing.
 */
import type { Json, JsonObject } from "../../generator/json.js";
import type {
  FieldValues,
  StateBan,
  StateChange,
  StateMachine,
} from "../../generator/protocol/stream-rules.js";

/** An event of one stream. */
export interface ReadEvent {
  readonly type: string;
  readonly payload: JsonObject;
}

/** What is known about a thing. */
interface Thing {
  /** Undefined if it is unknown. */
  state: string | undefined;
  hasMoved: boolean;
  /** The last values of the fields by which events are forbidden. */
  readonly values: Map<string, Json>;
}

/** Returns for each event whether the declaration refuses it. */
export function listRefusals(machine: StateMachine, events: readonly ReadEvent[]): boolean[] {
  const things = new Map<string, Thing>();
  const bans = machine.forbids ?? [];
  return events.map((event) => {
    const active = bans.filter((ban) => isForbidden(ban, event));
    let isRefused = [...things.values()].some(
      (thing) =>
        thing.hasMoved && active.some((ban) => ban.same !== machine.key && isBanned(thing, ban, event)),
    );
    for (const id of machine.key === undefined ? [""] : listIds(event.payload[machine.key])) {
      const thing = things.get(id) ?? { state: machine.initial, hasMoved: false, values: new Map() };
      things.set(id, thing);
      const isOwn = active.some(
        (ban) => ban.same === machine.key && thing.state !== undefined && ban.in.includes(thing.state),
      );
      const isFitting = moveThing(machine, thing, event);
      isRefused ||= isOwn || !isFitting;
    }
    return isRefused;
  });
}

function isForbidden({ types, except = [], when, has }: StateBan, event: ReadEvent): boolean {
  const covers = (name: string): boolean =>
    name === event.type || (name.endsWith("*") && event.type.startsWith(name.slice(0, -1)));
  const hasField = has === undefined || has.some((field) => event.payload[field] !== undefined);
  return types.some(covers) && !except.some(covers) && hasValues(event, when) && hasField;
}

function isBanned({ state, values }: Thing, { in: states, same }: StateBan, { payload }: ReadEvent): boolean {
  if (state === undefined || !states.includes(state)) return false;
  if (same === undefined) return true;
  const [value] = listIds(values.get(same));
  return !Array.isArray(values.get(same)) && value !== undefined && listIds(payload[same]).includes(value);
}

/** Changes the state of a thing. Returns false if no change fits. */
function moveThing(
  { initial, changes, forbids = [] }: StateMachine,
  thing: Thing,
  event: ReadEvent,
): boolean {
  const own = changes.filter(({ types, when }) => types.includes(event.type) && hasValues(event, when));
  const fits = ({ from }: StateChange, state: string): boolean => from === undefined || from.includes(state);
  const states = [initial, ...changes.flatMap(({ from = [], to = initial }) => [...from, to])];
  const takers = new Set(states.flatMap((state) => own.find((change) => fits(change, state)) ?? []));
  const { state } = thing;
  const taker = state === undefined ? undefined : own.find((change) => fits(change, state));
  const targets = new Set((taker === undefined ? [...takers] : [taker]).map(({ to }) => to));
  const [target] = targets;
  const isFitting = own.length === 0 || taker !== undefined || state === undefined;
  if (targets.size === 0 || (targets.size === 1 && target === undefined)) return isFitting;
  thing.state = targets.size === 1 ? target : undefined;
  if (thing.state === undefined) return isFitting;
  thing.hasMoved = true;
  for (const { same } of forbids) {
    const value = same === undefined ? undefined : event.payload[same];
    if (same !== undefined && value !== undefined) thing.values.set(same, value);
  }
  return isFitting;
}

function hasValues({ payload }: ReadEvent, values: FieldValues = {}): boolean {
  return Object.entries(values).every(([field, value]) => payload[field] === value);
}

/** Returns a text or a number, or those in a list, as texts. */
function listIds(value: Json | undefined): string[] {
  return [value]
    .flat()
    .flatMap((id) => (typeof id === "string" || typeof id === "number" ? [String(id)] : []));
}
