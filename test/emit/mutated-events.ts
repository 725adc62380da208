/** Events with random changes, and the comparison of what packages and validators say about them. */
import fc from "fast-check";
import { getValidators } from "../../generator/emit/vectors/vector-events.js";
import { isObject, type Json, type JsonObject } from "../../generator/json.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import { combineSeeds, createRandom, type Random } from "../../generator/random.js";
import { UNUSUAL_VALUES } from "./mutations.js";
import { anyValue } from "./schemas.js";
import { makeVectors } from "./vectors.js";

/** Values beside the unusual ones: numbers and texts at which decoders of other languages differ. */
const OTHER_VALUES: readonly Json[] = [
  ...[0, 1, 2 ** 53 + 2, 1e21, 1e300, 0.1, 3.0000000000000004, "1", "2024-02-29T23:59:60Z", "A\u0085", "é\n"],
  ...["\u{1f600}a", "a\n", "2024-02-29", "https://a.b/c?d=[e]", "\u212a", [1, true, 1], [{ a: 1 }, { a: 1 }]],
];

/** Returns a random value with the names and numbers of random schemas. */
const VALUES = fc.sample(anyValue, { numRuns: 2_000, seed: 7 });

/** Returns copies of events with one to three random changes each. The same seed gives the same copies. */
function createMutatedEvents(events: readonly Json[], count: number, seed: number): Json[] {
  const random = createRandom(combineSeeds(seed, 46));
  return Array.from({ length: count }, () => {
    let event: Json = random.pick(events);
    for (let changes = random.between(1, 3); changes > 0; changes--) event = mutate(event, random);
    return event;
  });
}

/** Returns a copy of a value with one change at a random depth. */
function mutate(value: Json, random: Random): Json {
  const names = isObject(value) || Array.isArray(value) ? Object.keys(value) : [];
  if (names.length === 0 || random.chance(0.12)) return replace(value, random);
  const name = random.pick(names);
  if (Array.isArray(value)) {
    if (random.chance(0.1)) return random.chance(0.5) ? value.slice(1) : [...value, ...value];
    return value.map((item, index) => (String(index) === name ? mutate(item, random) : item));
  }
  const members = value as JsonObject;
  const { [name]: member = null, ...others } = members;
  if (random.chance(0.1)) return others;
  if (random.chance(0.05)) return { ...members, [random.pick(["undeclared", "a/b~c", ""])]: 1 };
  return { ...members, [name]: mutate(member, random) };
}

function replace(value: Json, random: Random): Json {
  if (typeof value === "string" && random.chance(0.4)) return mutateText(value, random);
  if (typeof value === "number" && random.chance(0.4)) return value + random.pick([-1, 1, 0.5, -value, 1e16]);
  return random.pick(random.pick([UNUSUAL_VALUES, OTHER_VALUES, VALUES]));
}

/** Returns a text with one character more, less or changed. */
function mutateText(text: string, random: Random): string {
  const at = random.below(text.length + 1);
  const added = random.pick(["", "0", "A", "a", "-", "_", ".", " ", "\n", "é", "\u2028", "\u{1f600}"]);
  return text.slice(0, at) + added + text.slice(at + random.below(2));
}

/** An answer of a package about a text. */
interface Answer {
  readonly known?: boolean;
  /** The message of an error. */
  readonly error?: string;
  /** The pointer and the keyword of each issue, unless the types refuse an event which the contract allows. */
  readonly issues?: readonly (readonly [pointer: string, keyword: string])[];
}

/** An event that a package and the reader of the contract do not treat alike. */
interface Difference {
  readonly protocol: string;
  readonly event: Json;
  readonly wanted: string;
  readonly answer: string;
}

/** The number of mutated events for each language. */
const EVENT_COUNT = Number(process.env.ACCRETE_TEST_EVENTS ?? 1_500);

/**
 * Asks packages about the vectors and about mutated events of protocols. Lists the events of which an answer differs in its
 * verdict or in its places from what the reader of the contract says.
 */
export function listPlaceDifferences(
  ask: (requests: readonly object[]) => readonly JsonObject[],
  protocols: readonly Protocol[],
  getPackageName: (protocol: Protocol) => string,
): Difference[] {
  const count = Math.ceil(EVENT_COUNT / protocols.length);
  return protocols.flatMap((protocol, seed) => {
    const vectors = makeVectors(protocol).map(({ event }) => event);
    const events = [...vectors, ...createMutatedEvents(vectors, count, seed)];
    const name = getPackageName(protocol);
    const answers = ask(events.map((event, index) => ({ package: name, text: formatText(event, index) })));
    return compareAnswers(protocol, events, answers);
  });
}

/** Returns the JSON text of an event. Every fourth text has whole numbers with a fraction, such as 1.0. */
function formatText(event: Json, index: number): string {
  if (index % 4 !== 0) return JSON.stringify(event);
  const mark = (_name: string, value: unknown): unknown =>
    Number.isSafeInteger(value) ? `@@${value}.0@@` : value;
  return JSON.stringify(event, mark).replace(/"@@(-?\d+\.0)@@"/g, "$1");
}

function compareAnswers(
  protocol: Protocol,
  events: readonly Json[],
  answers: readonly JsonObject[],
): Difference[] {
  const { decodeEvent } = getValidators(protocol);
  return events.flatMap((event, index) => {
    const result = decodeEvent(event, { profile: "reader" });
    const wanted =
      result.kind === "invalid"
        ? listPlaces(result.issues.map(({ pointer, keyword }) => [pointer, keyword]))
        : result.kind;
    const { known, error, issues } = (answers[index] ?? {}) as Answer;
    const kind = known ? "known" : "unknown";
    const answer = issues?.length ? listPlaces(issues) : error === undefined ? kind : `types: ${error}`;
    return answer === wanted ? [] : [{ protocol: protocol.id, event, wanted, answer }];
  });
}

function listPlaces(issues: NonNullable<Answer["issues"]>): string {
  const places = issues.map(([pointer, keyword]) => `${pointer.toWellFormed()} ${keyword}`);
  return [...new Set(places)].sort().join("\n");
}
