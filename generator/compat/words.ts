import type { Json } from "../json.js";
import type { Fact } from "./rule.js";

const MOST_NAMES = 3;

/** `"a"`, `"a" and "b"`, `"a", "b" and 3 more`. */
export function listed(values: Json | undefined): string {
  const list = (Array.isArray(values) ? values : values === undefined ? [] : [values]).map((each) =>
    JSON.stringify(each),
  );
  const [shown, more] = [list.slice(0, MOST_NAMES), list.length - MOST_NAMES];
  if (more > 0) return `${shown.join(", ")} and ${more} more`;
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
}

/** Where a fact is met: `tea.served`, `every event`, `tea.served and 4 more event types`. */
export function where({ occurrences }: Fact): string {
  const events = [...new Set(occurrences.map(({ event }) => event))];
  if (events.includes("")) return "every event";
  const [first = "the protocol"] = events;
  if (events.length === 1) return first;
  if (events.length === 2) return `${first} and ${events[1]}`;
  return `${first} and ${events.length - 1} more event types`;
}

/** The place of a fact's value: `/data/cups`. */
export function path({ occurrences: [first] }: Fact): string {
  return first?.path === "" || first === undefined ? "the event" : first.path;
}

/** A field of the fact's value. */
export function field(fact: Fact): string {
  const { occurrences, name } = fact;
  return JSON.stringify(`${occurrences[0]?.path ?? ""}/${name}`.slice(1));
}

/** What is called otherwise and how that is known: the end of a sentence about `things`. */
export function renameWords({ from, to, rename }: Fact, things: string): string {
  const known = rename === undefined ? "" : ` (${rename.declared ? "as declared" : suspected(rename)})`;
  const { members } = rename ?? {};
  if (!members) return `${listed(from)} is now ${listed(to)}, and the old name is gone${known}.`;
  const all = members.map(([old, now]) => `${old} → ${now}`).join(", ");
  return `${listed(from)} is now ${listed(to)} (${members.length} ${things}: ${all}), and the old names are gone${known}.`;
}

function suspected({ score, ties, members }: NonNullable<Fact["rename"]>): string {
  const others = ties.length > 0 ? `; ${listed([...ties])} would fit nearly as well` : "";
  return `suspected, ${members ? "at least " : ""}${score} of 100${others}`;
}

/** What to paste to declare a suspected rename. */
export function declaration({ from, rename }: Fact): string {
  if (rename === undefined || rename.declared) return "";
  return rename.members
    ? ` To declare it, write its old name as "x-renamed-from" into each new schema.`
    : ` To declare it, write "x-renamed-from": ${listed(from)} into the new schema.`;
}
