import { Option } from "commander";
import type { Rule } from "../compat/change.js";
import { RULES } from "../compat/rules/rules.js";
import { EVENT_RULES } from "../conform/check-event.js";
import { STREAM_FINDINGS } from "../conform/stream-rules.js";
import { UsageError } from "../failure.js";
import type { RuleText, RuleTexts } from "../finding.js";
import { EXIT, type ExitCode, type Io } from "../io.js";
import { LINT_RULES } from "../load/lint/lint-rules.js";
import { FIXTURE_RULES } from "../load/lint-fixtures.js";
import { loadValidProtocols } from "../load/load-protocols.js";
import { LOAD_RULES } from "../load/load-rules.js";
import { didYouMean } from "../nearest.js";
import { capitalize, formatLiteral } from "../text.js";
import type { CommandEntry } from "./command.js";
import { COMMAND_RULES } from "./command-rules.js";
import { parseNonEmpty, type RawOptions, readText, schemasOrBundledOption } from "./options.js";

/** The meaning of an effect, and the readers or writers that it affects. */
interface EffectText {
  readonly meaning: string;
  readonly affected: string;
}

/** The texts of the effects of rules. */
const EFFECTS: { readonly [effect in Rule["effect"]]: EffectText } = {
  adds: { meaning: "more can be sent", affected: "nobody" },
  withdraws: {
    meaning: "a name was removed, renamed or moved",
    affected: "readers that expect the name, and writers that still use it",
  },
  narrows: {
    meaning: "some values are no longer allowed",
    affected: "current readers of stored events, or writers built against the baseline",
  },
  widens: {
    meaning: "values are allowed that readers of the baseline refuse",
    affected: "readers built against the baseline",
  },
  "narrows-or-widens": {
    meaning: "some values are no longer allowed, or new ones are, or both",
    affected: "readers or writers; the finding states which",
  },
  reinterprets: {
    meaning: "the same values have another meaning, which validators do not notice",
    affected: "readers, because they decode the values wrongly",
  },
  annotates: { meaning: "no value is allowed or refused because of it", affected: "nobody" },
  "breaks-promise": {
    meaning: "a promise was withdrawn or is missing",
    affected: "users who relied on the promise",
  },
  "violates-history": {
    meaning: "a removed name, a release or a waiver is not in order; an error at every stability",
    affected: "readers and writers of later versions",
  },
};

/** Returns the full text of a rule, as `accrete explain` prints it. */
export function explainRule(rule: Rule): string {
  const { id, summary, explanation, hint, reverse, effect, example } = rule;
  const isUnchanged = JSON.stringify(example.before) === JSON.stringify(example.after);
  const exampleLines = isUnchanged ? [] : describeExample(rule);
  return [
    `${id}: ${summary}`,
    "",
    explanation,
    "",
    `Effect:  ${effect} (${EFFECTS[effect].meaning})`,
    `Affects: ${EFFECTS[effect].affected}`,
    `Fix:     ${hint}`,
    `Reverse: ${"rule" in reverse ? reverse.rule : reverse.description}`,
    ...exampleLines,
    "",
  ].join("\n");
}

function describeExample({ example }: Rule): string[] {
  return [
    "",
    "Baseline (files that differ from those of a small protocol):",
    JSON.stringify(example.before, null, 2),
    "Current:",
    JSON.stringify(example.after, null, 2),
  ];
}

/** Returns the text of docs/rules.md: every rule, in the order of the table. */
export function renderRulesPage(): string {
  const rows = RULES.map(({ id, effect, summary }) => `| [${id}](#${id}) | ${effect} | ${summary} |`);
  const intro = `\`accrete explain RULE\` prints the same texts, and those of all other rules, such as lint rules. [How compatibility is decided](compatibility.md) explains the terms. This page is generated from the table of rules (\`npm run docs\`).

An example has two lines: the baseline and the current contract. Each line lists the files that differ from those of a small protocol.

The effect of a rule states what a change does to the contract:

| effect | meaning | affects |
|---|---|---|
${Object.entries(EFFECTS)
  .map(([effect, { meaning, affected }]) => `| ${effect} | ${meaning} | ${affected} |`)
  .join("\n")}`;
  const table = `| rule | effect | summary |\n|---|---|---|\n${rows.join("\n")}`;
  return `${["# Rules of accrete compat", intro, table, ...RULES.map(renderSection)].join("\n\n")}\n`;
}

function renderSection({ id, summary, explanation, effect, hint, reverse, example }: Rule): string {
  const reverseChange = "rule" in reverse ? `[${reverse.rule}](#${reverse.rule})` : reverse.description;
  const facts = [
    `Effect: ${effect}`,
    `Affects: ${EFFECTS[effect].affected}`,
    `Fix: ${hint}`,
    `Reverse change: ${reverseChange}`,
  ];
  const list = facts.map((fact) => `- ${fact}`).join("\n");
  const before = JSON.stringify(example.before);
  const after = JSON.stringify(example.after);
  const code = before === after ? [] : [`\`\`\`json\n${before}\n${after}\n\`\`\``];
  return [`## ${id}`, `${capitalize(summary)}. ${explanation}`, list, ...code].join("\n\n");
}

/** Returns the explanation of a finding about streams. */
function explainStreamFinding({
  id,
  summary,
  explanation,
  hint,
  severity,
  declaredBy,
}: (typeof STREAM_FINDINGS)[number]): string {
  const declaration =
    declaredBy === undefined ? [] : [`Declared: stream.rules.${declaredBy} in protocol.json`];
  const levels = Object.entries(severity).map(([profile, level]) => `${level} for the ${profile} profile`);
  return [
    `${id}: ${summary}`,
    "",
    explanation,
    "",
    `Fix:      ${hint}`,
    `Severity: ${levels.join(", ")}`,
    ...declaration,
    "",
  ].join("\n");
}

/** The rules of loading, lint, single events and commands. */
const OTHER_RULES: RuleTexts = {
  ...LOAD_RULES,
  ...LINT_RULES,
  ...FIXTURE_RULES,
  ...EVENT_RULES,
  ...COMMAND_RULES,
};

function explainOtherRule(id: string, { summary, explanation, hint }: RuleText): string {
  return [`${id}: ${summary}`, "", explanation, "", `Fix:      ${hint}`, ""].join("\n");
}

/** Returns every rule that a finding may name. */
export function listRules(): readonly { readonly id: string; readonly summary: string }[] {
  const others = Object.entries(OTHER_RULES).map(([id, { summary }]) => ({ id, summary }));
  return [...RULES, ...STREAM_FINDINGS, ...others];
}

/** Prints rules, event types and fields by their names; without names, a line for each rule. */
async function printExplanations(names: readonly string[], options: RawOptions, io: Io): Promise<ExitCode> {
  const all = listRules();
  if (names.length === 0) {
    const width = Math.max(...all.map((rule) => rule.id.length));
    io.stdout(all.map((rule) => `${rule.id.padEnd(width)}  ${rule.summary}\n`).join(""));
    return EXIT.ok;
  }
  if (!readsProtocols(names, options)) io.stdout(names.flatMap(findExplanations).join("\n"));
  else {
    const protocol = options.protocol === undefined ? [] : [String(options.protocol)];
    io.stdout(await explainWithProtocols(names, readText(options, "schemas"), protocol));
  }
  return EXIT.ok;
}

/** Returns whether the explanations of these names need protocols, and not the texts of rules alone. */
function readsProtocols(names: readonly string[], { protocol }: RawOptions): boolean {
  const ids = new Set(listRules().map(({ id }) => id));
  return protocol !== undefined || names.some((name) => !ids.has(name));
}

/** Returns the explanations of rules, with the declarations in the protocols from which they come, and of parts of the protocols. */
async function explainWithProtocols(
  names: readonly string[],
  schemas: string,
  ids: readonly string[],
): Promise<string> {
  const { describeUnknown, explainPart, listDeclarationsOf } = await import(
    "../emit/catalog/explain-part.js"
  );
  const protocols = await loadValidProtocols(schemas, ids);
  const rules = listRules().map(({ id }) => id);
  const texts = names.flatMap((name) => {
    if (rules.includes(name))
      return [...findExplanations(name), ...protocols.flatMap((each) => listDeclarationsOf(name, each))];
    const parts = explainPart(name, protocols);
    if (parts.length === 0) throw new UsageError(describeUnknown(name, protocols, rules));
    return parts;
  });
  return texts.join("\n");
}

/** Returns the explanations of an id; more than one if several tables have it. Throws a UsageError for an unknown id. */
export function findExplanations(id: string): string[] {
  const texts = [
    ...RULES.filter((rule) => rule.id === id).map(explainRule),
    ...STREAM_FINDINGS.filter((rule) => rule.id === id).map(explainStreamFinding),
    ...Object.entries(OTHER_RULES).flatMap(([name, text]) =>
      name === id ? [explainOtherRule(name, text)] : [],
    ),
  ];
  if (texts.length > 0) return texts;
  const ruleIds = listRules().map((rule) => rule.id);
  throw new UsageError(
    `There is no rule ${formatLiteral(id)}${didYouMean(id, ruleIds)} accrete explain without a name lists all.`,
  );
}

/** The command `accrete explain`. */
export const explainCommand: CommandEntry = {
  name: "explain",
  summary: "explain a rule and how to fix its findings, or an event type or a field and where it comes from",
  operands: {
    syntax: "[name...]",
    description:
      "ids of rules, event types, and fields such as tool.invoked/kind or envelope/time; without one, all rules are listed",
  },
  readsFolders: readsProtocols,
  options: [
    new Option(
      "--protocol <id>",
      "the protocol of the event types; for findings about streams, the protocol whose declarations are listed",
    ).argParser(parseNonEmpty),
    schemasOrBundledOption,
  ],
  examples: [
    ["explain", "every rule, a line each"],
    ["explain field-renamed", "one rule in full"],
    ["explain turn.completed", "an event type, its rules, and where they come from"],
    ["explain turn.completed/tool_calls", "one field"],
    ["explain event-blocked --protocol hecate/v1", "a finding, and the rules of a protocol that lead to it"],
  ],
  run: (operands, options, io) => printExplanations(operands, options, io),
};
