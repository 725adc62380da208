/**
 * The lens of a consumer: the event types and fields on which it depends, as experiments showed. In each experiment, the
 * consumer received streams with one kind of edit at some places, and its snapshots were compared with those of the
 * unedited streams.
 */
import { getJsonType, type Json } from "../json.js";

/**
 * The edits of experiments:
 * - `removed`: the field is missing, or the events of the type are not sent.
 * - `renamed`: the field or the event type has a name that no contract contains.
 * - `changed`: the field has another value that readers of the contract accept.
 * - A type: the field has a value of this type that readers of the contract refuse.
 */
export const LENS_EDITS = [
  "removed",
  "renamed",
  "changed",
  "null",
  "boolean",
  "number",
  "string",
  "array",
  "object",
] as const;

/** An edit of an experiment. */
export type LensEdit = (typeof LENS_EDITS)[number];

/** The edits to values that readers refuse. */
export const REFUSED_TYPES = LENS_EDITS.slice(3);

/** Returns the edit to a refused value of the type of `value`. */
export function findTypeEdit(value: Json): LensEdit {
  const type = getJsonType(value);
  return type === "integer" ? "number" : (type as LensEdit);
}

/** The word for all types together. */
const REFUSED = "refused";

/**
 * The dependence of a consumer on one event type: paths by the edits that change what it shows, as `formatEdits` writes
 * them. The path "" is the event type itself. A path that ends with `/**` is a value with all that it contains. A path with
 * ` = value` is a listed value of a field.
 */
interface EventLens {
  readonly [edits: string]: readonly string[];
}

/** The dependence of a consumer on the events of a contract, by event type; `*` has the fields of the envelope. */
export interface Lens {
  readonly [event: string]: EventLens;
}

/** The end of a path that stands for a value with all that it contains. */
export const EVERYTHING_BELOW = "/**";

/** The key of the envelope in a lens. */
const ENVELOPE_KEY = "*";

/** Returns the key of an event type in a lens; "" is the envelope of every event. */
export function createLensKey(event: string): string {
  return event === "" ? ENVELOPE_KEY : event;
}

/** Returns the event type of a key of a lens; "" for the envelope. */
export function parseLensKey(key: string): string {
  return key === ENVELOPE_KEY ? "" : key;
}

/** Returns the path of a listed value. */
export function createValuePath(path: string, value: string): string {
  return `${path} = ${value}`;
}

/** Returns whether a path is that of a listed value. */
export function isValuePath(path: string): boolean {
  return path.includes(" = ");
}

/** The results of the experiments with one place. */
export interface EditResults {
  /** The edits that change what the consumer shows. */
  readonly sensitive: ReadonlySet<string>;
  /** The edits of which that is not known. */
  readonly unknown: ReadonlySet<string>;
}

/**
 * Returns results as a key: `none`, `all`, or the names of the edits. `refused` stands for all types. A question mark follows
 * an edit whose result is not known.
 */
export function formatEdits({ sensitive, unknown }: EditResults): string {
  if (sensitive.size === LENS_EDITS.length) return "all";
  const format = (edit: LensEdit, word: string = edit): string[] => {
    if (sensitive.has(edit)) return [word];
    return unknown.has(edit) ? [`${word}?`] : [];
  };
  const types = new Set(REFUSED_TYPES.map((type) => format(type, REFUSED).join("")));
  const words = LENS_EDITS.flatMap((edit) =>
    types.size === 1 && REFUSED_TYPES.includes(edit) ? [] : format(edit),
  );
  return [...words, ...(types.size === 1 ? types : [])].filter((word) => word !== "").join(" ") || "none";
}

function parseEdits(key: string): EditResults {
  if (key === "all") return { sensitive: new Set(LENS_EDITS), unknown: new Set() };
  const words = (key === "none" ? [] : key.split(" ")).flatMap((word) => {
    if (!word.startsWith(REFUSED)) return word;
    return REFUSED_TYPES.map((type) => type + word.slice(REFUSED.length));
  });
  // A word that is no edit comes from another version of accrete, so nothing is known.
  const isForeign = words.some((word) => !LENS_EDITS.some((edit) => word === edit || word === `${edit}?`));
  if (isForeign) return { sensitive: new Set(), unknown: new Set(LENS_EDITS) };
  return {
    sensitive: new Set(words.filter((word) => !word.endsWith("?"))),
    unknown: new Set(words.filter((word) => word.endsWith("?")).map((word) => word.slice(0, -1))),
  };
}

/** A place on which a consumer may depend. */
export interface LensPlace {
  /** The event type; "" for the envelope of every event. */
  readonly event: string;
  /** The path of the field; "" for the event type itself. */
  readonly path: string;
  /** A listed value of the field. */
  readonly value?: string;
}

/** Whether edits of a place change what a consumer shows. */
export type Reach = "reached" | "unreached" | "unknown";

/** Returns whether one of `edits` at a place changes what the consumer of a lens shows. */
export function findReach(
  lens: Lens | undefined,
  { event, path, value }: LensPlace,
  edits: readonly LensEdit[],
): Reach {
  const key = createLensKey(event);
  const eventLens = lens && Object.hasOwn(lens, key) ? lens[key] : undefined;
  if (eventLens === undefined) return "unknown";
  if (path === "" && edits.includes("changed"))
    return Object.keys(eventLens).every((each) => each === "none") ? "unreached" : "unknown";
  const findResults = (wanted: string): EditResults | undefined => {
    const found = Object.entries(eventLens).find(([, paths]) => paths.includes(wanted));
    return found && parseEdits(found[0]);
  };
  const decide = ({ sensitive, unknown }: EditResults): Reach => {
    if (edits.some((edit) => sensitive.has(edit))) return "reached";
    return edits.some((edit) => unknown.has(edit)) ? "unknown" : "unreached";
  };
  const hasNoEffect = (results: EditResults | undefined): boolean =>
    results !== undefined && results.sensitive.size === 0 && results.unknown.size === 0;
  const results =
    (value === undefined ? undefined : findResults(createValuePath(path, value))) ?? findResults(path);
  if (results !== undefined) {
    const reach = decide(results);
    return reach === "unreached" && value === undefined && hasEffectInside(eventLens, path)
      ? "unknown"
      : reach;
  }
  const ancestors = listAncestors(path);
  if (ancestors.some((each) => each !== "" && hasNoEffect(findResults(each)))) return "unreached";
  const isBelowReads = [path, ...ancestors].some(
    (each) => findResults(each + EVERYTHING_BELOW) !== undefined,
  );
  return isBelowReads ? "reached" : "unknown";
}

/** Returns whether an edit of a part of the value at a path, or of one of its listed values, may change what is shown. */
function hasEffectInside(eventLens: EventLens, path: string): boolean {
  const inner = Object.entries(eventLens).flatMap(([key, paths]) => (key === "none" ? [] : paths));
  return inner.some((each) => each.startsWith(`${path}/`) || each.startsWith(`${path} = `));
}

/** Returns the paths of the values that hold the one at `path`, the nearest first; "" is the last. */
function listAncestors(path: string): string[] {
  const end = path.lastIndexOf("/");
  return end < 0 ? [] : [path.slice(0, end), ...listAncestors(path.slice(0, end))];
}
