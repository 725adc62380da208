import { collectEventFields } from "../protocol/event-fields.js";
import type { Protocol } from "../protocol/protocol.js";
import type { Role } from "../protocol/view-roles.js";

/** Patterns in the names of event types. */
const PIECE_NAME = /(^|[._-])(delta|chunk|piece)$/;
const OUTPUT_NAME = /(^|[._-])(output|stdout|stderr|log)([._-]|$)/;
const THINKING_NAME = /think|reason/;

/** Usual names of fields, the preferred ones first. */
const TEXT_FIELDS = ["delta", "text", "chunk", "piece", "content"];
const CALL_ID_FIELDS = [
  "tool_call_id",
  "toolCallId",
  "call_id",
  "callId",
  "tool_id",
  "toolId",
  "job_id",
  "jobId",
];
const CALL_NAME_FIELDS = ["tool_name", "toolName", "name", "tool", "command"];
const OUTPUT_FIELDS = ["chunk", "output", "data", "text", "delta"];

/**
 * Suggests the member `view` of protocol.json if the names of event types and fields look like pieces of texts and tool
 * calls. The suggestion is only a note, since names prove nothing.
 */
export function suggestView(protocol: Protocol): string[] {
  const roles = protocol.events.flatMap((event): [type: string, role: Role][] => {
    const role = suggestRole(event.type, collectEventFields(protocol, event));
    return role === undefined ? [] : [[event.type, role]];
  });
  if (roles.length === 0) return [];
  return [
    `${roles.map(([type]) => type).join(", ")} look like texts or calls; if they are, this line in ${protocol.id}/protocol.json has \`serve\` and \`replay\` show them so:`,
    `  "view": ${JSON.stringify({ roles: Object.fromEntries(roles) })},`,
  ];
}

function suggestRole(type: string, fields: ReadonlySet<string>): Role | undefined {
  const findField = (names: readonly string[]): string | undefined => names.find((name) => fields.has(name));
  const key = findField(CALL_ID_FIELDS);
  if (key !== undefined) {
    const name = findField(CALL_NAME_FIELDS);
    const output = OUTPUT_NAME.test(type) || PIECE_NAME.test(type) ? findField(OUTPUT_FIELDS) : undefined;
    return { as: "tool", key, ...(name !== undefined && { name }), ...(output !== undefined && { output }) };
  }
  const text = findField(TEXT_FIELDS);
  if (text === undefined || !PIECE_NAME.test(type)) return undefined;
  return {
    as: "text",
    speaker: THINKING_NAME.test(type) ? "thinking" : "assistant",
    field: text,
    part: true,
  };
}
