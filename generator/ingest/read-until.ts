/**
 * Passes on the pieces of a source until `stop` is aborted, also while the source waits for the next piece. Then, and when the
 * caller needs no more, the source ends as soon as it can.
 */
export async function* readUntil(
  stop: AbortSignal | undefined,
  source: AsyncIterable<Uint8Array>,
): AsyncIterable<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]();
  let isStopped = false;
  let endWaiting = (): void => {};
  const end = (): void => {
    isStopped = true;
    endWaiting();
  };
  stop?.addEventListener("abort", end, { once: true });
  try {
    while (!isStopped) {
      // `Promise.race` with a promise that stays pending would keep each piece in memory.
      const piece = await new Promise<Uint8Array | undefined>((resolve, reject) => {
        endWaiting = () => resolve(undefined);
        iterator.next().then(({ done, value }) => resolve(done ? undefined : value), reject);
      });
      if (piece === undefined) return;
      yield piece;
    }
  } finally {
    stop?.removeEventListener("abort", end);
    // A source that waits for its next piece, such as a terminal, is not waited for.
    iterator.return?.().catch(() => {});
  }
}
