import type { Lens } from "../protocol/lens.js";
import { type Adapter, type Consumer, ConsumerUnavailable } from "./adapter.js";
import { describeShown } from "./claims.js";
import { createCases, type KitOptions } from "./consumer-cases.js";
import { describeCoverage } from "./describe-coverage.js";
import { formatScore } from "./format-score.js";
import type { KitProtocol } from "./kit-protocol.js";
import { planExperiments, recordLens } from "./lens/record-lens.js";
import { prepareContext } from "./scenarios.js";
import { scoreConsumer } from "./score.js";
import { awaitValue, isPromise, runSteps, type Steps } from "./steps.js";

/** The functions of a test runner that the kit uses; those of vitest, jest and node:test fit. */
export interface Runner {
  describe(name: string, body: () => void): unknown;
  it: ((name: string, body: () => void, timeout?: number) => unknown) & { readonly skip?: unknown };
}

/** The record of a frontend that passed the contract tests. */
export interface ConsumerRecord {
  readonly consumer: string;
  /** The protocol's id, and its version. */
  readonly protocol: string;
  readonly version: string;
  /** The event types of the protocol that were pushed to it, sorted. */
  readonly events: readonly string[];
  /** The kinds of frontend that it stands for. */
  readonly kinds?: readonly string[];
  /** The event types and fields on which it depends. */
  readonly lens?: Lens;
}

/** Options of `describeConsumer`. */
export interface DescribeOptions extends KitOptions, Runner {
  /** Is called if the consumer keeps all laws: `recordConsumer` of accrete stores the record for `accrete status`. */
  readonly record?: (record: ConsumerRecord) => void;
  /** The kinds of frontend that the consumer stands for, such as "web" or "cli". They are part of the record. */
  readonly kinds?: readonly string[];
  /** False if the record keeps the lens that it has, because to learn it takes longer than all laws; true by default. */
  readonly lens?: boolean;
  /** True if a further test reports which facts of events the snapshot shows, and which it never shows or confuses. */
  readonly score?: boolean;
  /** The milliseconds after which vitest and jest fail a law; 60,000 by default. */
  readonly timeout?: number;
}

/**
 * Registers the laws for a consumer as tests. A law that does not apply to this protocol or consumer is skipped, and the
 * name of the test gives the reason. A law that depends on a broken one is skipped when it is run.
 */
export function describeConsumer(
  name: string,
  adapter: Adapter,
  {
    describe,
    it,
    record,
    kinds,
    lens: learnsLens = true,
    score,
    timeout = 60_000,
    ...options
  }: DescribeOptions,
): void {
  const { protocol } = options;
  const types = new Set<string>();
  const cases = createCases(record ? collectTypes(adapter, protocol, types) : adapter, options);
  const passedIds = new Set<string>();
  let end: ConsumerUnavailable | undefined;
  /** Runs steps. If the consumer cannot be tested, the first test fails, and the others are not checked. */
  const runTest = (context: unknown, steps: Steps<unknown>): unknown => {
    const guarded = function* (): Steps<unknown> {
      if (end !== undefined) return skipRunningTest(context, end.message, false);
      try {
        return yield* steps;
      } catch (error) {
        if (!(error instanceof ConsumerUnavailable)) throw error;
        end = new ConsumerUnavailable(`${name}: ${error.message}.`, { cause: error.cause });
        throw end;
      }
    };
    return runSteps(guarded());
  };
  describe(name, () => {
    for (const { id, law, skipped, knownBroken, check } of cases) {
      // Runners pass `done` to a function that declares a parameter, and then wait until it is called.
      const body = (...[context]: unknown[]) => {
        const finish = (outcome: { readonly reason: string; readonly isExpected: boolean } | undefined) => {
          if (outcome !== undefined) return skipRunningTest(context, outcome.reason, outcome.isExpected);
          passedIds.add(id);
          return id === "kit-coverage" ? report(context, summarizeCoverage(protocol)) : undefined;
        };
        const steps = function* (): Steps<unknown> {
          const result = yield* awaitValue(finish(yield* check()));
          return id === "shows-something" ? report(context, yield* describeShown(adapter, options)) : result;
        };
        return runTest(context, steps());
      };
      const knownReason = knownBroken === undefined ? "" : ` (known to be broken: ${knownBroken})`;
      if (skipped === undefined) it(`${id}${knownReason}: ${law}`, body, timeout);
      else if (typeof it.skip === "function") it.skip(`${id}: skipped, ${skipped}`, () => {});
      else it(`${id}: skipped, ${skipped}`, () => {});
    }
    if (score) {
      const body = (...[context]: unknown[]) => {
        const steps = function* (): Steps<unknown> {
          return report(context, formatScore(yield* scoreConsumer(adapter, protocol, options.only)));
        };
        return runTest(context, steps());
      };
      it("score: the facts of events that the snapshot shows", body, 10 * timeout);
    }
    if (record) {
      const saveRecord = (lens?: Lens): void => {
        const { id, version } = protocol;
        const events = [...types].sort();
        const optional = { ...(kinds && { kinds }), ...(lens && { lens }) };
        record({ consumer: name, protocol: id, version, events, ...optional });
      };
      const body = () => {
        if (!cases.every((each) => each.skipped !== undefined || passedIds.has(each.id))) return undefined;
        if (!learnsLens) return saveRecord();
        const lens = runSteps(recordLens(adapter, planExperiments(protocol)));
        return isPromise(lens) ? lens.then(saveRecord) : saveRecord(lens);
      };
      // Thousands of experiments take longer than one law.
      it("is recorded if it keeps all laws", body, 10 * timeout);
    }
  });
}

/** Skips the running test. If the runner cannot skip it, the test fails, unless the outcome is expected. */
function skipRunningTest(context: unknown, reason: string, isExpected: boolean): undefined {
  const { skip }: { readonly skip?: unknown } = context ?? {};
  if (typeof skip === "function") skip.call(context, isExpected ? reason : `not checked: ${reason}`);
  else if (!isExpected) throw new Error(`not checked: ${reason}`);
}

/** Adds a text to the report of the running test, if the runner can do that. */
function report(context: unknown, text: string): unknown {
  const { annotate, diagnostic }: { readonly annotate?: unknown; readonly diagnostic?: unknown } =
    context ?? {};
  const add = [annotate, diagnostic].find((each) => typeof each === "function");
  return typeof add === "function" ? add.call(context, text) : undefined;
}

/** Returns the counts of what the streams cover. */
function summarizeCoverage(protocol: KitProtocol): string {
  return describeCoverage(protocol, prepareContext(protocol, protocol.schemas, "writer")).summary;
}

/** Returns an adapter that adds the declared event types that its consumers receive to `types`. */
export function collectTypes(
  adapter: Adapter,
  { envelope, schemas }: KitProtocol,
  types: Set<string>,
): Adapter {
  const observe = (consumer: Partial<Consumer>): Consumer => {
    const push = (event: never): unknown => {
      const type: unknown = event[envelope.discriminator];
      if (typeof type === "string" && Object.hasOwn(schemas.events, type)) types.add(type);
      return consumer.push?.(event);
    };
    const observedConsumer = new Proxy(consumer, {
      get: (target, name) => {
        const member = target[name as keyof Consumer];
        if (name === "push") return member === undefined ? undefined : push;
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
    return observedConsumer as Consumer;
  };
  return {
    ...(adapter.receivesCopies && { receivesCopies: true }),
    create: () => {
      const createdConsumer = adapter.create();
      if (isPromise(createdConsumer)) return createdConsumer.then((consumer) => observe(consumer ?? adapter));
      return observe(createdConsumer ?? adapter);
    },
  };
}
