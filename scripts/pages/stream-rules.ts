/** docs/stream-rules.md and the schema of `stream.rules`, both made of the table of stream rules. */
import { streamRulesSchema } from "../../generator/conform/declaration-schema.js";
import type { AnyStreamRule } from "../../generator/conform/stream-rule.js";
import { STREAM_FINDINGS, STREAM_RULES } from "../../generator/conform/stream-rules.js";
import type { JsonObject } from "../../generator/json.js";

const INTRO = `# Rules of streams

\`accrete validate\` checks runs, not only events: this page says by which rules. It is made of the table of rules; a test keeps it up to date.

**Two profiles.** The reader profile holds what a consumer may rely on, so a breach of it is worth waking someone. The writer profile holds what a well-behaved emitter does and golden streams must show. A rule may be off in one of them.

**Parts of streams.** Files get cut, old events are pruned, feeds are filtered and joined in the middle. Where the beginning of a thing may have been missed, or something of it may be in a hole, nothing is said about it. A stream counts as seen from its start if its first event has the first number of the contract, or, in protocols without numbers, from an event on that opens it. A gap marker and a value that is no event are holes too.

**Order.** A repeated id with the same content is a redelivery and never a breach for readers. Streams are judged each on its own; how their events are mixed does not matter.

**Memory** is bounded for each open stream. Streams that have ended are given up when a thousand others have ended after them. Where a bound is reached, \`stream-limit-reached\` says so.

Most rules follow from what protocol.json declares in \`stream.rules\`; [below](#what-can-be-declared) is what can be said there. So they work for any protocol, without code.`;

/** The whole page. */
export function streamRulesPage(): string {
  const rows = STREAM_FINDINGS.map(
    ({ id, severity, summary }) =>
      `| [${id}](#${id}) | ${severity.reader} | ${severity.writer} | ${summary} |`,
  );
  const table = `| rule | reader | writer | what it says |\n|---|---|---|---|\n${rows.join("\n")}`;
  return `${[INTRO, table, ...STREAM_FINDINGS.map(section), declarations()].join("\n\n")}\n`;
}

function section({
  id,
  summary,
  explanation,
  hint,
  severity,
  declaredBy,
}: (typeof STREAM_FINDINGS)[number]): string {
  const facts = [
    `Reader: ${severity.reader}. Writer: ${severity.writer}.`,
    `What to do: ${hint}`,
    ...(declaredBy === undefined ? [] : [`Declared by: \`${declaredBy}\``]),
  ];
  const capital = summary.charAt(0).toUpperCase() + summary.slice(1);
  return [`## ${id}`, `${capital}. ${explanation}`, facts.map((fact) => `- ${fact}`).join("\n")].join("\n\n");
}

function declarations(): string {
  const intro =
    'Members of `stream.rules` in protocol.json. The names of event types and fields are checked when the protocol is loaded. A declaration with `"profile": "writer"` binds emitters alone.';
  return ["## What can be declared", intro, ...STREAM_RULES.map(declaration)].join("\n\n");
}

function declaration({ member, declaration: { description, properties }, example }: AnyStreamRule): string {
  const described = Object.entries(properties).filter(([name]) => name !== "profile");
  const list = described.map(([name, schema]) => `- \`${name}\`: ${schema.description}`).join("\n");
  const shown = `\`\`\`json\n"${member}": ${JSON.stringify(example)}\n\`\`\``;
  return [`### ${member}`, description, list, shown].join("\n\n");
}

/** The published schema of protocol.json with the declarations of the table of rules. */
export function withStreamRules(schema: JsonObject): JsonObject {
  const { $defs } = schema as { readonly $defs: JsonObject };
  return { ...schema, $defs: { ...$defs, rules: streamRulesSchema(STREAM_RULES) } };
}
