/** Copies the fixtures of a major version for the next one. */
import { checkStreams } from "../conform/check-streams.js";
import { areEqual, isObject, type Json, type JsonObject } from "../json.js";
import { getEventName } from "../protocol/names.js";
import type { OutputFile, Protocol } from "../protocol/protocol.js";
import { makeFixtures } from "../sample/make-fixtures.js";
import { parseSource } from "../source/source.js";
import { createValidators, type Validators } from "../validators/protocol-validators.js";
import { adaptEvent, adaptStream, type EventChanges } from "./adapt-events.js";

/** The fixtures of the next major version. */
export interface CopiedFixtures {
  /** Their paths are below the folder of all fixtures. */
  readonly files: readonly OutputFile[];
  /** Fixtures that could not be adapted, with the reasons. Their paths are below the folder of the earlier version. */
  readonly leftOut: readonly { readonly file: string; readonly reason: string }[];
  /** The paths of fixtures that were made for event types that have none otherwise. */
  readonly made: readonly string[];
}

/** Adapts the fixtures `texts` of `earlier` to `protocol`. Checks each as the generated tests do. */
export function copyFixtures(
  texts: ReadonlyMap<string, string>,
  { earlier, protocol, changes }: { earlier: Protocol; protocol: Protocol; changes: EventChanges },
): CopiedFixtures {
  const context = { validators: createValidators(protocol), changes };
  const removedNames = earlier.events
    .filter(({ type }) => changes.removedTypes.includes(type))
    .map(getEventName);
  const files: OutputFile[] = [];
  const leftOut: { file: string; reason: string }[] = [];
  for (const [file, text] of texts) {
    const [kind = "", owner = ""] = file.split("/");
    if (kind !== "streams" && removedNames.includes(owner)) continue;
    const result = ADAPTERS[getFixtureKind(file)](text, context);
    if ("reason" in result) leftOut.push({ file, reason: result.reason });
    else if (result.text !== "") files.push({ path: `${protocol.id}/${file}`, content: result.text });
  }
  const hasFixture = (folder: string): boolean =>
    files.some(({ path }) => path.startsWith(`${protocol.id}/${folder}/`) && path.endsWith(".json"));
  const made = makeFixtures(protocol, hasFixture).files;
  return { files: [...files, ...made], leftOut, made: made.map(({ path }) => path) };
}

/** Returns the kind of a fixture; files of other kinds are copied. */
function getFixtureKind(file: string): keyof typeof ADAPTERS {
  if (/^valid\/[^/]+\/[^/]+\.json$/.test(file)) return "valid";
  if (/^invalid\/[^/]+\/[^/]+\.json$/.test(file)) return "invalid";
  return /^streams\/[^/]+\.jsonl$/.test(file) ? "stream" : "other";
}

interface FixtureContext {
  readonly validators: Validators;
  readonly changes: EventChanges;
}

type Adapter = (
  text: string,
  context: FixtureContext,
) => { readonly text: string } | { readonly reason: string };

/** The functions that adapt a file, by its kind. An empty text means that nothing is left of it. */
const ADAPTERS = {
  valid: (text, { validators, changes }) => {
    const event = parseFixture(text);
    if (event === undefined) return { reason: "it is not JSON, or nests too deeply" };
    const adapted = adaptEvent(event, changes);
    const fault = findFault(adapted, validators);
    return fault === undefined ? { text: keepOrFormat(text, event, adapted) } : { reason: fault };
  },
  invalid: (text, { validators, changes }) => {
    const fixture = parseFixture(text);
    if (!isObject(fixture) || fixture.event === undefined) return { reason: "it holds no event" };
    const adapted = { ...fixture, event: adaptEvent(fixture.event, changes) };
    return isRefusedAsStated(adapted, validators)
      ? { text: keepOrFormat(text, fixture, adapted) }
      : { reason: "its event is no longer refused for the stated reason" };
  },
  stream: (text, { validators, changes }) => {
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    const events = lines.map(parseFixture);
    if (!events.every((event) => isObject(event))) return { reason: "it does not hold one event per line" };
    const adapted = adaptStream(events, validators.protocol.stream, changes);
    const fault = findStreamFault(adapted, validators);
    if (fault !== undefined) return { reason: fault };
    return {
      text: areEqual(events, adapted) ? text : adapted.map((event) => `${JSON.stringify(event)}\n`).join(""),
    };
  },
  other: (text) => ({ text }),
} satisfies { readonly [kind: string]: Adapter };

/** Returns the value of a JSON text; undefined if it is not JSON, or not accepted in files of a protocol. */
function parseFixture(text: string): Json | undefined {
  const parsed = parseSource("", Buffer.from(text));
  return "source" in parsed ? parsed.source.document : undefined;
}

/** Returns the original text if nothing changed. */
function keepOrFormat(text: string, before: Json, after: Json): string {
  return areEqual(before, after) ? text : `${JSON.stringify(after, undefined, 2)}\n`;
}

/** Returns why a writer may not send an event, or why a reader refuses it; undefined if neither is the case. */
function findFault(event: Json, { decodeEvent }: Validators): string | undefined {
  for (const profile of ["writer", "reader"] as const) {
    const result = decodeEvent(event, { profile });
    const [issue] = result.kind === "invalid" ? result.issues : [];
    if (issue) return `${issue.pointer} ${issue.message}`.trim();
    if (result.kind === "unknown") return "its event type is not declared";
  }
  return undefined;
}

/** Returns whether the event of an invalid fixture is refused with the keyword, the place and the profile that it states. */
function isRefusedAsStated(fixture: JsonObject, { decodeEvent }: Validators): boolean {
  const { event = null, profile, pointer, keyword } = fixture;
  const result = decodeEvent(event, { profile: profile === "writer" ? "writer" : "reader" });
  const issues = result.kind === "invalid" ? result.issues : [];
  if (!issues.some((issue) => issue.pointer === pointer && issue.keyword === keyword)) return false;
  return profile !== "writer" || decodeEvent(event).kind !== "invalid";
}

function findStreamFault(events: readonly Json[], validators: Validators): string | undefined {
  const { protocol } = validators;
  for (const event of events) {
    const fault = findFault(event, validators);
    if (fault !== undefined) return fault;
  }
  return checkStreams(protocol, "writer", events.filter(isObject)).find(
    ({ severity }) => severity === "error",
  )?.message;
}
