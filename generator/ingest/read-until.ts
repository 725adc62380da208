/** Passes on the pieces of a source until `stop` is aborted, also while the source waits for the next piece. */
export async function* readUntil(
  stop: AbortSignal | undefined,
  source: AsyncIterable<Uint8Array>,
): AsyncIterable<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]();
  const stopped = new Promise<IteratorReturnResult<undefined>>((resolve) => {
    stop?.addEventListener("abort", () => resolve({ done: true, value: undefined }), { once: true });
  });
  for (;;) {
    const { done, value } = await Promise.race([iterator.next(), stopped]);
    if (done) return;
    yield value;
  }
}
