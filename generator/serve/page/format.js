/** Formats numbers, times and durations. */

// A formatter takes much longer to create than to use.
const NUMBER_FORMAT = new Intl.NumberFormat("en");
const TIME_FORMAT = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

/** @param {number} value */
export function formatNumber(value) {
  return NUMBER_FORMAT.format(value);
}

/**
 * Returns a count with its noun: "1 gap", "2 gaps".
 * @param {number} count
 * @param {string} noun
 * @param {string} plural
 */
export function formatCount(count, noun, plural = `${noun}s`) {
  return `${formatNumber(count)} ${count === 1 ? noun : plural}`;
}

/**
 * Returns a duration: "40 ms", "1.4 s", "2 min 5 s", "3 h 4 min".
 * @param {number} ms
 */
export function formatDuration(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${Number(seconds.toFixed(1))} s`;
  const [minutes, rest] = [Math.floor(seconds / 60), Math.round(seconds % 60)];
  if (minutes < 60) return rest === 0 ? `${minutes} min` : `${minutes} min ${rest} s`;
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/**
 * Returns the time since the beginning of a run: "+0.04", "+1:05.2".
 * @param {number} ms
 */
export function formatElapsed(ms) {
  const sign = ms < 0 ? "−" : "+";
  const size = Math.abs(ms);
  const seconds = (size / 1000) % 60;
  const minutes = Math.floor(size / 60_000) % 60;
  const hours = Math.floor(size / 3_600_000);
  if (hours > 0) return `${sign}${hours}:${pad(minutes)}:${pad(Math.floor(seconds))}`;
  if (minutes > 0) return `${sign}${minutes}:${seconds < 10 ? "0" : ""}${truncate(seconds, 1)}`;
  return `${sign}${truncate(seconds, 2)} s`;
}

/** @param {number} value */
function pad(value) {
  return String(value).padStart(2, "0");
}

/**
 * @param {number} value
 * @param {number} digits
 */
function truncate(value, digits) {
  const factor = 10 ** digits;
  return (Math.floor(value * factor) / factor).toFixed(digits);
}

/**
 * Returns a point in time, in the time zone of the reader.
 * @param {number} ms
 */
export function formatTime(ms) {
  return TIME_FORMAT.format(ms);
}
