import { type Adapter, createConsumer, HOOKS, type Hook } from "./adapter.js";
import { describeCoverage } from "./describe-coverage.js";
import type { KitProtocol } from "./kit-protocol.js";
import { explainSkip } from "./law.js";
import { LAWS } from "./laws/laws.js";
import { runLaw } from "./run-law.js";
import { prepareContext } from "./scenarios.js";

/** Options of the kit. */
export interface KitOptions {
  readonly protocol: KitProtocol;
  /** Determines all streams; 1 by default. */
  readonly seed?: number;
  /** The number of streams on which each law is checked; 20 by default. */
  readonly runs?: number;
}

/** One law, ready to be run. */
export interface ConsumerCase {
  readonly id: string;
  /** The law in words. */
  readonly law: string;
  /** Why the law is not checked: the consumer has no such method, or the protocol has nothing that the law is about. */
  readonly skipped?: string;
  /**
   * Throws if the consumer breaks the law. Returns undefined if it keeps the law, and a reason if the law cannot be
   * checked because the consumer breaks another one. The case of a skipped law does nothing.
   */
  run(): string | undefined;
}

/** Returns the laws for a consumer of `protocol` as cases for any test runner. Nothing is run yet. */
export function consumerCases(
  adapter: Adapter,
  { protocol, seed = 1, runs = 20 }: KitOptions,
): readonly ConsumerCase[] {
  checkOptions(adapter, protocol, seed, runs);
  const context = prepareContext(protocol, protocol.schemas, "writer");
  const broken = new Set<string>();
  const hooks = listHooks(adapter);
  const { summary, missingTypes } = describeCoverage(protocol, context);
  const coverage: ConsumerCase = {
    id: "kit-coverage",
    law: `${summary} If this fails, the kit is at fault, not the consumer.`,
    run() {
      if (missingTypes.length > 0)
        throw new Error(`The kit cannot make events of ${missingTypes.join(", ")}.`);
      return undefined;
    },
  };
  const cases = LAWS.map((law): ConsumerCase => {
    const { id, hook } = law;
    const skipped =
      explainSkip(law, protocol) ??
      (hook !== undefined && !hooks.has(hook) ? `the adapter has no ${hook}()` : undefined);
    if (skipped !== undefined) return { id, law: law.law, skipped, run: () => undefined };
    return { id, law: law.law, run: () => runLaw(law, { adapter, protocol, context, seed, runs, broken }) };
  });
  return [coverage, ...cases];
}

/** Throws if the kit cannot run at all, so that not every law fails for the same reason. */
function checkOptions(adapter: Adapter, protocol: KitProtocol, seed: number, runs: number): void {
  if (typeof adapter?.create !== "function") throw new TypeError("The adapter has no create().");
  if (typeof protocol?.schemas !== "object")
    throw new TypeError("`protocol` has to be the object of that name that a generated module exports.");
  if (!Number.isInteger(seed)) throw new TypeError("`seed` has to be a whole number.");
  if (!Number.isInteger(runs) || runs < 1) throw new TypeError("`runs` has to be a whole number from 1.");
}

/** Returns the optional methods of the consumers of `adapter`; none if it makes no consumer, which breaks the first law. */
function listHooks(adapter: Adapter): ReadonlySet<Hook> {
  try {
    const consumer = createConsumer(adapter);
    return new Set(HOOKS.filter((hook) => typeof consumer[hook] === "function"));
  } catch {
    return new Set();
  }
}
