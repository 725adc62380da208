/** Compares two protocol versions: every difference once, with its proof. */
import type { Json } from "../json.js";
import type { EventType } from "../model/protocol.js";
import { type Aligned, align } from "./align.js";
import type { Change, Judged, Occurrence, Proof } from "./change.js";
import { withoutEchoes } from "./echoes.js";
import { type EventRename, eventRenames } from "./event-renames.js";
import { inFamilies } from "./field-families.js";
import { withFieldRenames } from "./field-renames.js";
import { grouped } from "./group.js";
import { type Court, judge, judgeGone, judgeNew, saysMore } from "./judge.js";
import { lets, type Oracle } from "./readings.js";
import { relaid } from "./relaid.js";
import { withRepurposed } from "./repurposed.js";
import { prepareSandwiches, type Sandwiches } from "./sandwich.js";
import { type Side, spotAt } from "./side.js";
import { unexplained } from "./unexplained.js";

/** A version to compare against, and its name for the user. */
export interface BaselineSide extends Side {
  readonly label: string;
}

/** Kinds that say something although they break nothing. */
export const HARMLESS: ReadonlySet<string> = new Set([
  ...[
    "event-added",
    "field-added-optional",
    "enum-value-added",
    "enum-opened",
    "enum-closed",
    "default-changed",
  ],
  ...["stability-decreased", "stability-increased", "content-opened", "layout-changed"],
]);

/** What earlier comparisons of one contract have seen to. */
export interface Earlier {
  /** The versions of event types that it was compared with. */
  readonly met: Set<string>;
  /** Whether it has been said already. */
  isSaid(change: Change): boolean;
}

const nothing = (): Earlier => ({ met: new Set(), isSaid: () => false });

/** Every difference between `before` and `after` that means something and was not said earlier, judged. Deterministic. */
export async function compare(
  before: BaselineSide,
  after: Side,
  oracle: Oracle,
  earlier: Earlier = nothing(),
): Promise<Judged[]> {
  const named = relaid(before, after);
  if (!named) return compareLaid(before, after, oracle, earlier);
  const names = await compareLaid(before, after, oracle, nothing(), named.owns);
  const rest = await compare(named.side, after, oracle, earlier);
  return [...names, ...rest.map((change) => ({ ...change, proof: toldBack(change.proof, named.back) }))];
}

/** An event of the baseline under the names that the baseline has; one of today is refused for its names already. */
function toldBack(proof: Proof, back: (event: Json) => Json): Proof {
  return proof.left === undefined ? proof : { ...proof, left: back(proof.left) };
}

/** The differences that `wanted` lets pass, all of them unless it is given. */
async function compareLaid(
  before: BaselineSide,
  after: Side,
  oracle: Oracle,
  { met, isSaid }: Earlier,
  wanted?: (change: Change) => boolean,
): Promise<Judged[]> {
  const all = align(before, after, met);
  const aligned = wanted ? { ...all, changes: all.changes.filter(wanted), added: [], removed: [] } : all;
  const sides = prepareSandwiches(before.protocol, after.protocol, oracle);
  const fields = withFieldRenames(aligned.changes, before, after);
  const renames = renamedEvents(sides, aligned, fields);
  const inside = withRepurposed(withoutEchoes(fields, renames), aligned.pairs, before.protocol);
  const said = new Set(inside.filter(isSaid));
  const changes = grouped(inside.filter((change) => !said.has(change)));
  const court = courtOf(sides, aligned);
  const proven: (Change & { readonly proof: Proof })[] = [];
  for (const { change, parts } of inFamilies(changes))
    if (change.kind !== "content-opened" || (await saysMore(court, change)))
      proven.push({ ...change, proof: await judge(court, parts) });
  const rest = (wanted ? [] : await unexplained(court, proven, [...said])).map(({ pair, half, proof }) => ({
    ...wholeChange(contractRule(half, proof), pair.before, pair.after),
    proof,
  }));
  const otherMajor = before.protocol.major !== after.protocol.major;
  const events = (await eventChanges(sides, aligned, renames)).map((change) =>
    withoutEnvelope(change, proven, sides),
  );
  return [...events, ...proven, ...rest]
    .filter(({ kind, proof }) => HARMLESS.has(kind) || proof.hurts.length > 0)
    .map((change) => ({ ...change, against: before.label, otherMajor }));
}

function contractRule(half: "left" | "right", proof: Proof): string {
  if (proof.undecided !== undefined) return "contract-undecided";
  return half === "left" ? "contract-narrowed" : "contract-widened";
}

/** The events that may differ: all of them if the envelope does. */
function courtOf(sides: Sandwiches, { pairs, differing }: Aligned): Court {
  const asked = sides.sameEnvelope ? differing : pairs;
  return { sides, pairs: new Map(asked.map((pair) => [pair.before.type, pair])) };
}

function renamedEvents(
  { before, after }: Sandwiches,
  { removed, added }: Aligned,
  changes: readonly Change[],
): EventRename[] {
  const fields = changes.filter(({ kind }) => kind === "field-renamed");
  const renamed = new Map(fields.map(({ from, to }) => [String(from), String(to)]));
  return eventRenames(removed, added, { protocol: before, renamed }, after);
}

async function eventChanges(
  sides: Sandwiches,
  { removed, added }: Aligned,
  renames: readonly EventRename[],
): Promise<(Change & { readonly proof: Proof })[]> {
  const moved = new Set(renames.flatMap(({ members }) => members.flat()));
  const found: (Change & { readonly proof: Proof })[] = [];
  for (const rename of renames) found.push(await judgeRename(sides, rename));
  for (const event of removed.filter((each) => !moved.has(each)))
    found.push({ ...wholeChange("event-removed", event), proof: await judgeGone(sides, event) });
  for (const event of added.filter((each) => !moved.has(each)))
    found.push({ ...wholeChange("event-added", undefined, event), proof: await judgeNew(sides, event) });
  return found;
}

async function judgeRename(
  sides: Sandwiches,
  rename: EventRename,
): Promise<Change & { readonly proof: Proof }> {
  const { from, to, members, declared, score, ties } = rename;
  const [first] = members;
  const change = first ? wholeChange("event-renamed", first[0], first[1]) : wholeChange("event-renamed");
  const names = members.map(([old, now]) => [old.type, now.type] as const);
  return {
    ...change,
    ...{ name: from, from, to },
    occurrences: members.map(([old]) => whole(old)),
    rename: { declared, score, ties, ...(members.length > 1 && { members: names }) },
    proof: first ? await judgeGone(sides, first[0]) : { hurts: [] },
  };
}

/** A new event type is not at fault where readers refuse every event for the sake of a change of the envelope. */
function withoutEnvelope<T extends Change & { readonly proof: Proof }>(
  change: T,
  proven: readonly (Change & { readonly proof: Proof })[],
  { before }: Sandwiches,
): T {
  const blamed = proven.some(
    ({ proof, occurrences }) =>
      proof.hurts.includes("old readers of new events") && occurrences[0]?.event === "",
  );
  return change.kind === "event-added" && blamed && lets(before, change.name)
    ? { ...change, proof: { hurts: [] } }
    : change;
}

/** A change of an event type as a whole. */
function wholeChange(kind: string, before?: EventType, after?: EventType): Change {
  const event = before ?? after;
  return {
    kind,
    name: event?.type ?? "",
    occurrences: event ? [whole(event)] : [],
    claim: {},
    ...(before && { before: spotAt(before.payload, before.at) }),
    ...(after && { after: spotAt(after.payload, after.at) }),
  };
}

function whole({ type, stability }: EventType): Occurrence {
  return { event: type, path: "", steps: [], stability };
}
