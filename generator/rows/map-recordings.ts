/** Maps recordings of rows to recordings of public events, and checks the events. */
import { checkEvent } from "../conform/check-event.js";
import { createErrorFinding, type Finding, type Location } from "../finding.js";
import {
  locateInRecording,
  type RecordedEvent,
  type Recording,
  replaceParts,
} from "../ingest/read-recording.js";
import { isObject, type JsonObject, joinPointer } from "../json.js";
import { findSpan } from "../source/json-text.js";
import { findInexactNumber } from "../source/numbers.js";
import type { Validators } from "../validators/protocol-validators.js";
import { createRowFinder, type FindRow } from "./find-row.js";
import { createRowMapper, type MappedRow } from "./map-row.js";

/** Recordings of public events. */
interface MappedRecordings {
  /** The texts of the recordings, in their order. Text outside of rows is kept. Empty if there are findings. */
  readonly texts: readonly string[];
  readonly findings: readonly Finding[];
  /** The number of events. */
  readonly events: number;
}

/** The most findings of one run. Each one needs a search for its place. */
const MAX_FINDINGS = 100;

/**
 * Maps all rows. A value that is not a row, a row that is not complete, a number that JavaScript would change, and an
 * event that a reader need not accept are findings with their places in the recording.
 */
export function mapRecordings(
  recordings: readonly Recording[],
  validators: readonly Validators[],
): MappedRecordings {
  const findRow = createRowFinder(validators.map((each) => ({ validators: each })));
  const expected = describeColumns(validators);
  const findings: Finding[] = [];
  const texts: string[] = [];
  let events = 0;
  for (const recording of recordings) {
    const replacements = [];
    for (const row of recording.events) {
      if (findings.length >= MAX_FINDINGS) break;
      const result = mapRecordedRow(recording, row, findRow, expected);
      findings.push(...result.findings);
      replacements.push({ start: row.start, stop: row.stop, text: JSON.stringify(result.event ?? null) });
    }
    events += replacements.length;
    texts.push(findings.length > 0 ? "" : replaceParts(recording, replacements));
  }
  return findings.length > 0
    ? { texts: [], findings: findings.slice(0, MAX_FINDINGS), events: 0 }
    : { texts, findings, events };
}

/** Maps one row. The event is absent if there are findings. */
function mapRecordedRow(
  recording: Recording,
  event: RecordedEvent,
  findRow: FindRow<{ readonly validators: Validators }>,
  expected: string,
): { readonly event?: JsonObject; readonly findings: readonly Finding[] } {
  const rowText = recording.text.slice(event.start, event.stop);
  const locate = (pointer: string, part?: "value" | "name"): Location =>
    locateInRecording(recording, event, pointer, part);
  const row = findRow(event.value, undefined);
  if (row === undefined) return { findings: [createErrorFinding("row-invalid", expected, locate(""))] };
  const {
    result,
    found: { validators },
  } = row;
  if (result.kind === "failed")
    return {
      findings: [createErrorFinding(result.rule ?? "row-invalid", result.message, locate(result.pointer))],
    };
  const context = { protocols: [validators], profile: "reader" } as const;
  const findings = [
    ...checkEvent(result.event, context, (pointer, part) => locate(result.findOrigin(pointer), part))
      .findings,
    ...findInexactNumbers(rowText, result).map((inexact) =>
      createInexactFinding(inexact.text, locate(inexact.pointer)),
    ),
  ];
  return findings.length > 0 ? { findings } : { event: result.event, findings };
}

/** Returns the numbers that JavaScript would change in the public parts of a row, at most one of each part, with their places. */
function findInexactNumbers(rowText: string, { event, findOrigin }: MappedRow) {
  if (findInexactNumber(rowText) === undefined) return [];
  const origins = listParts(event)
    .map(findOrigin)
    .filter((origin) => origin !== "");
  return origins.flatMap((origin) => {
    const { start, stop } = findSpan(rowText, origin);
    const inexact = findInexactNumber(rowText.slice(start, stop));
    return inexact ? [{ text: inexact.text, pointer: origin + inexact.pointer }] : [];
  });
}

/** Returns the places of the fields of an event, and of the members of fields that are objects. */
function listParts(event: JsonObject): string[] {
  return Object.entries(event).flatMap(([name, value]) =>
    isObject(value)
      ? Object.keys(value).map((member) => joinPointer("", name, member))
      : [joinPointer("", name)],
  );
}

function createInexactFinding(number: string, at: Location): Finding {
  return createErrorFinding("row-inexact", `The number ${number.slice(0, 100)} cannot be kept exactly.`, at);
}

/** Returns the message about a value that is not a row of any of these protocols. */
function describeColumns(validators: readonly Validators[]): string {
  const columns = validators.flatMap(({ protocol }) => {
    const mapper = createRowMapper(protocol);
    return mapper ? [`${mapper.typeColumn} and ${mapper.payloadColumn}`] : [];
  });
  return `Not a row: rows have the columns ${[...new Set(columns)].join(", or ")}.`;
}
