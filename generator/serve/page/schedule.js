/** Creates tasks that run later. Several calls of schedule() before a run cause one run. */

/**
 * A task that runs later. cancel() drops the run that is scheduled and ends the use of the task: later calls of schedule()
 * may have no effect.
 * @typedef {{ schedule(): void, cancel(): void }} Task
 */

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

/** The milliseconds that the browser must have left to go on with a task that runs when it is idle. */
const IDLE_TIME_MS = 2;

/**
 * Creates a task that runs when the browser has nothing else to do. In a browser without requestIdleCallback, it never
 * runs.
 * @param {(hasTime: () => boolean) => boolean} run Returns true if there is more to do.
 * @returns {Task}
 */
export function createIdleTask(run) {
  let request = 0;
  const schedule = () => {
    if (request !== 0 || typeof requestIdleCallback !== "function") return;
    request = requestIdleCallback((deadline) => {
      request = 0;
      if (run(() => deadline.timeRemaining() > IDLE_TIME_MS)) schedule();
    });
  };
  return {
    schedule,
    cancel() {
      // A browser without requestIdleCallback has no cancelIdleCallback either. There, `request` is always 0.
      if (request !== 0) cancelIdleCallback(request);
    },
  };
}
