/** Writes docs/stream-rules.md and the schema of `stream.rules` from the table of stream rules. */
import type { DeclarationPart } from "../../generator/conform/declaration.js";
import type { AnyStreamRule } from "../../generator/conform/stream-rule.js";
import {
  createStreamRulesSchema,
  STREAM_FINDINGS,
  STREAM_RULES,
} from "../../generator/conform/stream-rules.js";
import { isObject, type JsonObject } from "../../generator/json.js";

const INTRO = `# Stream rules

\`accrete validate\` checks the streams that events form with these rules. Most rules follow from the declarations in \`stream.rules\` of protocol.json ([all declarations](#what-can-be-declared)), so they work for every protocol without code.

**Profiles.** The reader profile contains the rules that a consumer may rely on. The writer profile also contains rules for writers that consumers must not rely on. A rule may be off in one of them.

**Incomplete streams.** Files may be cut off, old events may be pruned, and a feed may be filtered or joined in the middle. A rule reports nothing if the beginning of something may have been missed, or if a part of it may be in a gap. A stream counts as complete from its start if its first event has the first sequence number of the contract. In protocols without sequence numbers, it counts as complete from an event that opens it. A gap marker and a value that is not an event count as gaps.

**Order.** A repeated id with the same content is a redelivery, which the reader profile always accepts. Each stream is checked by itself; how the events of several streams are mixed does not matter. Only ids are compared across streams, if protocol.json has \`"idScope": "protocol"\`: among the ids of the last 4 to 8 MiB of input.

**Memory** is bounded for each open stream. A stream that has ended is forgotten when 1,000 other streams have ended after it. If a limit is reached, \`stream-limit-reached\` reports it.

This page is generated from the table of rules (\`npm run docs\`).`;

/** Formats the whole page. */
export function formatStreamRulesPage(): string {
  const rows = STREAM_FINDINGS.map(
    ({ id, severity, summary }) =>
      `| [${id}](#${id}) | ${severity.reader} | ${severity.writer} | ${summary} |`,
  );
  const table = `| rule | reader | writer | summary |\n|---|---|---|---|\n${rows.join("\n")}`;
  return `${[INTRO, table, ...STREAM_FINDINGS.map(formatSection), formatDeclarations()].join("\n\n")}\n`;
}

function formatSection({
  id,
  summary,
  explanation,
  hint,
  severity,
  declaredBy,
}: (typeof STREAM_FINDINGS)[number]): string {
  const facts = [
    `Reader: ${severity.reader}. Writer: ${severity.writer}.`,
    `Fix: ${hint}`,
    ...(declaredBy === undefined ? [] : [`Declared by: \`${declaredBy}\``]),
  ];
  const capital = summary.charAt(0).toUpperCase() + summary.slice(1);
  return [`## ${id}`, `${capital}. ${explanation}`, facts.map((fact) => `- ${fact}`).join("\n")].join("\n\n");
}

function formatDeclarations(): string {
  const intro =
    'These are the members of `stream.rules` in protocol.json. accrete checks the names of event types and fields when it loads the protocol. A declaration with `"profile": "writer"` applies to writers only. `"x-source"`, a list of texts, says where a declaration comes from.';
  return ["## What can be declared", intro, ...STREAM_RULES.map(formatDeclaration)].join("\n\n");
}

function formatDeclaration({
  member,
  declaration: { description, properties },
  example,
}: AnyStreamRule): string {
  const schemas = Object.entries<DeclarationPart>(properties).map(
    ([name, { schema }]) => [name, schema] as const,
  );
  const list = listProperties(Object.fromEntries(schemas)).join("\n");
  const shown = `\`\`\`json\n"${member}": ${JSON.stringify(example)}\n\`\`\``;
  return [`### ${member}`, description, list, shown].join("\n\n");
}

/** Lists the members of an object, and below each those of the objects in it. */
function listProperties(properties: JsonObject, indent = ""): string[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const { description, items, properties: own } = schema as JsonObject;
    const inner = own ?? (isObject(items) ? items.properties : undefined);
    return [
      `${indent}- \`${name}\`: ${description}`,
      ...(isObject(inner) ? listProperties(inner, `${indent}  `) : []),
    ];
  });
}

/** Returns the published schema of protocol.json with the declarations of the table of rules. */
export function addStreamRules(schema: JsonObject): JsonObject {
  const { $defs } = schema as { readonly $defs: JsonObject };
  return { ...schema, $defs: { ...$defs, rules: createStreamRulesSchema() } };
}
