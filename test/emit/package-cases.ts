/** Events for programs that decode them with generated packages, and comparisons of the answers of the programs. */
import type { Checks } from "../../generator/emit/plan/validation.js";
import { formatCanonicalJson, type Json, type JsonObject } from "../../generator/json.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import type { Coverage } from "../../generator/schema/describe.js";
import { PROTOCOLS, readValidFixtures } from "./fixtures.js";
import { createEvent } from "./hostile-folder.js";
import { createHostileFolders } from "./hostile-protocols.js";
import { findVerdictDifference, makeVectors } from "./vectors.js";

/** Passes requests to the packages, and returns their answers. */
type Ask = (requests: readonly object[]) => readonly JsonObject[];

/** A text for a package, and the expected result. */
export interface DecodeCase {
  readonly package: string;
  readonly text: string;
  readonly known?: boolean;
  /** A part of the error. */
  readonly error?: string;
}

/** Returns the valid fixtures of all protocols. */
export function createFixtureCases(getPackageName: (protocol: Protocol) => string): DecodeCase[] {
  return PROTOCOLS.flatMap((protocol) =>
    protocol.events.flatMap(({ type }) =>
      readValidFixtures(protocol, type).map((event) => ({
        package: getPackageName(protocol),
        text: JSON.stringify(event),
        known: true,
      })),
    ),
  );
}

/** Returns valid events of hostile protocols. */
export function createHostileCases(getPackageName: (protocolName: string) => string): DecodeCase[] {
  return createHostileFolders().flatMap(({ folder: { name, placement }, cases }) =>
    cases.flatMap(({ type, payload: { good } }) =>
      good.map((payload) => ({
        package: getPackageName(name),
        text: JSON.stringify(createEvent(placement, type, payload)),
        known: true,
      })),
    ),
  );
}

/** The text of an event of hecate/v1, of a type that it knows. */
export const NOTE = JSON.stringify({
  schema_version: "1",
  event_id: "evt_1",
  run_id: "run_1",
  sequence: 1,
  occurred_at: "2026-05-03T10:23:40Z",
  type: "run.created",
  data: {},
});

/** Returns the text of `NOTE` with one part replaced. */
export function editNote(from: string, to: string): string {
  return NOTE.replace(from, () => to);
}

/** Returns the answers that a program printed, one on each line. */
export function parseAnswers(output: string): JsonObject[] {
  return output
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** How the texts of an event in an answer are compared with the text that was sent. */
interface TextComparison {
  /** The members of an answer that hold the event as text. */
  readonly members: readonly string[];
  /** Changes canonical texts before they are compared. */
  normalize(text: string): string;
}

const EXACT: TextComparison = { members: ["text"], normalize: (text) => text };

/** Asks the packages to decode texts, and describes each answer that differs from what is wanted. */
export function listDifferences(ask: Ask, cases: readonly DecodeCase[], comparison = EXACT): string[] {
  const answers = ask(cases.map(({ package: name, text }) => ({ package: name, text })));
  return cases.flatMap((one, i) => {
    const difference = findDifference(one, answers[i] ?? {}, comparison);
    return difference === undefined ? [] : [`${one.package} ${one.text.slice(0, 200)}: ${difference}`];
  });
}

/** Returns how an answer differs from what is wanted; undefined if it does not. */
function findDifference(
  { text, known, error }: DecodeCase,
  answer: JsonObject,
  { members, normalize }: TextComparison,
): string | undefined {
  if (error !== undefined) return String(answer.error).includes(error) ? undefined : JSON.stringify(answer);
  if (answer.known !== known) return JSON.stringify(answer);
  const [sent, ...written] = [text, ...members.map((name) => answer[name])].map((each) =>
    normalize(formatCanonicalJson(JSON.parse(String(each)) as Json)),
  );
  const wrong = written.find((each) => each !== sent);
  return wrong === undefined ? undefined : `${wrong} instead of ${sent}`;
}

/** Describes the vectors of a package of types alone whose verdict differs from that of its package, apart from declared differences. */
function listVerdictDifferences(
  ask: Ask,
  protocol: Protocol,
  packageName: string,
  facets: Coverage,
): string[] {
  const vectors = makeVectors(protocol);
  const answers = ask(vectors.map(({ event }) => ({ package: packageName, text: JSON.stringify(event) })));
  return vectors.flatMap((vector, i) => {
    const { error, known } = answers[i] ?? {};
    const kind = known ? "known" : "unknown";
    return findVerdictDifference(vector, error === undefined ? kind : "invalid", facets) ?? [];
  });
}

/**
 * Hostile protocols with odd names and texts, of which vectors are made: payloads in a field, and beside the envelope. Their
 * packages check types alone.
 */
const WITH_VECTORS = ["all-nested/v1", "all-inline/v1"];

/** Returns how the tested package of a protocol checks events. */
export function chooseChecks({ id }: Protocol): Checks {
  return WITH_VECTORS.includes(id) ? "types" : "contract";
}

/**
 * Matches payloads of which the types check less: values of several types, lists and maps with several types of values, and
 * listed texts with half of a surrogate pair.
 */
const PARTLY_CHECKED = /"type":\[|"(?:prefixItems|patternProperties)":|"additionalProperties":\{|\\ud8/;

/** Describes the vectors of hostile protocols whose verdict differs from that of their packages, apart from declared differences. */
export function listHostileVerdictDifferences(
  ask: Ask,
  hostile: readonly Protocol[],
  getPackageName: (protocol: Protocol) => string,
  facets: Coverage,
): string[] {
  const chosen = hostile.filter(({ id }) => WITH_VECTORS.includes(id));
  return chosen.flatMap((protocol) => {
    const events = protocol.events.filter(({ payload }) => !PARTLY_CHECKED.test(JSON.stringify(payload)));
    return listVerdictDifferences(ask, { ...protocol, events }, getPackageName(protocol), facets);
  });
}
