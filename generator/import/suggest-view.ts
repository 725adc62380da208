import { eventFields } from "../protocol/event-fields.js";
import type { Protocol } from "../protocol/protocol.js";
import type { Role } from "../protocol/view-roles.js";

const PIECE = /(^|[._-])(delta|chunk|piece)$/;
const OUTPUT = /(^|[._-])(output|stdout|stderr|log)([._-]|$)/;
const THINKING = /think|reason/;

const TEXTS = ["delta", "text", "chunk", "piece", "content"];
const CALLS = ["tool_call_id", "toolCallId", "call_id", "callId", "tool_id", "toolId", "job_id", "jobId"];
const NAMES = ["tool_name", "toolName", "name", "tool", "command"];
const OUTPUTS = ["chunk", "output", "data", "text", "delta"];

/**
 * Suggests the member `view` of protocol.json where names of event types and fields show pieces of texts and calls. A
 * suggestion is a note for people, since names alone prove nothing.
 */
export function suggestView(protocol: Protocol): string[] {
  const roles = protocol.events.flatMap((event): [type: string, role: Role][] => {
    const role = suggestRole(event.type, eventFields(protocol, event));
    return role === undefined ? [] : [[event.type, role]];
  });
  if (roles.length === 0) return [];
  return [
    `${roles.map(([type]) => type).join(", ")} look like texts or calls; if they are, this line in ${protocol.id}/protocol.json has \`serve\` and \`replay\` show them so:`,
    `  "view": ${JSON.stringify({ roles: Object.fromEntries(roles) })},`,
  ];
}

function suggestRole(type: string, fields: ReadonlySet<string>): Role | undefined {
  const among = (names: readonly string[]): string | undefined => names.find((name) => fields.has(name));
  const [key, name, text] = [among(CALLS), among(NAMES), among(TEXTS)];
  if (key !== undefined) {
    const output = OUTPUT.test(type) || PIECE.test(type) ? among(OUTPUTS) : undefined;
    return { as: "tool", key, ...(name !== undefined && { name }), ...(output !== undefined && { output }) };
  }
  if (text === undefined || !PIECE.test(type)) return undefined;
  return { as: "text", speaker: THINKING.test(type) ? "thinking" : "assistant", field: text, part: true };
}
