/** Rules about names over time: facts about the current contract and everything that was released before. */
import type { Protocol, Tombstone } from "../model/protocol.js";
import { compareVersions } from "../model/version.js";
import type { Judged } from "./change.js";
import { buries, keyOf, type Ledger, type Name } from "./ledger.js";
import type { Evidence, Fact } from "./rule.js";
import { spotAt } from "./side.js";

/** A fact about a name; `name` of the current side stands in `after`, one of a release in `before`. */
function factOf(
  kind: string,
  { name, event, path, stability, spot }: Name,
  side: "before" | "after",
  more: object = {},
): Fact {
  const occurrences = [{ event, path, steps: [], stability }];
  return { kind, name, occurrences, claim: {}, [side]: spot, ...more };
}

/** Names that went and are known, with the newest version that held each; not those that an error speaks of already. */
function gone({ ledger, changes }: Evidence): { name: Name; from: Protocol }[] {
  const found = new Map<string, { name: Name; from: Protocol }>();
  const spoken = spokenOf(changes);
  const narrowed = narrowedBy(changes);
  for (const { names, protocol, compared } of ledger.past.filter(({ released }) => released))
    for (const [key, name] of names) {
      const lost = comparable(name, protocol, ledger) && !name.fixed && !ledger.current.names.has(key);
      if (lost && !spoken(name) && (!compared || name.kind === "event" || narrowed(name)))
        found.set(key, { name, from: protocol });
    }
  const eventGone = ({ event, kind }: Name) =>
    kind !== "event" &&
    event !== "" &&
    !ledger.current.names.has(keyOf({ kind: "event", name: event, event, path: "" }));
  // With an event its fields are gone, and with a field those inside of it.
  return [...found.values()].filter(
    ({ name }) => !eventGone(name) && !(name.kind !== "event" && holderGone(name, ledger)),
  );
}

/** Whether an event has lost anything: where all that could be said still can be, a name is only written otherwise. */
function narrowedBy(changes: readonly Judged[]): (name: Name) => boolean {
  const lost = changes.filter(({ proof }) => proof.left !== undefined || proof.undecided !== undefined);
  const events = new Set(lost.flatMap(({ occurrences }) => occurrences.map(({ event }) => event)));
  return ({ event }) => events.has(event) || events.has("") || (event === "" && events.size > 0);
}

/** Whether a name's place means the same in both versions: it does not where messages are laid out differently. */
function comparable({ kind }: Name, { envelope: old }: Protocol, { current }: Ledger): boolean {
  const now = current.protocol.envelope;
  return kind === "event" || (old.placement === now.placement && old.property === now.property);
}

/** Whether one of the fields that lead to a name is gone. */
function holderGone({ event, path }: Name, { past, current }: Ledger): boolean {
  const tokens = path.split("/").filter((token) => token !== "*");
  const keys = tokens.map((name, i) =>
    keyOf({ kind: "field", event, path: tokens.slice(0, i).join("/"), name }),
  );
  return keys.slice(1).some((key) => !current.names.has(key) && past.some(({ names }) => names.has(key)));
}

/** Kinds that can take all names below their place with them. */
const STRUCTURAL = /^(event-|layout-|branch|contract-|condition-changed|type-changed|type-narrowed)/;

/** Whether a finding about the removal itself is an error already: it says all there is to do. */
function spokenOf(changes: readonly Judged[]): (name: Name) => boolean {
  const errors = changes.filter(
    ({ proof, otherMajor, waived, occurrences }) =>
      !otherMajor &&
      waived !== true &&
      proof.hurts.length > 0 &&
      occurrences.some(({ stability }) => stability !== "experimental"),
  );
  const known = new Set(
    errors.flatMap(({ name, from, occurrences, rename }) => {
      const paths = [
        name,
        ...[from ?? []].flat().map(String),
        ...(rename?.members ?? []).map(([old]) => old),
      ];
      // A move says where from.
      const names = paths.flatMap((each) => [each, each.slice(each.lastIndexOf("/") + 1)]);
      return occurrences.flatMap(({ event }) => names.map((each) => `${event} ${each}`));
    }),
  );
  const places = errors.filter(({ kind }) => STRUCTURAL.test(kind)).flatMap(({ occurrences }) => occurrences);
  const inside = ({ event, path }: Name): boolean =>
    places.some((at) => (at.event === event || at.event === "") && `${path}/`.startsWith(`${at.path}/`));
  return (name) => known.has(`${name.event} ${name.name}`) || known.has(` ${name.name}`) || inside(name);
}

/** Names that went without a tombstone, each once however many events held it. */
export function tombstonesMissing(evidence: Evidence): Fact[] {
  const { tombstones } = evidence.current;
  const renamed = new Set(
    [...evidence.ledger.current.names.values()].flatMap((name) =>
      declared(name) ? [keyOf(declared(name) ?? name)] : [],
    ),
  );
  const open = gone(evidence).filter(
    ({ name }) => !renamed.has(keyOf(name)) && !tombstones.some((stone) => buries(stone, name)),
  );
  const groups = new Map<string, { names: Name[]; from: Protocol }>();
  for (const { name, from } of open) {
    const key = `${name.kind} ${familyOf(evidence, name) ?? name.name}`;
    groups.set(key, { names: [...(groups.get(key)?.names ?? []), name], from });
  }
  return [...groups.values()].flatMap(({ names, from }) => missing(names, from));
}

function missing(names: readonly Name[], { version }: Protocol): Fact[] {
  const [first] = names;
  if (!first) return [];
  const lost = [...new Set(names.map(({ name }) => name))];
  const occurrences = names.flatMap((name) => factOf("tombstone-missing", name, "before").occurrences);
  return [
    factOf("tombstone-missing", first, "before", { from: [version, ...lost], to: first.kind, occurrences }),
  ];
}

/** The rename of several names, if there is one, with which a name went. */
function familyOf({ changes }: Evidence, { name }: Name): string | undefined {
  return changes.find(({ rename }) => rename?.members?.some(([old]) => old === name))?.name;
}

/** The name that another one says it replaces. */
function declared(name: Name): Name | undefined {
  if (name.renamedFrom === undefined) return undefined;
  return { ...name, name: name.renamedFrom, ...(name.kind === "event" && { event: name.renamedFrom }) };
}

/** Names in use that a release had buried, or that were gone and now mean something else. */
export function tombstonesReused({ ledger, current }: Evidence): Fact[] {
  return [...ledger.current.names.values()].flatMap((name) => {
    const stone = ledger.past
      .flatMap(({ protocol }) => protocol.tombstones)
      .find((each) => buries(each, name));
    if (stone) return [factOf("tombstone-reused", name, "after", { from: stone.removedIn, to: name.kind })];
    const last = lastBeforeGap(ledger, name);
    const changed = last !== undefined && last.meaning() !== name.meaning();
    return changed && !current.tombstones.some((each) => buries(each, name))
      ? [factOf("tombstone-reused", name, "after", { to: name.kind })]
      : [];
  });
}

/** The name as the last release before it was gone held it, if a release lacks it. */
function lastBeforeGap({ past }: Ledger, name: Name): Name | undefined {
  const held = past.filter(({ released }) => released).map(({ names }) => names.get(keyOf(name)));
  const newest = held.length - 1;
  if (newest < 0 || held[newest] !== undefined) return undefined;
  return held.findLast((each) => each !== undefined);
}

/** Tombstones of releases that are no more, and whose names are not in use again. */
export function tombstonesRemoved({ ledger, current }: Evidence): Fact[] {
  const inUse = (stone: Tombstone): boolean =>
    [...ledger.current.names.values()].some((name) => buries(stone, name));
  const kept = new Set(current.tombstones.map(stoneKey));
  const lost = ledger.past.flatMap(({ protocol }) =>
    protocol.tombstones.filter((stone) => !kept.has(stoneKey(stone)) && !inUse(stone)),
  );
  const unique = new Map(lost.map((stone) => [stoneKey(stone), stone]));
  return [...unique.values()].map((stone) => ({
    ...{ kind: "tombstone-removed", name: stone.name, from: stone.removedIn, to: stone.kind, claim: {} },
    occurrences: [{ event: stone.in?.split("#")[0] ?? "", path: "", steps: [], stability: "stable" }],
    before: spotAt(stone.name, stone.at),
  }));
}

function stoneKey({ kind, name, in: where }: Tombstone): string {
  return JSON.stringify([kind, name, where ?? null]);
}

/** Names that went although no release had announced it, or before the announcement was a release old. */
export function removedUnannounced(
  kind: "removed-without-deprecation" | "removed-too-early",
  evidence: Evidence,
): Fact[] {
  const wanted = (name: Name): boolean =>
    kind === "removed-without-deprecation" ? !name.deprecated : name.deprecated && tooEarly(name, evidence);
  // What the newest release lacks already went with it: the announcement can no more be made.
  const newest = evidence.ledger.past.findLast(({ released }) => released)?.names;
  return gone(evidence)
    .filter(({ name }) => newest?.has(keyOf(name)))
    .filter(({ name }) => name.kind !== "value" && name.stability !== "experimental" && wanted(name))
    .map(({ name }) =>
      factOf(kind, name, "before", {
        to: name.kind,
        ...(name.deprecatedSince !== undefined && { from: name.deprecatedSince }),
      }),
    );
}

/** Whether the current version is none after the one that announced it: by its own word, or by the first that held it so. */
function tooEarly(name: Name, { current, ledger }: Evidence): boolean {
  const held = ledger.past.find(({ names }) => names.get(keyOf(name))?.deprecated)?.protocol.version;
  const announced = [name.deprecatedSince, held].filter((version) => version !== undefined);
  return announced.some((version) => compareVersions(current.version, version) <= 0);
}

/** Names that are announced to go without a word on what to use. */
export function deprecatedWithoutReplacement({ ledger }: Evidence): Fact[] {
  const newest = ledger.past.at(-1)?.names;
  if (!ledger.whole) return [];
  return [...ledger.current.names.values()]
    .filter(
      (name) =>
        name.deprecated && name.replacedBy === undefined && newest?.get(keyOf(name))?.deprecated !== true,
    )
    .map((name) => factOf("deprecated-without-replacement", name, "after", { to: name.kind }));
}

/** Declared renames by what is the matter with the old name. */
export function renameFaults(
  kind: "rename-unmatched" | "rename-old-name-missing" | "rename-old-name-not-deprecated",
  evidence: Evidence,
): Fact[] {
  const { ledger, current, changes } = evidence;
  const spoken = spokenOf(changes);
  return [...ledger.current.names.values()].flatMap((name) => {
    const old = declared(name);
    if (!old || ledger.past.length === 0) return [];
    const present = ledger.current.names.get(keyOf(old));
    const known = ledger.past.some(({ names }) => names.has(keyOf(old)));
    const buried = current.tombstones.some((stone) => buries(stone, old));
    const fault = present
      ? present.deprecated
        ? undefined
        : "rename-old-name-not-deprecated"
      : !known && !buried
        ? "rename-unmatched"
        : buried || spoken(old)
          ? undefined
          : "rename-old-name-missing";
    return fault === kind ? [factOf(kind, name, "after", { from: old.name, to: name.kind })] : [];
  });
}
