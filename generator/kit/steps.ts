/**
 * Checks that wait for a consumer only if it returns promises. They are generators: each yields the promises of the consumer
 * and is resumed with their values. So the same code checks a synchronous consumer without a promise.
 */
export type Steps<T> = Generator<PromiseLike<unknown>, T, unknown>;

/** Returns whether a value is a promise, of whichever library. */
export function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

/** Returns a value, or the value of a promise. */
export function* awaitValue<T>(value: T): Steps<Awaited<T>> {
  return (isPromise(value) ? yield value : value) as Awaited<T>;
}

/** Runs steps to their end. Returns their result, or a promise of it if they yield a promise. */
export function runSteps<T>(steps: Steps<T>): T | Promise<T> {
  const next = steps.next();
  return next.done ? next.value : finishSteps(steps, next.value);
}

async function finishSteps<T>(steps: Steps<T>, first: PromiseLike<unknown>): Promise<T> {
  let pending = first;
  for (;;) {
    const [result] = await Promise.allSettled([pending]);
    const next = result.status === "rejected" ? steps.throw(result.reason) : steps.next(result.value);
    if (next.done) return next.value;
    pending = next.value;
  }
}
