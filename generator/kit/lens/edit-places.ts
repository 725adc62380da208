/** Edits events at declared places, as experiments need them. */
import { areEqual, createObject, isObject, type Json } from "../../json.js";
import { findTypeEdit, type LensEdit } from "../../protocol/lens.js";
import type { SampleEvent } from "../../sample/event-maker.js";
import type { KitProtocol } from "../kit-protocol.js";
import { TOKEN } from "../payload.js";
import { listValuesInRange, type Ranges } from "./ranges.js";

/** A place that is edited, or only the events that have one of its listed values there. */
export interface Target {
  readonly event: string;
  /** The names of the fields that lead to the place. Without a name, the target is the event type itself. */
  readonly tokens: readonly string[];
  readonly value?: Json;
  /** The values that the schema lists for the place. */
  readonly values: readonly Json[];
  /** The ranges that the schema declares for it. */
  readonly ranges: Ranges;
}

/** Returns whether a place is a field with a name, and no item. */
export function hasName(tokens: readonly string[]): boolean {
  return tokens.at(-1) !== "*";
}

/** Replaces a value. Returns undefined to remove it. */
type Replace = (value: Json) => Json | undefined;

/** Applies `replace` to the values at a place, which begins at `index` of its names. `rename` gives the field another name. */
function editValue(
  value: Json,
  tokens: readonly string[],
  replace: Replace,
  rename?: string,
  index = 0,
): Json | undefined {
  if (index === tokens.length) return replace(value);
  const token = tokens[index] ?? "";
  if (Array.isArray(value)) {
    if (token !== "*") return value;
    const items = value.map((item) => editValue(item, tokens, replace, rename, index + 1));
    return items.filter((each) => each !== undefined);
  }
  if (!isObject(value)) return value;
  if (token === "*") {
    const members = Object.entries(value).map(
      ([name, member]) => [name, editValue(member, tokens, replace, rename, index + 1)] as const,
    );
    return createObject(members.filter((each): each is [string, Json] => each[1] !== undefined));
  }
  if (!Object.hasOwn(value, token)) return value;
  const edited = editValue(value[token] ?? null, tokens, replace, rename, index + 1);
  const isRenamed = index === tokens.length - 1 && rename !== undefined;
  if (edited !== undefined && !isRenamed) return { ...value, [token]: edited };
  const { [token]: _removed, ...others } = value;
  return edited === undefined || rename === undefined ? others : { ...others, [rename]: edited };
}

/** Returns the values at a place. */
export function listValuesAt(value: Json | undefined, [token, ...rest]: readonly string[]): Json[] {
  if (value === undefined) return [];
  if (token === undefined) return [value];
  if (Array.isArray(value)) return token === "*" ? value.flatMap((item) => listValuesAt(item, rest)) : [];
  if (!isObject(value)) return [];
  if (token === "*") return Object.values(value).flatMap((member) => listValuesAt(member, rest));
  return Object.hasOwn(value, token) ? listValuesAt(value[token], rest) : [];
}

/** Replaces the values at a place of an event. */
export function mapValuesAt(
  event: SampleEvent,
  tokens: readonly string[],
  replace: (value: Json) => Json,
): SampleEvent {
  return editValue(event, tokens, replace) as SampleEvent;
}

/** Removes the values at a place of an event. */
export function removeValuesAt(event: SampleEvent, tokens: readonly string[]): SampleEvent {
  return editValue(event, tokens, () => undefined) as SampleEvent;
}

/** An edit of the values at a place. */
type PlaceEdit = (event: SampleEvent) => SampleEvent;

/**
 * Returns the edit of a target; undefined if the event cannot have it. `variant` chooses the new value, which readers accept
 * in `event`, or which has the type of the edit and is refused there.
 */
export function chooseEdit(
  protocol: KitProtocol,
  event: SampleEvent,
  target: Target,
  edit: LensEdit,
  variant: number,
): PlaceEdit | undefined {
  const { tokens, values: listed, ranges } = target;
  const isTarget = (value: Json): boolean => target.value === undefined || areEqual(value, target.value);
  const first = listValuesAt(event, tokens).find(isTarget);
  if (first === undefined) return undefined;
  const createEdit =
    (replace: Replace, name?: string): PlaceEdit =>
    (given) =>
      editValue(given, tokens, (value) => (isTarget(value) ? replace(value) : value), name) as SampleEvent;
  if (edit === "removed") return createEdit(() => undefined);
  if (edit === "renamed") return createEdit((value) => value, chooseName(tokens.at(-1) ?? "", variant));
  // A listed value gives way to values that no list has. Whether it differs from other listed ones, the field itself shows.
  const list = (value: Json): Json[] =>
    (target.value === undefined
      ? listReplacements(value, listed, listValuesInRange(value, ranges, variant))
      : listValuesLike(value).filter((each) => !listed.some((known) => areEqual(known, each)))
    ).filter((each) => edit === "changed" || findTypeEdit(each) === edit);
  const replacementsOfFirst = list(first);
  for (let index = 0; index < replacementsOfFirst.length; index++) {
    const placeEdit = createEdit((value) => {
      const replacements = value === first ? replacementsOfFirst : list(value);
      return replacements[(variant + index) % replacements.length] ?? null;
    });
    if ((edit === "changed") === isAccepted(protocol, placeEdit(event))) return placeEdit;
  }
  return undefined;
}

/** Returns an unknown name that ends or begins like `name`, or neither, because consumers may look at a part of a name. */
export function chooseName(name: string, variant: number): string {
  const names = [`${TOKEN}.${name}`, `${name}_${TOKEN}`, `${TOKEN}_${[...name].reverse().join("")}`];
  return names[variant % names.length] ?? TOKEN;
}

/** Returns whether readers accept an event. */
export function isAccepted(protocol: KitProtocol, event: SampleEvent): boolean {
  const { discriminator } = protocol.envelope;
  return protocol.validators.reader.events.get(String(event[discriminator]))?.(event) ?? false;
}

/** Returns values that may replace `value`: the other listed values, values of its range and of its type, and values of other types. */
function listReplacements(value: Json, listed: readonly Json[], inRange: readonly Json[]): Json[] {
  const candidates = [
    ...listed,
    ...inRange,
    ...listValuesLike(value),
    ...[null, `${TOKEN} text`, 7, true, false, [], {}],
    ...[[value], String(value), 0, "", { [TOKEN]: TOKEN }],
  ];
  return candidates.filter((each) => !areEqual(each, value));
}

/** Milliseconds by which times are moved, also before other events. */
const TIME_OFFSETS = [61_000, -86_400_000, 90_000_000, -4e11, 4e11];

const LAST_LETTER = /[a-z0-9](?=[^a-z0-9]*$)/i;

/** Returns another letter of the same case, or another digit. */
function chooseOtherLetter(letter: string): string {
  if (/\d/.test(letter)) return letter === "2" ? "3" : "2";
  if (/[a-z]/.test(letter)) return letter === "b" ? "c" : "b";
  return letter === "B" ? "C" : "B";
}

/** Returns other values of the same type. */
function listValuesLike(value: Json): Json[] {
  if (typeof value === "string") {
    const sibling = value.replace(LAST_LETTER, chooseOtherLetter);
    const time = Date.parse(value);
    const otherTimes =
      /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(time)
        ? TIME_OFFSETS.map((offset) => new Date(time + offset).toISOString())
        : [];
    return [sibling, ...otherTimes, `${value}${TOKEN}`, TOKEN, "", `${TOKEN} `.repeat(200)];
  }
  if (typeof value === "number")
    return [value + 1, 0, value - 1, -1, value + 0.5, value + 1e6, value + 100, value + 10_000, value + 1e9];
  if (typeof value === "boolean") return [!value];
  if (Array.isArray(value)) return [[], [...value, ...value], value.slice(1), [...value].reverse()];
  if (isObject(value)) return [{ ...value, [TOKEN]: TOKEN }, {}, { ...value, [`${TOKEN}_2`]: 2 }];
  return [];
}
