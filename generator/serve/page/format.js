/** Formats numbers, times, durations, and the verbs of decisions. */
import { formatLabel } from "../../view/payload.js";

// A formatter of Intl would take more time to create than everything else that the page does before it can be used.
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/**
 * Returns a whole number with its digits in groups of three: "20,000".
 * @param {number} value
 */
export function formatNumber(value) {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
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

/** The verbs of outcomes that are named by their participles. */
const VERBS = new Map(
  Object.entries({
    accepted: "Accept",
    allowed: "Allow",
    answered: "Answer",
    approved: "Approve",
    cancelled: "Cancel",
    canceled: "Cancel",
    confirmed: "Confirm",
    declined: "Decline",
    denied: "Deny",
    dismissed: "Dismiss",
    expired: "Let it expire",
    granted: "Grant",
    refused: "Refuse",
    rejected: "Reject",
    skipped: "Skip",
    timed_out: "Let it time out",
  }),
);

/**
 * Returns what a button does that decides on an outcome: "Approve" for `approved`. Other names stay as they are.
 * @param {string} outcome
 */
export function formatVerb(outcome) {
  return VERBS.get(outcome.toLowerCase()) ?? formatLabel(outcome);
}

/**
 * Returns a duration: "40 ms", "1.4 s", "2 min 5 s", "3 h 4 min".
 * @param {number} ms
 */
export function formatDuration(ms) {
  if (Math.round(ms) < 1000) return `${Math.round(ms)} ms`;
  const tenths = Math.round(ms / 100);
  if (tenths < 600) return `${tenths / 10} s`;
  const seconds = Math.round(ms / 1000);
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60];
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
 * Returns a point in time, in the time zone of the reader: "5 Jan 2026, 12:30:10".
 * @param {number} ms
 */
export function formatTime(ms) {
  const time = new Date(ms);
  const date = `${time.getDate()} ${MONTHS[time.getMonth()]} ${time.getFullYear()}`;
  return `${date}, ${pad(time.getHours())}:${pad(time.getMinutes())}:${pad(time.getSeconds())}`;
}
