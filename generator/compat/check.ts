/** The whole check of one contract: against every baseline, with the rules about names, the policy and the waivers. */
import type { Protocol } from "../model/protocol.js";
import { compareVersions } from "../model/version.js";
import type { Judged } from "./change.js";
import { type BaselineSide, compare, HARMLESS } from "./compare.js";
import { type CompatFinding, describe, fingerprintOf, type Places } from "./describe.js";
import { namesOf } from "./ledger.js";
import { verdictOn, waivable } from "./policy.js";
import type { Oracle } from "./readings.js";
import type { Fact, Rule } from "./rule.js";
import { RULES } from "./rules.js";
import { factSpot, type Side } from "./side.js";
import { applyWaivers, validWaivers } from "./waivers.js";

/** What is to be checked. */
export interface CheckInput {
  readonly current: Side;
  /** What to compare against, the newest first. */
  readonly baselines: readonly BaselineSide[];
  /** Every release of the protocol, of all majors, oldest first: the ledger of names. */
  readonly history: readonly Protocol[];
  /** Whether the baselines are all that a waiver can be about. */
  readonly complete: boolean;
  readonly oracle: Oracle;
}

/** What came of it. */
export interface Checked {
  readonly findings: readonly CompatFinding[];
  /** What the contract has more than the newest baseline. */
  readonly additions: readonly CompatFinding[];
  readonly lifted: readonly CompatFinding[];
  /** Whether the contract differs from the newest baseline in anything that has a rule. */
  readonly breaks: boolean;
}

/** Checks one contract. The same input gives the same findings in the same order. */
export async function check({ current, baselines, history, complete, oracle }: CheckInput): Promise<Checked> {
  const waivers = validWaivers(current.protocol);
  const changes = (await allChanges(current, baselines, oracle)).map((change) => {
    const waiver = waivers.get(fingerprintOf(change.kind, change, current.protocol.id));
    return { ...change, waived: waiver?.rule === change.kind && waivable(change) };
  });
  const earlier = history.filter(({ major }) => major <= current.protocol.major);
  const past = earlier.length > 0 ? earlier : baselines.map(({ protocol }) => protocol).reverse();
  const known = [
    ...past,
    ...baselines.map(({ protocol }) => protocol).filter((each) => !isKnown(past, each)),
  ];
  const compared = (each: Protocol): boolean =>
    isKnown(
      baselines.map(({ protocol }) => protocol),
      each,
    );
  const ledger = {
    past: known.map((each) => namesOf(each, compared(each))),
    current: namesOf(current.protocol, false),
  };
  const evidence = { changes, current: current.protocol, ledger };
  const facts = RULES.flatMap((rule) => rule.find(evidence).map((fact) => ({ rule, fact })));
  const places = { current, baselines: new Map(baselines.map((side) => [side.label, side])) };
  const bump = bumpFacts(current.protocol, history, changes);
  const all = [...facts, ...withRules(bump)].map((each) => judged(each, places));
  const waivables = new Set(all.filter(({ fact }) => waivable(fact)).map(({ finding }) => finding));
  const findings = all.filter(({ verdict }) => verdict !== "addition").map(({ finding }) => finding);
  const isWaivable = (finding: CompatFinding): boolean =>
    finding.severity === "error" && waivables.has(finding);
  const waived = applyWaivers(findings, isWaivable, current, complete);
  const faults = withRules(waived.faults).map((each) => judged(each, places).finding);
  return {
    findings: inOrder([...waived.findings, ...faults]),
    additions: inOrder(all.filter(({ verdict }) => verdict === "addition").map(({ finding }) => finding)),
    lifted: waived.lifted,
    breaks: changes.some(({ proof, otherMajor }) => proof.hurts.length > 0 && !otherMajor),
  };
}

/** The changes against every baseline, each once: what the newest says is not repeated for older ones. */
async function allChanges(
  current: Side,
  baselines: readonly BaselineSide[],
  oracle: Oracle,
): Promise<readonly Judged[]> {
  const found = new Map<string, Judged>();
  for (const [index, baseline] of baselines.entries())
    for (const change of await compare(baseline, current, oracle)) {
      const key = fingerprintOf(change.kind, change, "");
      const passed = index > 0 && (change.proof.hurts.length === 0 || HARMLESS.has(change.kind));
      if (!passed && !found.has(key)) found.set(key, change);
    }
  return [...found.values()];
}

function isKnown(past: readonly Protocol[], { major, version, envelope }: Protocol): boolean {
  return past.some(
    (each) => each.major === major && each.version === version && each.envelope.at.file === envelope.at.file,
  );
}

/** Whether something was released under this version and has changed since. */
function bumpFacts(protocol: Protocol, history: readonly Protocol[], changes: readonly Judged[]): Fact[] {
  const { version, major } = protocol;
  const released = history.some(
    (each) => each.major === major && compareVersions(each.version, version) >= 0,
  );
  if (!released || changes.every(({ otherMajor }) => otherMajor)) return [];
  const newest = history.filter((each) => each.major === major).at(-1)?.version ?? version;
  const next = `${major}.${Number(newest.split(".")[1] ?? 0) + 1}`;
  return [
    {
      ...{ kind: "version-bump-insufficient", name: version, to: next, claim: {} },
      occurrences: [{ event: "", path: "", steps: [], stability: "candidate" }],
      after: factSpot(protocol, "version"),
    },
  ];
}

interface Found {
  readonly rule: Rule;
  readonly fact: Fact;
}

function withRules(facts: readonly Fact[]): Found[] {
  return facts.flatMap((fact) => {
    const rule = RULES.find(({ id }) => id === fact.kind);
    return rule ? [{ rule, fact }] : [];
  });
}

function judged({ rule, fact }: Found, places: Places) {
  const verdict = verdictOn(rule, fact);
  return { fact, verdict, finding: describe(rule, fact, verdict, places) };
}

const SEVERITIES = ["error", "warning", "note"];

/** Errors first; then by rule and by place in the contract, so that what belongs together stands together. */
function inOrder(findings: readonly CompatFinding[]): CompatFinding[] {
  const key = ({ severity, rule, events, at }: CompatFinding) =>
    [SEVERITIES.indexOf(severity), rule, events[0] ?? "", at.file, at.pointer].join("\n");
  return [...findings].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}
