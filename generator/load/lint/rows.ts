import type { Finding } from "../../finding.js";
import { joinPointer } from "../../json.js";
import { getEnvelopeFields } from "../../protocol/message-layout.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { Rows } from "../../protocol/rows.js";
import { type LintInput, type ManifestProblem, reportManifestProblems } from "./input.js";

/** Reports `rows` of protocol.json that look like events, or that lack a field that every event has. */
export function lintRows(input: LintInput): Finding[] {
  const { protocol } = input;
  const { rows } = protocol;
  if (rows === undefined) return [];
  const problems = [
    ...checkColumns(rows),
    ...checkPayloadColumn(rows, protocol),
    ...checkFields(rows, protocol),
  ];
  return reportManifestProblems(problems, input);
}

/** Reports columns that give a field a second value, or that hold the payload. */
function checkColumns({ columns, payload, values = {} }: Rows): ManifestProblem[] {
  const entries = Object.entries(columns);
  return entries.flatMap(([column, field], index) => {
    const pointer = joinPointer("/rows/columns", column);
    const isRepeated = entries.slice(0, index).some(([, earlier]) => earlier === field);
    if (column === payload) return [{ message: "This column holds the payload.", pointer }];
    return isRepeated || Object.hasOwn(values, field)
      ? [{ message: `The field ${field} has another value already.`, pointer }]
      : [];
  });
}

function checkPayloadColumn({ payload }: Rows, { envelope }: Protocol): ManifestProblem[] {
  const isField = Object.keys(getEnvelopeFields(envelope)).includes(payload);
  const message = `The envelope has a field ${payload}, so a row would look like an event.`;
  return isField ? [{ message, pointer: "/rows/payload" }] : [];
}

/** Reports required fields that no column holds, and a form of ids for events that have no ids. */
function checkFields({ columns, values = {}, id }: Rows, { envelope, stream }: Protocol): ManifestProblem[] {
  const { required } = envelope.schema;
  const needed = [envelope.discriminator, ...(Array.isArray(required) ? required.map(String) : [])];
  const available = [...Object.values(columns), ...Object.keys(values), envelope.property, id && stream?.id];
  const missing = [...new Set(needed)].filter((field) => !available.includes(field));
  const problems = missing.map((field) => ({
    message: `No column holds ${field}, which every event has.`,
    pointer: "/rows/columns",
  }));
  const hasNoIds = id !== undefined && stream?.id === undefined;
  const idProblem = { message: "stream.id names no field for these ids.", pointer: "/rows/id" };
  return hasNoIds ? [...problems, idProblem] : problems;
}
