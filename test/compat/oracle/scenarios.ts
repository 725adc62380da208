/** Scenarios: each creates versions of a protocol, and checks that the comparison agrees with their messages. */
import { isObject, type JsonObject } from "../../../generator/json.js";
import type { Protocol } from "../../../generator/protocol/protocol.js";
import type { Random } from "../../../generator/random.js";
import { type Break, findBreaks } from "./find-breaks.js";
import { addToProtocol, type MutatedProtocol, mutateAlike, mutateProtocol } from "./mutate-protocol.js";
import { copyFiles, MANIFEST, type ProtocolFiles } from "./protocol-files.js";
import { createRandomProtocol } from "./random-protocol.js";
import { type CompatResult, hasNoErrors, loadFiles, runCompat, selectBreaks } from "./run-compat.js";

/** Versions of one protocol, oldest first. */
export interface Versions {
  readonly versions: readonly ProtocolFiles[];
  readonly mutations: readonly string[];
}

/** The result of an examination. */
export type Outcome =
  /** The comparison agrees with the messages. `showsBreak` tells whether it had something to find. */
  | { readonly kind: "agreed"; readonly showsBreak: boolean }
  /** `accrete lint` refuses a version, so nothing was compared. */
  | { readonly kind: "unloadable" }
  | Disagreement;

/** The comparison contradicts the messages: it misses a break, or it reports one that does not exist. */
export interface Disagreement {
  readonly kind: "missed-break" | "false-alarm";
  readonly break?: Break;
  readonly findings: CompatResult["findings"];
}

/** A way to create versions and to examine them. */
export interface Scenario {
  make(random: Random): Versions;
  examine(versions: readonly ProtocolFiles[], seed: number): Promise<Outcome>;
}

const UNLOADABLE: Outcome = { kind: "unloadable" };
const NO_BREAK: Outcome = { kind: "agreed", showsBreak: false };
const BREAK_REPORTED: Outcome = { kind: "agreed", showsBreak: true };

async function loadAll(versions: readonly ProtocolFiles[]): Promise<readonly Protocol[] | undefined> {
  const results = await Promise.all(versions.map(loadFiles));
  const loaded = results.flatMap(({ protocol }) => protocol ?? []);
  return loaded.length === versions.length ? loaded : undefined;
}

/** Compares the last version with the earlier ones. Returns undefined if a version cannot be loaded. */
async function compareLast(
  versions: readonly ProtocolFiles[],
  released: boolean,
): Promise<CompatResult | undefined> {
  const loaded = await loadAll(versions);
  const current = loaded?.at(-1);
  return loaded && current && runCompat({ baselines: loaded.slice(0, -1), current, released });
}

/** Requires that the comparison fails if the last version shows a break against an earlier one. */
function requireFailure(released: boolean): Scenario["examine"] {
  return async (versions, seed) => {
    const current = versions.at(-1);
    if (!current) return NO_BREAK;
    for (const baseline of versions.slice(0, -1)) {
      const [found] = findBreaks(baseline, current, { seed });
      if (!found) continue;
      const result = await compareLast(versions, released);
      if (!result) return UNLOADABLE;
      return hasNoErrors(result)
        ? { kind: "missed-break", break: found, findings: result.findings }
        : BREAK_REPORTED;
    }
    return NO_BREAK;
  };
}

/** Requires that the last version passes. */
async function requirePass(versions: readonly ProtocolFiles[]): Promise<Outcome> {
  const first = versions.slice(0, 1);
  const before = await compareLast([...first, ...first], false);
  const after = await compareLast(versions, false);
  if (!before || !after) return UNLOADABLE;
  // Errors of the baseline itself are not caused by the addition.
  if (!hasNoErrors(before)) return NO_BREAK;
  return hasNoErrors(after) ? BREAK_REPORTED : { kind: "false-alarm", findings: after.findings };
}

/** Requires that no break is an error: breaks of experimental contracts are notes. */
async function requireNoErrors(versions: readonly ProtocolFiles[]): Promise<Outcome> {
  const result = await compareLast(versions, false);
  if (!result) return UNLOADABLE;
  const breaks = selectBreaks(result).filter(({ severity }) => severity === "error");
  return breaks.length > 0 ? { kind: "false-alarm", findings: breaks } : BREAK_REPORTED;
}

/**
 * Requires that waivers for the breaks of the reviewed version do not cover other breaks of the current one. If the
 * reviewed version is `released` with its waivers, they do not cover later changes.
 */
async function examineWaivers(
  [baseline, reviewed, current]: readonly ProtocolFiles[],
  seed: number,
  released: boolean,
): Promise<Outcome> {
  if (!baseline || !reviewed || !current) return NO_BREAK;
  const first = await compareLast([baseline, reviewed], false);
  if (!first) return UNLOADABLE;
  const waivers = first.findings.flatMap(({ severity, rule, ...finding }) =>
    severity === "error" && "fingerprint" in finding
      ? [{ fingerprint: finding.fingerprint, rule, reason: "Reviewed.", expires: "1.9" }]
      : [],
  );
  if (waivers.length === 0) return NO_BREAK;
  const waived = await compareLast([baseline, setWaivers(reviewed, waivers)], false);
  if (!waived || !hasNoErrors(waived)) return NO_BREAK;
  const [found] = [
    ...(released ? findBreaks(reviewed, current, { seed }) : []),
    ...findBreaks(baseline, current, { seed, reviewed }),
  ];
  if (!found) return NO_BREAK;
  const result = released
    ? await compareLast([baseline, setWaivers(reviewed, waivers), current], true)
    : await compareLast([baseline, setWaivers(current, waivers)], false);
  if (!result) return UNLOADABLE;
  return hasNoErrors(result)
    ? { kind: "missed-break", break: found, findings: result.findings }
    : BREAK_REPORTED;
}

const examineContractWaivers: Scenario["examine"] = (versions, seed) => examineWaivers(versions, seed, false);
const examineReleaseWaivers: Scenario["examine"] = (versions, seed) => examineWaivers(versions, seed, true);

function setWaivers(files: ProtocolFiles, waivers: readonly JsonObject[]): ProtocolFiles {
  return { ...files, [MANIFEST]: { ...files[MANIFEST], waivers } };
}

/** Returns a copy in which each stability is replaced. */
function replaceStabilities(files: ProtocolFiles, replace: (stability: string) => string): ProtocolFiles {
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

/** Creates a protocol and two changed versions of it that show different breaks. Gives up that condition after ten tries. */
function makeReviewed(
  random: Random,
  change: (before: ProtocolFiles) => readonly [MutatedProtocol, MutatedProtocol],
): Versions {
  for (let tries = 0; ; tries++) {
    const lowest = random.chance(0.9) ? "candidate" : "stable";
    const before = replaceStabilities(createRandomProtocol(random), (each) =>
      each === "stable" ? lowest : each,
    );
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

function pickMutationCount(random: Random): number {
  return random.pick([1, 1, 1, 2, 3]);
}

/** All scenarios by name. */
export const SCENARIOS: { readonly [name: string]: Scenario } = {
  "a changed folder": {
    make: (random) => {
      const before = createRandomProtocol(random);
      const { files, mutations } = mutateProtocol(random, before, 1, pickMutationCount(random));
      return { versions: [before, files], mutations };
    },
    examine: requireFailure(false),
  },
  "several releases": {
    make: (random) => {
      const versions = [createRandomProtocol(random)];
      const mutations: string[] = [];
      for (let minor = 1; minor <= 1 + random.below(3); minor++) {
        const next = mutateProtocol(random, versions.at(-1) ?? {}, minor, 1);
        versions.push(next.files);
        mutations.push(...next.mutations);
      }
      return { versions, mutations };
    },
    examine: requireFailure(true),
  },
  "waivers and a further change": {
    make: (random) =>
      makeReviewed(random, (before) => {
        const reviewed = mutateProtocol(random, before, 1, 1);
        return [reviewed, mutateProtocol(random, reviewed.files, 1, 1)];
      }),
    examine: examineContractWaivers,
  },
  "waivers and another change of the same kind": {
    make: (random) => makeReviewed(random, (before) => mutateAlike(random, before)),
    examine: examineContractWaivers,
  },
  "a release with waivers and a further change": {
    make: (random) =>
      makeReviewed(random, (before) => {
        const reviewed = mutateProtocol(random, before, 1, 1);
        return [reviewed, mutateProtocol(random, reviewed.files, 2, 1)];
      }),
    examine: examineReleaseWaivers,
  },
  "an addition": {
    make: (random) => {
      const before = createRandomProtocol(random);
      const { files, mutations } = addToProtocol(random, before);
      return { versions: [before, files], mutations };
    },
    examine: requirePass,
  },
  "an experimental protocol": {
    make: (random) => {
      const before = replaceStabilities(createRandomProtocol(random), () => "experimental");
      const { files, mutations } = mutateProtocol(random, before, 1, pickMutationCount(random));
      return { versions: [before, files], mutations };
    },
    examine: requireNoErrors,
  },
};
