/** Facts about what a contract announces: that a name goes, or that it replaces another one. */
import { compareVersions } from "../../protocol/version.js";
import type { Evidence, Fact } from "../rules/rule.js";
import { buries, keyOf, type Name, withoutShared } from "./released-names.js";
import { declared, factOf, gone, spokenOf } from "./removed-names.js";

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
  return withoutShared([...ledger.current.names.values()])
    .filter(
      (name) =>
        name.deprecated && name.replacedBy === undefined && newest?.get(keyOf(name))?.deprecated !== true,
    )
    .map((name) => factOf("deprecated-without-replacement", name, "after", { to: name.kind }));
}

type RenameFault = "rename-unmatched" | "rename-old-name-missing" | "rename-old-name-not-deprecated";

/** Declared renames by what is the matter with the old name. */
export function renameFaults(kind: RenameFault, evidence: Evidence): Fact[] {
  const { ledger, changes } = evidence;
  const spoken = spokenOf(changes);
  const names = ledger.past.length === 0 ? [] : [...ledger.current.names.values()];
  return withoutShared(names).flatMap((name) => {
    const old = declared(name);
    return old && renameFault(old, evidence, spoken) === kind
      ? [factOf(kind, name, "after", { from: old.name, to: name.kind })]
      : [];
  });
}

function renameFault(
  old: Name,
  { ledger, current }: Evidence,
  spoken: (name: Name) => boolean,
): RenameFault | undefined {
  const present = ledger.current.names.get(keyOf(old));
  if (present) return present.deprecated ? undefined : "rename-old-name-not-deprecated";
  if (current.tombstones.some((stone) => buries(stone, old))) return undefined;
  if (!ledger.past.some(({ names }) => names.has(keyOf(old)))) return "rename-unmatched";
  return spoken(old) ? undefined : "rename-old-name-missing";
}
