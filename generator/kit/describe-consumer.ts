import { type Adapter, type Consumer, freshConsumer } from "./adapter.js";
import { type ConsumerCase, consumerCases, type KitOptions } from "./consumer-cases.js";
import type { KitProtocol } from "./kit-protocol.js";

/** What of a test runner is used; those of vitest, jest and node:test fit. */
export interface Runner {
  describe(name: string, body: () => void): unknown;
  it: ((name: string, body: () => void, timeout?: number) => unknown) & { readonly skip?: unknown };
}

/** What there is to say of a frontend that kept all laws. */
export interface Passed {
  readonly consumer: string;
  /** The protocol's id, and its version. */
  readonly protocol: string;
  readonly version: string;
  /** The event types of the protocol that were pushed to it, sorted. */
  readonly events: readonly string[];
}

/** Options of `describeConsumer`. */
export interface DescribeOptions extends KitOptions, Runner {
  /** Is called if the consumer kept all laws: `recordConsumer` of accrete keeps it for `accrete status`. */
  readonly record?: (passed: Passed) => void;
}

/**
 * Registers the laws for a consumer as tests. A law that does not apply to this protocol or consumer is skipped, and the
 * name of the test gives the reason; one that rests on a law which turns out to be broken is skipped when it is run.
 */
export function describeConsumer(
  name: string,
  adapter: Adapter,
  { describe, it, record, ...options }: DescribeOptions,
): void {
  const { protocol } = options;
  const seen = new Set<string>();
  const cases = consumerCases(record ? watched(adapter, protocol, seen) : adapter, options);
  const kept = new Set<ConsumerCase>();
  describe(name, () => {
    for (const one of cases) {
      const { id, law, skipped, run } = one;
      const keep = (...[context]: unknown[]): void => {
        const unjudged = run();
        if (unjudged === undefined) kept.add(one);
        else skipNow(context, `not judged: ${unjudged}`);
      };
      if (skipped === undefined) it(`${id}: ${law}`, keep);
      else if (typeof it.skip === "function") it.skip(`${id}: skipped, ${skipped}`, () => {});
      else it(`${id}: skipped, ${skipped}`, () => {});
    }
    if (record)
      it("is recorded if it kept all laws", () => {
        const { id, version } = protocol;
        if (cases.every((one) => one.skipped !== undefined || kept.has(one)))
          record({ consumer: name, protocol: id, version, events: [...seen].sort() });
      });
  });
}

/** Skips the test that is running, where the runner lets it; fails it otherwise, for it has not passed. */
function skipNow(context: unknown, reason: string): void {
  const { skip } = (context ?? {}) as { readonly skip?: unknown };
  if (typeof skip !== "function") throw new Error(reason);
  skip.call(context, reason);
}

/** An adapter that does what `adapter` does; the declared event types that its consumers are given are added to `seen`. */
function watched(adapter: Adapter, { envelope, schemas }: KitProtocol, seen: Set<string>): Adapter {
  return {
    create: () => {
      const consumer = freshConsumer(adapter);
      const push = (event: never): unknown => {
        const type: unknown = event[envelope.discriminator];
        if (typeof type === "string" && Object.hasOwn(schemas.events, type)) seen.add(type);
        return consumer.push(event);
      };
      return new Proxy(consumer, {
        get: (target, name) => {
          const member = target[name as keyof Consumer];
          if (name === "push") return push;
          return typeof member === "function" ? member.bind(target) : member;
        },
      });
    },
  };
}
