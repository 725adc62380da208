/** Finds resources that were removed, added or renamed. */
import { canonical } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { ProvenChange } from "../change.js";
import type { InclusionChecks } from "../proof/inclusion-checks.js";
import { proveRemoval } from "../proof/prove-changes.js";
import { matchNames } from "../renames/match.js";
import { RESOURCE_RULES } from "../rules/resources.js";
import { type Subject, wholeChange, wholePlace } from "../subjects.js";
import { inlined } from "./view.js";

/** Returns a proven change for each resource that only one side has. A new resource breaks nothing. */
export async function compareResourceNames(
  sides: InclusionChecks,
  { removed, added }: { readonly removed: readonly Subject[]; readonly added: readonly Subject[] },
): Promise<ProvenChange[]> {
  const found: ProvenChange[] = [];
  const moved = new Set<Subject>();
  for (const { from, to, score, ties, declared } of renamesOf(sides, removed, added)) {
    moved.add(from).add(to);
    found.push({
      ...wholeChange(RESOURCE_RULES["resource-renamed"], from, to),
      ...{ from: from.resource ?? "", to: to.resource ?? "", occurrences: [wholePlace(from)] },
      rename: { declared, score, ties },
      proof: await proveRemoval(sides, from),
    });
  }
  for (const each of removed.filter((subject) => !moved.has(subject)))
    found.push({
      ...wholeChange(RESOURCE_RULES["resource-removed"], each),
      proof: await proveRemoval(sides, each),
    });
  for (const each of added.filter((subject) => !moved.has(subject)))
    found.push({ ...wholeChange(RESOURCE_RULES["resource-added"], undefined, each), proof: { affects: [] } });
  return found;
}

/** A resource under a new name. */
interface ResourceRename {
  readonly from: Subject;
  readonly to: Subject;
  readonly declared: boolean;
  readonly score: number;
  readonly ties: readonly string[];
}

/** Returns the renames that `x-renamed-from` declares, and new resources that are equal to removed ones. */
function renamesOf(
  { before, after }: { readonly before: Protocol; readonly after: Protocol },
  removed: readonly Subject[],
  added: readonly Subject[],
): ResourceRename[] {
  const candidates = removed.flatMap((from) =>
    added.flatMap((to) => {
      const declared = to.renamedFrom === from.resource;
      const isSame = to.renamedFrom === undefined && meaningOf(from, before) === meaningOf(to, after);
      return declared || isSame ? [{ from, to, declared, score: 100 }] : [];
    }),
  );
  return matchNames(candidates, ({ type }) => type).map((match) => ({
    ...match,
    ties: match.ties.map(({ resource = "" }) => resource),
  }));
}

/** Returns the schema with references resolved, without prose, stability and since. */
function meaningOf({ payload }: Subject, { definitions }: Protocol): string {
  const { "x-stability": _stability, "x-since": _since, $schema: _dialect, ...rest } = payload;
  return canonical(inlined(rest, definitions));
}
