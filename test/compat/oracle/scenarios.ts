/** Questions to the comparison whose answer the messages know: each makes versions of a protocol and examines them. */
import { isObject, type JsonObject } from "../../../generator/json.js";
import type { Protocol } from "../../../generator/protocol/protocol.js";
import type { Random } from "../../../generator/random.js";
import { type Break, findBreaks } from "./find-breaks.js";
import { addToProtocol, type Mutated, mutateAlike, mutateProtocol } from "./mutate-protocol.js";
import { copyFiles, MANIFEST, type ProtocolFiles } from "./protocol-files.js";
import { randomProtocol } from "./random-protocol.js";
import { type CompatResult, hasNoErrors, loadFiles, runCompat, selectBreaks } from "./run-compat.js";

/** Versions of one protocol, oldest first. */
export interface Versions {
  readonly versions: readonly ProtocolFiles[];
  readonly mutations: readonly string[];
}

/** What came of one examination. */
export type Outcome =
  /** The comparison says what the messages say; `shows` tells whether there was something to find. */
  | { readonly is: "agreed"; readonly shows: boolean }
  /** `accrete lint` refuses a version, so that nothing was compared. */
  | { readonly is: "unloadable" }
  | Disagreement;

/** The comparison says something else than the messages. */
export interface Disagreement {
  readonly is: "hole" | "false alarm";
  readonly break?: Break;
  readonly findings: CompatResult["findings"];
}

/** A kind of question. */
export interface Scenario {
  make(random: Random): Versions;
  examine(versions: readonly ProtocolFiles[], seed: number): Promise<Outcome>;
}

const UNLOADABLE: Outcome = { is: "unloadable" };
const NOTHING: Outcome = { is: "agreed", shows: false };
const FOUND: Outcome = { is: "agreed", shows: true };

async function loadAll(versions: readonly ProtocolFiles[]): Promise<readonly Protocol[] | undefined> {
  const results = await Promise.all(versions.map(loadFiles));
  const loaded = results.flatMap(({ protocol }) => protocol ?? []);
  return loaded.length === versions.length ? loaded : undefined;
}

/** The comparison of the last version with those before it. */
async function compareLast(
  versions: readonly ProtocolFiles[],
  released: boolean,
): Promise<CompatResult | undefined> {
  const loaded = await loadAll(versions);
  const current = loaded?.at(-1);
  return loaded && current && runCompat({ baselines: loaded.slice(0, -1), current, released });
}

/** The last version must not pass if it shows a break against an earlier one. */
function mustFail(released: boolean): Scenario["examine"] {
  return async (versions, seed) => {
    const current = versions.at(-1);
    if (!current) return NOTHING;
    for (const baseline of versions.slice(0, -1)) {
      const [found] = findBreaks(baseline, current, { seed });
      if (!found) continue;
      const result = await compareLast(versions, released);
      if (!result) return UNLOADABLE;
      return hasNoErrors(result) ? { is: "hole", break: found, findings: result.findings } : FOUND;
    }
    return NOTHING;
  };
}

/** The last version must pass. */
async function mustPass(versions: readonly ProtocolFiles[]): Promise<Outcome> {
  const first = versions.slice(0, 1);
  const before = await compareLast([...first, ...first], false);
  const after = await compareLast(versions, false);
  if (!before || !after) return UNLOADABLE;
  // What is wrong with the baseline itself is no matter of the addition.
  if (!hasNoErrors(before)) return NOTHING;
  return hasNoErrors(after) ? FOUND : { is: "false alarm", findings: after.findings };
}

/** Breaks of experimental contracts are notes. */
async function mustNotBreak(versions: readonly ProtocolFiles[]): Promise<Outcome> {
  const result = await compareLast(versions, false);
  if (!result) return UNLOADABLE;
  const breaks = selectBreaks(result).filter(({ severity }) => severity === "error");
  return breaks.length > 0 ? { is: "false alarm", findings: breaks } : FOUND;
}

/**
 * Waivers for the breaks of the second version lift no others: of [baseline, reviewed, current], the last must fail.
 * Where the reviewed version is `released` with its waivers, they are about what came before it alone.
 */
async function examineWaivers(
  [baseline, reviewed, current]: readonly ProtocolFiles[],
  seed: number,
  released: boolean,
): Promise<Outcome> {
  if (!baseline || !reviewed || !current) return NOTHING;
  const first = await compareLast([baseline, reviewed], false);
  if (!first) return UNLOADABLE;
  const waivers = first.findings.flatMap(({ severity, rule, ...finding }) =>
    severity === "error" && "fingerprint" in finding
      ? [{ fingerprint: finding.fingerprint, rule, reason: "Reviewed.", expires: "1.9" }]
      : [],
  );
  if (waivers.length === 0) return NOTHING;
  const waived = await compareLast([baseline, withWaivers(reviewed, waivers)], false);
  if (!waived || !hasNoErrors(waived)) return NOTHING;
  const [found] = [
    ...(released ? findBreaks(reviewed, current, { seed }) : []),
    ...findBreaks(baseline, current, { seed, reviewed }),
  ];
  if (!found) return NOTHING;
  const result = released
    ? await compareLast([baseline, withWaivers(reviewed, waivers), current], true)
    : await compareLast([baseline, withWaivers(current, waivers)], false);
  if (!result) return UNLOADABLE;
  return hasNoErrors(result) ? { is: "hole", break: found, findings: result.findings } : FOUND;
}

const waiversOfContract: Scenario["examine"] = (versions, seed) => examineWaivers(versions, seed, false);
const waiversOfRelease: Scenario["examine"] = (versions, seed) => examineWaivers(versions, seed, true);

function withWaivers(files: ProtocolFiles, waivers: readonly JsonObject[]): ProtocolFiles {
  return { ...files, [MANIFEST]: { ...files[MANIFEST], waivers } };
}

/** A copy in which each stability is replaced. */
function withStability(files: ProtocolFiles, replace: (stability: string) => string): ProtocolFiles {
  const draft = copyFiles(files);
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const object = value as { [key: string]: unknown };
    if (!Array.isArray(value) && typeof object["x-stability"] === "string")
      object["x-stability"] = replace(object["x-stability"]);
    for (const each of Object.values(object)) visit(each);
  };
  for (const [path, document] of Object.entries(draft)) {
    if (path !== MANIFEST && isObject(document)) visit(document);
    if (path.startsWith("envelope"))
      document["x-stability"] = replace(document["x-stability"] ?? "candidate");
  }
  return draft;
}

/** Versions of a candidate protocol of which the second and the third show different breaks, if that succeeds. */
function makeReviewed(
  random: Random,
  change: (before: ProtocolFiles) => readonly [Mutated, Mutated],
): Versions {
  for (let tries = 0; ; tries++) {
    const lowest = random.chance(0.9) ? "candidate" : "stable";
    const before = withStability(randomProtocol(random), (each) => (each === "stable" ? lowest : each));
    const [reviewed, current] = change(before);
    const versions = [before, reviewed.files, current.files];
    const mutations = [...reviewed.mutations, ...current.mutations];
    const [first] = findBreaks(before, reviewed.files, { seed: tries });
    const [second] = first
      ? findBreaks(before, current.files, { seed: tries, reviewed: reviewed.files })
      : [];
    if (second || tries === 10) return { versions, mutations };
  }
}

function mutationsOf(random: Random): number {
  return random.pick([1, 1, 1, 2, 3]);
}

/** All scenarios by name. */
export const SCENARIOS: { readonly [name: string]: Scenario } = {
  "a changed folder": {
    make: (random) => {
      const before = randomProtocol(random);
      const { files, mutations } = mutateProtocol(random, before, 1, mutationsOf(random));
      return { versions: [before, files], mutations };
    },
    examine: mustFail(false),
  },
  "several releases": {
    make: (random) => {
      const versions = [randomProtocol(random)];
      const mutations: string[] = [];
      for (let minor = 1; minor <= 1 + random.below(3); minor++) {
        const next = mutateProtocol(random, versions.at(-1) ?? {}, minor, 1);
        versions.push(next.files);
        mutations.push(...next.mutations);
      }
      return { versions, mutations };
    },
    examine: mustFail(true),
  },
  "waivers and a further change": {
    make: (random) =>
      makeReviewed(random, (before) => {
        const reviewed = mutateProtocol(random, before, 1, 1);
        return [reviewed, mutateProtocol(random, reviewed.files, 1, 1)];
      }),
    examine: waiversOfContract,
  },
  "waivers and another change of the same kind": {
    make: (random) => makeReviewed(random, (before) => mutateAlike(random, before)),
    examine: waiversOfContract,
  },
  "a release with waivers and a further change": {
    make: (random) =>
      makeReviewed(random, (before) => {
        const reviewed = mutateProtocol(random, before, 1, 1);
        return [reviewed, mutateProtocol(random, reviewed.files, 2, 1)];
      }),
    examine: waiversOfRelease,
  },
  "an addition": {
    make: (random) => {
      const before = randomProtocol(random);
      const { files, mutations } = addToProtocol(random, before);
      return { versions: [before, files], mutations };
    },
    examine: mustPass,
  },
  "an experimental protocol": {
    make: (random) => {
      const before = withStability(randomProtocol(random), () => "experimental");
      const { files, mutations } = mutateProtocol(random, before, 1, mutationsOf(random));
      return { versions: [before, files], mutations };
    },
    examine: mustNotBreak,
  },
};
