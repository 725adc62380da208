import type { Adapter } from "./adapter.js";
import { consumerCases, type KitOptions } from "./consumer-cases.js";

/** What of a test runner is used; those of vitest, jest and node:test fit. */
export interface Runner {
  describe(name: string, body: () => void): unknown;
  it: ((name: string, body: () => void, timeout?: number) => unknown) & { readonly skip?: unknown };
}

/** Registers the laws for a consumer as tests; a law that cannot be judged is skipped, and its name says why. */
export function describeConsumer(
  name: string,
  adapter: Adapter,
  { describe, it, ...options }: KitOptions & Runner,
): void {
  describe(name, () => {
    for (const { id, law, skipped, run } of consumerCases(adapter, options)) {
      if (skipped === undefined) it(`${id}: ${law}`, () => run());
      else if (typeof it.skip === "function") it.skip(`${id}: skipped, ${skipped}`, () => {});
      else it(`${id}: skipped, ${skipped}`, () => {});
    }
  });
}
