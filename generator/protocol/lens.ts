/**
 * The lens of a consumer: the event types and fields on which it depends, as experiments showed. In each experiment, the
 * consumer received streams with one kind of edit at some places, and its snapshots were compared with those of the
 * unedited streams.
 */
import { getJsonType, type Json, listKeys } from "../json.js";

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

/** Sizes from one to another: of a number, or the length of a text or list. */
export interface SizeRange {
  readonly low: number;
  readonly high: number;
}

/** Returns the path of the values in a part of a declared range. */
export function createRangePath(path: string, { low, high }: SizeRange): string {
  return `${path} in ${low}..${high}`;
}

/** Returns whether a path is that of a listed value or of a part of a range. */
export function isValuePath(path: string): boolean {
  return / (=|in) /.test(path);
}

/** Returns the parts of the range of a field in which a consumer does not tell values apart. */
function listConstantRanges(eventLens: EventLens, path: string): SizeRange[] {
  return (eventLens.none ?? []).flatMap((each) => {
    const [low, high] = each.startsWith(`${path} in `)
      ? each
          .slice(path.length + 4)
          .split("..")
          .map(Number)
      : [];
    return low === undefined || high === undefined ? [] : [{ low, high }];
  });
}

/**
 * Why the result of an edit is not known:
 * - `untried`: no stream had the edit.
 * - `one half`: the value was never moved to the other half of its declared range.
 * - `inconclusive`: too few streams had it, it mattered only together with other edits, or the consumer reads the value.
 */
type Doubt = "untried" | "one half" | "inconclusive";

/** What follows an edit in a key. */
const DOUBT_MARKS: { readonly [D in Doubt]: string } = {
  untried: "??",
  "one half": "?half",
  inconclusive: "?",
};

/** The results of the experiments with one place. */
export interface EditResults {
  /** The edits that change what the consumer shows. */
  readonly sensitive: ReadonlySet<LensEdit>;
  /** The edits of which that is not known. */
  readonly unknown: ReadonlyMap<LensEdit, Doubt>;
}

/**
 * Returns results as a key: `none`, `all`, or the names of the edits. `refused` stands for all types. A mark follows an edit
 * whose result is not known.
 */
export function formatEdits({ sensitive, unknown }: EditResults): string {
  if (sensitive.size === LENS_EDITS.length) return "all";
  const format = (edit: LensEdit, word: string = edit): string[] => {
    if (sensitive.has(edit)) return [word];
    const doubt = unknown.get(edit);
    return doubt === undefined ? [] : [word + DOUBT_MARKS[doubt]];
  };
  const types = new Set(REFUSED_TYPES.map((type) => format(type, REFUSED).join("")));
  const words = LENS_EDITS.flatMap((edit) =>
    types.size === 1 && REFUSED_TYPES.includes(edit) ? [] : format(edit),
  );
  return [...words, ...(types.size === 1 ? types : [])].filter((word) => word !== "").join(" ") || "none";
}

/** Returns the results of a key; undefined if another version of accrete wrote it. */
function parseEdits(key: string): EditResults | undefined {
  if (key === "all") return { sensitive: new Set(LENS_EDITS), unknown: new Map() };
  const sensitive = new Set<LensEdit>();
  const unknown = new Map<LensEdit, Doubt>();
  for (const word of key === "none" ? [] : key.split(" ")) {
    const [name = "", ...rest] = word.split(/(?=\?)/);
    const mark = rest.join("");
    const doubt = listKeys(DOUBT_MARKS).find((each) => DOUBT_MARKS[each] === mark);
    const edits = name === REFUSED ? REFUSED_TYPES : LENS_EDITS.filter((edit) => edit === name);
    if (edits.length === 0 || (mark !== "" && doubt === undefined)) return undefined;
    for (const edit of edits)
      if (doubt === undefined) sensitive.add(edit);
      else unknown.set(edit, doubt);
  }
  return { sensitive, unknown };
}

/** Values that are no longer sent: those beyond a new bound, up to the old one. */
export interface LostRange {
  readonly newBound: number;
  readonly oldBound: number;
}

/** A place on which a consumer may depend. */
export interface LensPlace {
  /** The event type; "" for the envelope of every event. */
  readonly event: string;
  /** The path of the field; "" for the event type itself. */
  readonly path: string;
  /** A listed value of the field. */
  readonly value?: string;
  /** The values of the field that the question is about. */
  readonly lost?: LostRange;
}

/** Whether edits of a place change what a consumer shows. */
export type Reach = "reached" | "unreached" | "unknown";

/** The same, with a clause that says why it is not known. */
export type ReachAnswer =
  | { readonly reach: Exclude<Reach, "unknown"> }
  | { readonly reach: "unknown"; readonly reason: string };

const REACHED: ReachAnswer = { reach: "reached" };
const UNREACHED: ReachAnswer = { reach: "unreached" };

/** Returns the answer that nothing is known. */
export function createUnknownAnswer(reason: string): ReachAnswer {
  return { reach: "unknown", reason };
}

/** Returns whether one of `edits` at a place changes what the consumer of a lens shows. */
export function findReach(lens: Lens | undefined, place: LensPlace, edits: readonly LensEdit[]): ReachAnswer {
  const { event, path, value } = place;
  if (lens === undefined) return createUnknownAnswer("it was recorded without a lens");
  const key = createLensKey(event);
  const eventLens = Object.hasOwn(lens, key) ? lens[key] : undefined;
  if (eventLens === undefined) return createUnknownAnswer(`no experiment had ${event || "other envelopes"}`);
  if (path === "" && edits.includes("changed"))
    return Object.keys(eventLens).every((each) => each === "none")
      ? UNREACHED
      : createUnknownAnswer(`no experiment changed all of ${event || "the envelope"} at once`);
  const findKey = (wanted: string): string | undefined =>
    Object.entries(eventLens).find(([, paths]) => paths.includes(wanted))?.[0];
  const found = (value === undefined ? undefined : findKey(createValuePath(path, value))) ?? findKey(path);
  if (found !== undefined) {
    const results = parseEdits(found);
    if (results === undefined) return createUnknownAnswer("another version of accrete recorded it");
    const answer = decideEdits(place, edits, results);
    const part =
      answer.reach === "unreached" && value === undefined ? findEffectInside(eventLens, path) : undefined;
    if (part !== undefined) return createUnknownAnswer(`it may depend on ${describeParts(part)}`);
    return answer.reach === "reached" && place.lost !== undefined
      ? decideLostRange(place, place.lost, listConstantRanges(eventLens, path))
      : answer;
  }
  const ancestors = listAncestors(path);
  if (ancestors.some((each) => each !== "" && findKey(each) === "none")) return UNREACHED;
  const isBelowReads = [path, ...ancestors].some((each) => findKey(each + EVERYTHING_BELOW) !== undefined);
  return isBelowReads ? REACHED : createUnknownAnswer(`no experiment edited ${describePlace(place)}`);
}

/** Decides whether a consumer tells values beyond a new bound from the values at the bound. */
function decideLostRange(
  place: LensPlace,
  { newBound, oldBound }: LostRange,
  constant: readonly SizeRange[],
): ReachAnswer {
  const findRange = (size: number): SizeRange | undefined =>
    constant.find(({ low, high }) => low <= size && size <= high);
  const [old, current] = [findRange(oldBound), findRange(newBound)];
  // A consumer that tells all values near the old bound apart shows something else without them.
  if (old === undefined) return REACHED;
  if (old === current) return UNREACHED;
  return current === undefined
    ? createUnknownAnswer(`no experiment gave ${describePlace(place)} values near ${newBound}`)
    : REACHED;
}

/** Decides about edits by the results of a place. */
function decideEdits(
  place: LensPlace,
  edits: readonly LensEdit[],
  { sensitive, unknown }: EditResults,
): ReachAnswer {
  if (edits.some((edit) => sensitive.has(edit))) return REACHED;
  for (const [doubt, describe] of DOUBT_CLAUSES) {
    const doubtful = edits.filter((edit) => unknown.get(edit) === doubt);
    if (doubtful.length > 0)
      return createUnknownAnswer(describe(describeEdits(doubtful, describePlace(place))));
  }
  return UNREACHED;
}

/** The clauses that say why results are not known, the most telling one first. */
const DOUBT_CLAUSES: readonly (readonly [Doubt, describe: (edits: string) => string])[] = [
  ["untried", (edits) => `no experiment ${edits}`],
  ["one half", (edits) => `no experiment ${edits} in the other half of its range`],
  ["inconclusive", (edits) => `the experiments that ${edits} are not conclusive`],
];

/** Returns a clause such as "removed data.cups or gave it another value". */
function describeEdits(edits: readonly LensEdit[], place: string): string {
  const types = edits.filter((edit) => REFUSED_TYPES.includes(edit));
  const clauses = [
    ...(edits.includes("removed") ? ["removed"] : []),
    ...(edits.includes("renamed") ? ["renamed"] : []),
  ];
  const gifts = [
    ...(edits.includes("changed") ? ["another value"] : []),
    ...(types.length === REFUSED_TYPES.length
      ? ["refused values"]
      : types.map((type) => `a refused ${type}`)),
  ];
  const first = clauses.length === 0 ? [] : [`${clauses.join(" or ")} ${place}`];
  const second =
    gifts.length === 0 ? [] : [`gave ${first.length === 0 ? place : "it"} ${gifts.join(" or ")}`];
  return [...first, ...second].join(" or ");
}

/** Returns the words for a place: an event type, a field, or a value in a field. */
export function describePlace({ event, path, value }: LensPlace): string {
  const field = describeParts(path);
  if (field === "") return event;
  return value === undefined ? field : `${JSON.stringify(value)} in ${field}`;
}

function describeParts(path: string): string {
  return path.slice(1).replaceAll("/", ".");
}

/**
 * Returns the path of a part of the value at a path, or of one of its listed values, of which an edit may change what is shown.
 * To an event type, values that readers refuse are no parts.
 */
function findEffectInside(eventLens: EventLens, path: string): string | undefined {
  const hasEffect = (key: string): boolean => {
    const results = parseEdits(key);
    if (results === undefined || path !== "") return key !== "none";
    return LENS_EDITS.some(
      (edit) => !REFUSED_TYPES.includes(edit) && (results.sensitive.has(edit) || results.unknown.has(edit)),
    );
  };
  const inner = Object.entries(eventLens).flatMap(([key, paths]) => (hasEffect(key) ? paths : []));
  return inner.find((each) => each.startsWith(`${path}/`) || each.startsWith(`${path} = `));
}

/** Returns the paths of the values that hold the one at `path`, the nearest first; "" is the last. */
function listAncestors(path: string): string[] {
  const end = path.lastIndexOf("/");
  return end < 0 ? [] : [path.slice(0, end), ...listAncestors(path.slice(0, end))];
}
