/** Tasks that run later, once for all requests until then. */

/** @typedef {{ schedule(): void, cancel(): void }} Task */

/**
 * Creates a task that runs before the browser draws the next frame.
 * @param {() => void} run
 * @returns {Task}
 */
export function createFrameTask(run) {
  let frame = 0;
  return {
    schedule() {
      if (frame !== 0) return;
      frame = requestAnimationFrame(() => {
        frame = 0;
        run();
      });
    },
    cancel: () => cancelAnimationFrame(frame),
  };
}

/**
 * Creates a task that runs after a delay.
 * @param {() => void} run
 * @param {number} delay In milliseconds.
 * @returns {Task}
 */
export function createTimerTask(run, delay) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  return {
    schedule() {
      timer ??= setTimeout(() => {
        timer = undefined;
        run();
      }, delay);
    },
    cancel: () => clearTimeout(timer),
  };
}
