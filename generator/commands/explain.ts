import type { Rule } from "../compat/rule.js";
import { RULES } from "../compat/rules.js";
import type { StreamRule } from "../conform/stream-rule.js";
import { STREAM_RULES } from "../conform/stream-rules.js";
import { didYouMean } from "../model/nearest.js";
import type { CommandEntry } from "./command.js";
import { UsageError } from "./failure.js";
import { EXIT, type ExitCode, type Io } from "./io.js";

/** Whom a rule's effect hurts, for people. */
const HURT: { readonly [effect in Rule["effect"]]: string } = {
  adds: "nobody",
  withdraws: "readers that wait for the name; emitters that still send it",
  narrows: "new readers of old events, or emitters that still send them",
  widens: "old readers of new events",
  changes: "either side; the event that is shown says which",
  annotates: "nobody on the wire",
  promises: "nobody on the wire; whoever relied on the promise",
  guards: "nobody on the wire today; whoever meets the name again later",
};

/** A rule in full, as `accrete explain` prints it. */
export function explanation(rule: Rule): string {
  const { id, summary, explanation, repair, mirror, effect, example } = rule;
  const opposite =
    "rule" in mirror ? `The opposite is ${mirror.rule}.` : `It has no opposite: ${mirror.none}.`;
  const shown = JSON.stringify(example.before) === JSON.stringify(example.after) ? [] : examples(rule);
  return [
    `${id}: ${summary}`,
    "",
    explanation,
    "",
    `Effect:  ${effect}`,
    `Hurts:   ${HURT[effect]}`,
    `Repair:  ${repair}`,
    opposite,
    ...shown,
    "",
  ].join("\n");
}

function examples({ example }: Rule): string[] {
  return [
    "",
    "Before:",
    JSON.stringify(example.before, null, 2),
    "After:",
    JSON.stringify(example.after, null, 2),
  ];
}

/** docs/rules.md: every rule, in the order of the table. */
export function rulesPage(): string {
  const rows = RULES.map(({ id, effect, summary }) => `| [${id}](#${id}) | ${effect} | ${summary} |`);
  const intro =
    "`accrete explain RULE` prints the same text. This page is made of the table of rules; a test keeps it up to date.";
  const table = `| rule | effect | what it says |\n|---|---|---|\n${rows.join("\n")}`;
  return `${["# Rules of accrete compat", intro, table, ...RULES.map(section)].join("\n\n")}\n`;
}

function section({ id, summary, explanation, effect, repair, mirror, example }: Rule): string {
  const opposite =
    "rule" in mirror ? `Opposite: [${mirror.rule}](#${mirror.rule})` : `No opposite: ${mirror.none}`;
  const facts = [`Effect: ${effect}`, `Hurts: ${HURT[effect]}`, `Repair: ${repair}`, opposite];
  const list = facts.map((fact) => `- ${fact}`).join("\n");
  const code = [example.before, example.after].map((files) => JSON.stringify(files));
  const shown = code[0] === code[1] ? [] : [`\`\`\`json\n${code.join("\n")}\n\`\`\``];
  return [`## ${id}`, `${capital(summary)}. ${explanation}`, list, ...shown].join("\n\n");
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A rule about streams in full. */
function ofStreams({ id, summary, explanation, hint, severity, declaredBy }: StreamRule): string {
  const follows = declaredBy === undefined ? [] : [`Follows: stream.${declaredBy} in protocol.json`];
  const levels = Object.entries(severity).map(([profile, level]) => `${level} for the ${profile} profile`);
  return [
    ...[`${id}: ${summary}`, "", explanation, ""],
    ...[`Repair:   ${hint}`, `Severity: ${levels.join(", ")}`, ...follows, ""],
  ].join("\n");
}

function explain([id]: readonly string[], io: Io): ExitCode {
  if (id === undefined) {
    const all = [...RULES, ...STREAM_RULES];
    const width = Math.max(...all.map((rule) => rule.id.length));
    io.stdout(all.map((rule) => `${rule.id.padEnd(width)}  ${rule.summary}\n`).join(""));
    return EXIT.ok;
  }
  const rule = RULES.find((each) => each.id === id);
  const streamRule = STREAM_RULES.find((each) => each.id === id);
  if (!rule && !streamRule) {
    const known = [...RULES, ...STREAM_RULES].map((each) => each.id);
    throw new UsageError(
      `There is no rule "${id}"${didYouMean(id, known)} accrete explain without a name lists those of compat and of streams; findings of other kinds say all there is to say themselves.`,
    );
  }
  io.stdout(
    [...(rule ? [explanation(rule)] : []), ...(streamRule ? [ofStreams(streamRule)] : [])].join("\n"),
  );
  return EXIT.ok;
}

/** `accrete explain`. */
export const explainCommand: CommandEntry = {
  name: "explain",
  summary: "say what a rule of compat or of streams means, with the repair",
  operands: { syntax: "[rule...]", description: "id of a rule; a list of all rules if there is none" },
  options: [],
  examples: [
    ["explain", "every rule, a line each"],
    ["explain field-renamed", "one rule in full"],
  ],
  run: async (operands, _options, io) => explain(operands, io),
};
