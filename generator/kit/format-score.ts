/** The report of a score. */
import { groupBy } from "../group-by.js";
import type { SampleEvent } from "../sample/event-maker.js";
import { formatCount } from "../text.js";

/** Whether a consumer shows a fact: each two variants look different, some look alike, or all do. */
export interface FactResult {
  readonly outcome: "shown" | "confused" | "blind" | "untried";
  /** Two variants that look alike. */
  readonly alike?: readonly [string, string];
  /** A stream with one of them. */
  readonly events?: readonly SampleEvent[];
}

/** The results, the best one first. */
export const OUTCOMES = ["shown", "confused", "blind", "untried"] as const;

/** A fact: what differs between streams that are otherwise the same. */
export interface ScoredFact {
  readonly type: string;
  /** The payload field; absent if the fact is about the event itself. */
  readonly field?: string;
  /** What of it differs. */
  readonly change: "value" | "presence" | "repetition" | "order" | "thing" | "end" | "run" | "lost start";
  readonly result: FactResult;
}

/** Why a fact was not tried. */
const REASONS: { readonly [change in ScoredFact["change"]]: string } = {
  value: "the contract allows no other value alone",
  presence: "the contract or its stream rules demand it",
  repetition: "the stream rules do not allow a second one",
  order: "no two such events differ in one field alone, or the rules allow one order",
  end: "there is no other end",
  thing: "the rules do not allow two open things that are alike",
  run: "the rules do not allow the same id in two runs",
  "lost start": "the rules do not allow it without a start",
};

/** Returns the share of the tried facts that are shown, as a line, and the facts that are not shown, by event type. */
export function formatScore(facts: readonly ScoredFact[]): string {
  const counts = OUTCOMES.map((outcome) => facts.filter(({ result }) => result.outcome === outcome).length);
  const [shown = 0, confused = 0, blind = 0, untried = 0] = counts;
  const tried = shown + confused + blind;
  const percent = tried === 0 ? 0 : Math.floor((100 * shown) / tried);
  const lines = [
    `Score: the snapshot shows ${shown} of ${tried} facts (${percent} %). It never shows ${blind}, and confuses ${confused}. ${untried} were not tried.`,
  ];
  const byType = groupBy(facts, ({ type }) => type);
  const isHidden = (type: string): boolean =>
    byType.get(type)?.every(({ result: { outcome } }) => outcome === "blind" || outcome === "untried") ===
    true;
  const hidden = [...byType.keys()].filter(isHidden);
  const list = (title: string, groups: ReadonlyMap<string, readonly string[]>): void => {
    if (groups.size > 0) lines.push("", title);
    for (const [name, texts] of groups) lines.push(`  ${name}: ${listSome(texts)}`);
  };
  const select = (outcome: FactResult["outcome"]) => facts.filter(({ result }) => result.outcome === outcome);
  const confusions = select("confused");
  list(
    "Confused:",
    groupTexts(
      confusions,
      ({ type }) => type,
      (fact) => {
        const [first = "", second = ""] = fact.result.alike ?? [];
        return `${nameFact(fact)}: ${fold(first)} looks like ${fold(second)}`;
      },
    ),
  );
  list(
    "Never shown:",
    groupTexts(
      select("blind").filter(({ type }) => !isHidden(type)),
      ({ type }) => type,
      nameFact,
    ),
  );
  if (hidden.length > 0) lines.push(`  nothing of ${listSome(hidden)}`);
  list(
    "Not tried:",
    groupTexts(
      select("untried"),
      ({ change }) => REASONS[change],
      (fact) => `${fact.type} ${nameFact(fact)}`,
    ),
  );
  return lines.join("\n");
}

/** Returns a list of texts for each group of facts. */
function groupTexts(
  facts: readonly ScoredFact[],
  getName: (fact: ScoredFact) => string,
  format: (fact: ScoredFact) => string,
): ReadonlyMap<string, readonly string[]> {
  return new Map([...groupBy(facts, getName)].map(([name, group]) => [name, group.map(format)]));
}

/** The largest number of facts that are listed. */
const MAX_LISTED = 20;

function listSome(texts: readonly string[]): string {
  const more = texts.length - MAX_LISTED;
  return `${texts.slice(0, MAX_LISTED).join(", ")}${more > 0 ? ` and ${formatCount(more, "other")}` : ""}`;
}

function nameFact({ field, change }: ScoredFact): string {
  return field === undefined ? change : change === "value" ? field : `${field} (${change})`;
}

/** The longest value that is printed in full. */
const MAX_VALUE = 40;

function fold(value: string): string {
  return value.length > MAX_VALUE ? `${value.slice(0, MAX_VALUE)} …` : value;
}
