import { type Adapter, type Consumer, createConsumer } from "./adapter.js";
import { type ConsumerCase, consumerCases, type KitOptions } from "./consumer-cases.js";
import type { KitProtocol } from "./kit-protocol.js";

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
}

/** Options of `describeConsumer`. */
export interface DescribeOptions extends KitOptions, Runner {
  /** Is called if the consumer keeps all laws: `recordConsumer` of accrete stores the record for `accrete status`. */
  readonly record?: (record: ConsumerRecord) => void;
  /** The kinds of frontend that the consumer stands for, such as "web" or "cli". They are part of the record. */
  readonly kinds?: readonly string[];
}

/**
 * Registers the laws for a consumer as tests. A law that does not apply to this protocol or consumer is skipped, and the
 * name of the test gives the reason. A law that depends on a broken one is skipped when it is run.
 */
export function describeConsumer(
  name: string,
  adapter: Adapter,
  { describe, it, record, kinds, ...options }: DescribeOptions,
): void {
  const { protocol } = options;
  const types = new Set<string>();
  const cases = consumerCases(record ? collectTypes(adapter, protocol, types) : adapter, options);
  const passed = new Set<ConsumerCase>();
  describe(name, () => {
    for (const each of cases) {
      const { id, law, skipped, run } = each;
      const body = (...[context]: unknown[]): void => {
        const unchecked = run();
        if (unchecked === undefined) passed.add(each);
        else skipRunningTest(context, `not checked: ${unchecked}`);
      };
      if (skipped === undefined) it(`${id}: ${law}`, body);
      else if (typeof it.skip === "function") it.skip(`${id}: skipped, ${skipped}`, () => {});
      else it(`${id}: skipped, ${skipped}`, () => {});
    }
    if (record)
      it("is recorded if it keeps all laws", () => {
        const { id, version } = protocol;
        if (cases.every((each) => each.skipped !== undefined || passed.has(each)))
          record({
            consumer: name,
            protocol: id,
            version,
            events: [...types].sort(),
            ...(kinds && { kinds }),
          });
      });
  });
}

/** Skips the running test. Fails it if the runner cannot skip it, because it has not passed. */
function skipRunningTest(context: unknown, reason: string): void {
  const { skip } = (context ?? {}) as { readonly skip?: unknown };
  if (typeof skip !== "function") throw new Error(reason);
  skip.call(context, reason);
}

/** Returns an adapter that adds the declared event types that its consumers receive to `types`. */
function collectTypes(adapter: Adapter, { envelope, schemas }: KitProtocol, types: Set<string>): Adapter {
  return {
    create: () => {
      const consumer = createConsumer(adapter);
      const push = (event: never): unknown => {
        const type: unknown = event[envelope.discriminator];
        if (typeof type === "string" && Object.hasOwn(schemas.events, type)) types.add(type);
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
