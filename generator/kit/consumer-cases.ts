import { findNearest } from "../nearest.js";
import { type Adapter, createConsumer, type Hook, listHooks } from "./adapter.js";
import { readClaims } from "./claims.js";
import { describeCoverage } from "./describe-coverage.js";
import type { KitProtocol } from "./kit-protocol.js";
import { explainSkip, type Law } from "./law.js";
import { LAWS } from "./laws/laws.js";
import { prepareShownContext } from "./only.js";
import { findFailure, type LawRun, runLaw } from "./run-law.js";
import { prepareContext } from "./scenarios.js";
import { isPromise, runSteps, type Steps } from "./steps.js";

/** Options of the kit. */
export interface KitOptions {
  readonly protocol: KitProtocol;
  /** Determines all streams; 1 by default. */
  readonly seed?: number;
  /** The number of random streams on which each law is checked; 20 by default. */
  readonly runs?: number;
  /** Laws that the consumer is known to break, each with the reason. An entry whose law is kept fails. */
  readonly knownBroken?: { readonly [law: string]: string };
  /**
   * What the consumer has to show: families such as "tools", event types, and fields such as "cost.tick/amount". Without claims,
   * the kit tests what the consumer shows, whatever that is.
   */
  readonly claims?: readonly string[];
  /**
   * The values that events need to be shown, such as "tool.invoked/tool_name=bash", of a consumer that shows certain texts alone.
   * The kit finds out itself which of the values that a schema lists are shown alone.
   */
  readonly only?: readonly string[];
}

/** One law, ready to be run. */
interface CaseDescription {
  readonly id: string;
  /** The law in words. */
  readonly law: string;
  /** The reason why the law is not checked: the consumer lacks a method, or the protocol lacks the subject of the law. */
  readonly skipped?: string;
  /** The reason why the law is known to be broken. */
  readonly knownBroken?: string;
}

/** A reason if the law cannot be checked because the consumer breaks another one, or if it is known to be broken. */
type Reason = string | undefined;

/** The results of the methods of `T`. */
type ResultsOf<T> = { [K in keyof T]: T[K] extends (...parameters: never[]) => infer R ? R : never }[keyof T];

type AdapterResults<A extends Adapter> = ResultsOf<A> | ResultsOf<Awaited<ReturnType<A["create"]>>>;

/** The result of a case: a promise is possible only if a method of the adapter, or of its consumers, may return one. */
type CaseResult<A extends Adapter> =
  unknown extends AdapterResults<A>
    ? Reason | Promise<Reason>
    : [Extract<AdapterResults<A>, PromiseLike<unknown>>] extends [never]
      ? Reason
      : Reason | Promise<Reason>;

/**
 * One law, ready to be run. `run` throws, or its promise is rejected, if the consumer breaks the law. Otherwise it gives
 * undefined, or a reason if the law cannot be checked or is known to be broken. The case of a skipped law does nothing.
 * `run` returns a promise if the consumer does. If `waits` is true, the case looks at the consumer again after some time.
 */
export type ConsumerCase<A extends Adapter = Adapter> = CaseDescription &
  (
    | { readonly waits: false; run(): CaseResult<A> }
    | { readonly waits: true; run(): Reason | Promise<Reason> }
  );

/** Returns the laws for a consumer of `protocol` as cases for any test runner. Nothing is generated or run yet. */
export function consumerCases<A extends Adapter>(
  adapter: A,
  options: KitOptions,
): readonly ConsumerCase<A>[] {
  return createCases(adapter, options).map(({ check, ...description }) => ({
    ...description,
    run: () => {
      if (description.skipped !== undefined) return undefined;
      const outcome = runSteps(check());
      return isPromise(outcome) ? outcome.then((each) => each?.reason) : outcome?.reason;
    },
  })) as readonly ConsumerCase<A>[];
}

/** The result of a case that neither passed nor failed. */
interface Outcome {
  readonly reason: string;
  /** Set if nothing is wrong that is not known. */
  readonly isExpected: boolean;
}

/** One law, and its check. */
interface CheckedCase extends CaseDescription {
  readonly waits: boolean;
  check(): Steps<Outcome | undefined>;
}

/** Returns the cases of `consumerCases` with their checks as steps. */
export function createCases(
  adapter: Adapter,
  options: KitOptions & Pick<LawRun, "isRandomOnly" | "repeatCommand">,
): readonly CheckedCase[] {
  const { protocol, seed = 1, runs = 20, knownBroken = {} } = options;
  checkOptions(adapter, { ...options, seed, runs, knownBroken });
  const claims = options.claims && readClaims(protocol, options.claims);
  let hooks = findHooks(adapter);
  const brokenLaws = new Set(Object.keys(knownBroken));
  // Values that no event has are refused at once.
  const context = options.only && prepareShownContext(protocol, options.only);
  const prepareRun = (): LawRun => ({
    adapter,
    protocol,
    context: context ?? prepareContext(protocol, protocol.schemas, "writer"),
    seed,
    runs,
    isRandomOnly: options.isRandomOnly ?? false,
    ...(claims && { claims }),
    ...(options.repeatCommand && { repeatCommand: options.repeatCommand }),
    broken: brokenLaws,
  });
  const findMissingHook = ({ hook }: Law): string | undefined =>
    hook !== undefined && hooks !== undefined && !hooks.has(hook)
      ? `the adapter has no ${hook}()`
      : undefined;
  const checkLaw = function* (law: Law): Steps<Outcome | undefined> {
    if (law.hook !== undefined) hooks ??= listHooks(yield* createConsumer(adapter));
    const skipReason = findMissingHook(law);
    const knownReason = knownBroken[law.id];
    if (skipReason !== undefined) return skipLaw(law, skipReason, knownReason);
    if (knownReason !== undefined) return yield* checkKnownBroken(law, prepareRun(), knownReason);
    const outcome = yield* runLaw(law, prepareRun());
    if (outcome === undefined) return undefined;
    const isExpected = outcome.laws.every((id) => Object.hasOwn(knownBroken, id));
    return { reason: outcome.reason, isExpected };
  };
  const cases = LAWS.map((law): CheckedCase => {
    const { id, waits = false } = law;
    const knownReason = knownBroken[id];
    const skipReason =
      explainSkip(law, protocol) ??
      (law.needsClaims && claims === undefined ? "no claims are given" : undefined) ??
      explainCopies(law, adapter) ??
      findMissingHook(law);
    const check = function* (): Steps<Outcome | undefined> {
      return skipReason === undefined ? yield* checkLaw(law) : skipLaw(law, skipReason, knownReason);
    };
    const description = { id, law: law.law, waits, check };
    // The case of a law that is skipped and known to be broken is run, so that it fails.
    if (knownReason !== undefined) return { ...description, knownBroken: knownReason };
    return skipReason === undefined ? description : { ...description, skipped: skipReason };
  });
  return [createCoverageCase(protocol), ...cases];
}

function createCoverageCase(protocol: KitProtocol): CheckedCase {
  return {
    id: "kit-coverage",
    law: "The generated streams contain what the protocol declares: each event type, each again, without each optional field, with unknown values, each end of a lifecycle, and two calls in each order. If this fails, the kit is at fault, not the consumer.",
    waits: false,
    // biome-ignore lint/correctness/useYield: it waits for nothing
    *check() {
      const { missingTypes } = describeCoverage(
        protocol,
        prepareContext(protocol, protocol.schemas, "writer"),
      );
      if (missingTypes.length > 0)
        throw new Error(`The kit cannot make events of ${missingTypes.join(", ")}.`);
      return undefined;
    },
  };
}

/** Returns why a law cannot be checked on consumers that receive copies of the events. */
function explainCopies({ needsOriginals }: Law, { receivesCopies }: Adapter): string | undefined {
  return needsOriginals && receivesCopies ? "the consumer receives copies of the events" : undefined;
}

/** Checks that a law that is known to be broken is still broken. */
function* checkKnownBroken(law: Law, lawRun: LawRun, reason: string): Steps<Outcome> {
  const failure = yield* findFailure(law, lawRun);
  if (failure === undefined)
    throw new Error(
      `The consumer keeps ${law.id}, but knownBroken lists it ("${reason}"). Remove the entry.`,
    );
  return { reason: `known to be broken: ${reason}`, isExpected: true };
}

/** Returns the outcome of a law that does not apply. Throws if it is listed as broken. */
function skipLaw({ id }: Law, reason: string, knownReason: string | undefined): Outcome {
  if (knownReason === undefined) return { reason, isExpected: true };
  throw new Error(
    `knownBroken lists ${id} ("${knownReason}"), but it is not checked: ${reason}. Remove the entry.`,
  );
}

/** Throws if the kit cannot run at all, so that not every law fails for the same reason. */
function checkOptions(
  adapter: Adapter,
  { protocol, seed, runs, knownBroken }: Required<Omit<KitOptions, "claims" | "only">>,
): void {
  if (typeof adapter?.create !== "function") throw new TypeError("The adapter has no create().");
  if (typeof protocol?.schemas !== "object")
    throw new TypeError("`protocol` has to be the object of that name that a generated module exports.");
  if (!Number.isInteger(seed)) throw new TypeError("`seed` has to be a whole number.");
  if (!Number.isInteger(runs) || runs < 1) throw new TypeError("`runs` has to be a whole number from 1.");
  const laws = LAWS.map(({ id }) => id);
  for (const [id, reason] of Object.entries(knownBroken)) {
    const nearest = findNearest(id, laws);
    if (!laws.includes(id))
      throw new TypeError(
        `knownBroken lists "${id}", which is not a law.${nearest === undefined ? "" : ` Did you mean "${nearest}"?`}`,
      );
    if (typeof reason !== "string" || reason.trim() === "")
      throw new TypeError(`knownBroken gives no reason for ${id}.`);
  }
}

/**
 * Returns the optional methods of the consumers of `adapter`. Returns undefined if create() fails, which the first law reports,
 * or returns a promise, because the methods are not known yet.
 */
function findHooks(adapter: Adapter): ReadonlySet<Hook> | undefined {
  try {
    const consumer = runSteps(createConsumer(adapter));
    if (!isPromise(consumer)) return listHooks(consumer);
    consumer.catch(() => {});
    return undefined;
  } catch {
    return undefined;
  }
}
