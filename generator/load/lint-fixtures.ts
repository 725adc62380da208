/** Checks the fixtures of a protocol: whether their verdicts are right, and whether all files are read. */
import { readdirSync } from "node:fs";
import path from "node:path";
import { createErrorFinding, type Finding, type Location, type RuleTexts } from "../finding.js";
import { getErrorCode, toForwardSlashes } from "../io.js";
import { getOwn, isObject, type Json, type JsonObject, splitPointer } from "../json.js";
import { didYouMean } from "../nearest.js";
import { getEventName } from "../protocol/names.js";
import type { EventType, Protocol } from "../protocol/protocol.js";
import type { Issue } from "../runtime/runtime.js";
import { parseSource, type Source } from "../source/source.js";
import { formatCount } from "../text.js";
import { createValidators, type Validators } from "../validators/protocol-validators.js";
import { suggestField } from "./lint/field-values.js";
import { readBytes } from "./read-bytes.js";

/** The texts of the rules about fixtures. */
export const FIXTURE_RULES = {
  "fixture-wrong": {
    summary: "the verdict of a fixture is wrong",
    explanation:
      "A valid fixture is an event that writers may send. An invalid one says which profile refuses it, where, and by which keyword. The generated tests check both.",
    hint: "Correct the fixture, or the schema if the fixture is right.",
  },
  "fixture-incomplete": {
    summary: "an invalid fixture lacks a member, or an event type lacks a fixture",
    explanation:
      "Each event type has a valid and an invalid fixture. An invalid one is an object with why, profile, pointer, keyword and event.",
    hint: "Add what is missing.",
  },
  "fixture-misplaced": {
    summary: "a file of the fixtures is not read",
    explanation:
      "Fixtures are in valid/<event type>/*.json, invalid/<event type>/*.json and streams/*.jsonl. A file elsewhere would test nothing.",
    hint: "Move or rename the file.",
  },
} satisfies RuleTexts;

declare module "../finding.js" {
  interface RuleIds extends Record<keyof typeof FIXTURE_RULES, true> {}
}

const KINDS = ["valid", "invalid", "streams"];
const MEMBERS = ["why", "profile", "pointer", "keyword", "event"];

/** Returns the findings about the fixtures of a protocol in `folder`; none if there is no such folder. */
export function lintFixtures(protocol: Protocol, folder: string): Finding[] {
  const entries = listEntries(folder);
  if (entries.length === 0) return [];
  const validators = createValidators(protocol);
  const names = protocol.events.map(getEventName);
  const findings: Finding[] = [];
  const misplace = (relative: string, message: string, hint?: string): void => {
    const file = toForwardSlashes(path.join(folder, relative));
    findings.push(createErrorFinding("fixture-misplaced", message, { file, pointer: "" }, hint));
  };
  for (const { name } of entries)
    if (!KINDS.includes(name) && !name.startsWith("."))
      misplace(name, `The fixtures have no folder ${JSON.stringify(name)}${didYouMean(name, KINDS)}`);
  for (const kind of ["valid", "invalid"] as const) {
    const counts = new Map<string, number>();
    for (const { name, isFolder } of listEntries(path.join(folder, kind))) {
      const relative = `${kind}/${name}`;
      if (!isFolder)
        misplace(
          relative,
          `The file is directly in ${kind}, so it is not read.`,
          `Move it to ${kind}/<event type>/.`,
        );
      else if (!names.includes(name))
        misplace(relative, `There is no event type ${JSON.stringify(name)}${didYouMean(name, names)}`);
      else
        for (const file of listEntries(path.join(folder, relative)))
          if (!file.name.endsWith(".json"))
            misplace(`${relative}/${file.name}`, "The file is not named *.json, so it is not read.");
          else {
            counts.set(name, (counts.get(name) ?? 0) + 1);
            const event = protocol.events.find((each) => getEventName(each) === name);
            const read = readFixture(folder, `${relative}/${file.name}`);
            if ("findings" in read) findings.push(...read.findings);
            else if (event)
              findings.push(
                ...(kind === "valid" ? checkValid : checkInvalid)(read.source, event, validators),
              );
          }
    }
    for (const event of protocol.events) {
      const isComplete = counts.has(getEventName(event)) || hasImpossibleFixture(folder, event);
      // A misplaced file is probably the one that is missing.
      if (isComplete || findings.some(({ rule }) => rule === "fixture-misplaced")) continue;
      const message = `The event type ${event.type} has no ${kind} fixture.`;
      const hint = `Add ${toForwardSlashes(path.join(folder, kind, getEventName(event)))}/<name>.json.`;
      findings.push({
        ...createErrorFinding("fixture-incomplete", message, event.at, hint),
        severity: "warning",
      });
    }
  }
  for (const { name } of listEntries(path.join(folder, "streams")))
    if (!name.endsWith(".jsonl"))
      misplace(
        `streams/${name}`,
        "The file is not named *.jsonl, so it is not read.",
        "A stream has one event per line.",
      );
    else findings.push(...checkStream(folder, `streams/${name}`, validators));
  return findings;
}

/** Returns whether the fixtures say that no event of a type is valid. */
function hasImpossibleFixture(folder: string, event: EventType): boolean {
  return listEntries(path.join(folder, "invalid", getEventName(event))).some(
    ({ name }) => name === "impossible.json",
  );
}

function listEntries(folder: string): { readonly name: string; readonly isFolder: boolean }[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(getErrorCode(error))) return [];
    throw error;
  }
}

function readFixture(folder: string, relative: string) {
  const file = path.join(folder, relative);
  return parseSource(toForwardSlashes(file), readBytes(file));
}

function createWrongFinding(message: string, at: Location, hint?: string): Finding {
  return createErrorFinding("fixture-wrong", message, at, hint);
}

/** Returns what is wrong with an event that a writer may not send. */
function describeIssues([first, ...others]: readonly Issue[]): string {
  const more = others.length === 0 ? "" : `, and ${formatCount(others.length, "other issue")}`;
  return first === undefined ? "" : `${first.pointer || "it"} ${first.message} (${first.keyword})${more}`;
}

function checkValid(source: Source, event: EventType, validators: Validators): Finding[] {
  const mismatch = checkType(source, "", event, validators);
  if (mismatch) return [mismatch];
  const result = validators.decodeEvent(source.document, { profile: "writer" });
  return result.kind === "invalid" ? [createRefusedFinding(source, result.issues, validators.protocol)] : [];
}

/** Creates the finding about an event that a writer may not send, at the place of its first issue. */
function createRefusedFinding(source: Source, issues: readonly Issue[], protocol: Protocol): Finding {
  const { envelope } = protocol;
  const { pointer = "", keyword = "" } = issues[0] ?? {};
  const isName = keyword === "additionalProperties" || keyword === "unevaluatedProperties";
  const lacksType = !isObject(source.document) || !Object.hasOwn(source.document, envelope.discriminator);
  return createWrongFinding(
    `A writer may not send this event: ${describeIssues(issues)}.`,
    isName ? source.locateKey(pointer) : source.locate(pointer),
    isName
      ? suggestField(splitPointer(pointer).at(-1) ?? "", findPayload(source.document, protocol))
      : lacksType
        ? "A fixture holds a complete event: the envelope with the payload in it."
        : undefined,
  );
}

/** Returns the schema of the payload of an event; `true` if its type is unknown. */
function findPayload(event: Json, { envelope, events }: Protocol): Json {
  const type = isObject(event) ? getOwn(event, envelope.discriminator) : undefined;
  return events.find((each) => each.type === type)?.payload ?? true;
}

/** Returns a finding if the event at `pointer` has another type than the folder of its fixture. */
function checkType(
  source: Source,
  pointer: string,
  event: EventType,
  { protocol }: Validators,
): Finding | undefined {
  const { discriminator } = protocol.envelope;
  const document =
    pointer === "" ? source.document : (getOwn(source.document as JsonObject, "event") ?? null);
  const type = isObject(document) ? getOwn(document, discriminator) : undefined;
  if (typeof type !== "string" || type === event.type) return undefined;
  const types = protocol.events.map((each) => each.type);
  const at = source.locate(`${pointer}/${discriminator}`);
  const folder = JSON.stringify(getEventName(event));
  return types.includes(type)
    ? createWrongFinding(
        `The event is of type ${JSON.stringify(type)}, but its folder is ${folder}.`,
        at,
        "Move the fixture, or correct the type.",
      )
    : createWrongFinding(`There is no event type ${JSON.stringify(type)}${didYouMean(type, types)}`, at);
}

function checkInvalid(source: Source, type: EventType, validators: Validators): Finding[] {
  const { document } = source;
  const incomplete = (message: string, pointer = "", hint?: string): Finding[] => [
    createErrorFinding("fixture-incomplete", message, source.locate(pointer), hint),
  ];
  if (!isObject(document) || !Object.hasOwn(document, "event"))
    return incomplete(
      'An invalid fixture has its event in the member "event".',
      "",
      'Write {"why", "profile", "pointer", "keyword", "event"}.',
    );
  for (const name of Object.keys(document))
    if (!MEMBERS.includes(name))
      return [
        createErrorFinding(
          "fixture-incomplete",
          `An invalid fixture has no member ${JSON.stringify(name)}${didYouMean(name, MEMBERS)}`,
          source.locateKey(`/${name}`),
          `The members are ${MEMBERS.join(", ")}.`,
        ),
      ];
  const { why, profile, pointer, keyword, event } = document;
  if (typeof why !== "string" || why === "")
    return incomplete('The fixture lacks "why": a sentence that says what is wrong with the event.').map(
      (finding) => ({ ...finding, severity: "warning" }),
    );
  if (profile !== "reader" && profile !== "writer")
    return incomplete(
      '"profile" must be "reader" or "writer".',
      "/profile",
      '"reader" if even tolerant readers refuse the event, "writer" if only writers may not send it.',
    );
  if (typeof pointer !== "string" || typeof keyword !== "string")
    return incomplete(
      'The fixture lacks "pointer" or "keyword", which say where the event is refused, and by what.',
    );
  return checkVerdict(source, type, validators, { profile, pointer, keyword, event: event ?? null });
}

interface InvalidFixture {
  readonly profile: "reader" | "writer";
  readonly pointer: string;
  readonly keyword: string;
  readonly event: Json;
}

function checkVerdict(
  source: Source,
  type: EventType,
  validators: Validators,
  { profile, pointer, keyword, event }: InvalidFixture,
): Finding[] {
  const result = validators.decodeEvent(event, { profile });
  const isRefused = result.kind === "invalid";
  if (!isRefused) {
    const mismatch = checkType(source, "/event", type, validators);
    if (mismatch) return [mismatch];
    const isWriterOnly =
      profile === "reader" && validators.decodeEvent(event, { profile: "writer" }).kind === "invalid";
    return isWriterOnly
      ? [
          createWrongFinding(
            "Readers accept this event; only writers may not send it.",
            source.locate("/profile"),
            'Write "profile": "writer".',
          ),
        ]
      : [
          createWrongFinding(
            "The event is valid, so it is not an invalid fixture.",
            source.locate("/event"),
            'Move it to valid, or give it the fault that "why" describes.',
          ),
        ];
  }
  const { issues } = result;
  if (!issues.some((issue) => issue.pointer === pointer && issue.keyword === keyword)) {
    const isKnownPointer = issues.some((issue) => issue.pointer === pointer);
    return [
      createWrongFinding(
        `The event is refused, but not at ${JSON.stringify(pointer)} by ${keyword}.`,
        source.locate(isKnownPointer ? "/keyword" : "/pointer"),
        `It is refused by ${issues.map((issue) => `${issue.keyword} at ${JSON.stringify(issue.pointer)}`).join(", ")}.`,
      ),
    ];
  }
  if (profile === "writer" && validators.decodeEvent(event, { profile: "reader" }).kind === "invalid")
    return [
      createWrongFinding(
        "Readers refuse this event, too.",
        source.locate("/profile"),
        'Write "profile": "reader".',
      ),
    ];
  return [];
}

/** Checks each line of a stream as a writer. `accrete validate` also checks the rules of streams. */
function checkStream(folder: string, relative: string, { protocol, decodeEvent }: Validators): Finding[] {
  const file = toForwardSlashes(path.join(folder, relative));
  const types = protocol.events.map(({ type }) => type);
  const lines = readBytes(path.join(folder, relative)).toString("utf8").split("\n");
  return lines.flatMap((line, index): Finding[] => {
    if (line.trim() === "") return [];
    const parsed = parseSource(file, new TextEncoder().encode(line));
    const moveToLine = (at: Location): Location => ({
      file,
      pointer: at.pointer,
      line: index + 1,
      column: at.column ?? 1,
    });
    if ("findings" in parsed)
      return parsed.findings.map((finding) => ({ ...finding, at: moveToLine(finding.at) }));
    const { document, locate } = parsed.source;
    const result = decodeEvent(document, { profile: "writer" });
    if (result.kind === "known") return [];
    const { discriminator } = protocol.envelope;
    if (result.kind === "unknown") {
      const type = String(isObject(document) ? getOwn(document, discriminator) : "");
      return [
        createWrongFinding(
          `There is no event type ${JSON.stringify(type)}${didYouMean(type, types)}`,
          moveToLine(locate(`/${discriminator}`)),
        ),
      ];
    }
    const finding = createRefusedFinding(parsed.source, result.issues, protocol);
    return [{ ...finding, at: moveToLine(finding.at) }];
  });
}
