/** Times of RFC 3339 as numbers of time units since the beginning of 1970 in UTC, and back. */
import { getFormatPattern } from "../../schema/formats.js";

/** A conversion between numbers and times. */
export interface TimeForm {
  /** The number of units in a second: 1 or 1,000. */
  readonly perSecond: number;
  /** True if fractions of a unit are rounded down, and false if they are refused. */
  readonly isRounded: boolean;
}

/** The seconds of the first moment of the year 1, and those behind the last moment of the year 9999. */
export const FIRST_SECOND = -62_135_596_800;
export const END_SECOND = 253_402_300_800;

const ANY_FRACTION = "(?:\\.\\d+)?";

/** Returns the pattern of times that are numbers of units. */
export function describeTimes({ perSecond, isRounded }: TimeForm): string {
  const pattern = getFormatPattern("date-time") ?? "";
  if (!pattern.includes(ANY_FRACTION)) throw new Error("the pattern of date-time has changed");
  if (isRounded) return pattern;
  return pattern.replace(ANY_FRACTION, perSecond === 1 ? "(?:\\.0+)?" : "(?:\\.\\d{1,3}0*)?");
}

/** Returns the pattern of the times that `formatTime` returns, and of some that it does not. */
export function describeFormattedTimes({ perSecond }: TimeForm): string {
  const pattern = getFormatPattern("date-time") ?? "";
  const [date = ""] = pattern.split("[tT]");
  const fraction = perSecond === 1 ? "" : "\\.\\d{3}";
  return `${date}T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d${fraction}Z$`;
}

/** Returns the time of a number of units; undefined if there is none in the years 1 to 9999. */
export function formatTime(value: number, { perSecond, isRounded }: TimeForm): string | undefined {
  const number = isRounded ? Math.floor(value) : value;
  if (!Number.isInteger(number)) return undefined;
  if (number < FIRST_SECOND * perSecond || number >= END_SECOND * perSecond) return undefined;
  const text = new Date((number * 1000) / perSecond).toISOString();
  return perSecond === 1 ? `${text.slice(0, 19)}Z` : text;
}

/** Returns the number of units of a time that matches `describeTimes`. A leap second is the second behind it. */
export function readTime(text: string, { perSecond }: TimeForm): number {
  const [, fraction = "", zone = ""] = /^(?:\.([0-9]+))?(.*)$/s.exec(text.slice(19)) ?? [];
  const read = (start: number, end: number): number => Number(text.slice(start, end));
  const days = countDays(read(0, 4), read(5, 7), read(8, 10));
  const offset =
    (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4, 6))) * (zone.startsWith("-") ? -60 : 60);
  const seconds = days * 86_400 + read(11, 13) * 3600 + read(14, 16) * 60 + read(17, 19) - offset;
  return perSecond === 1 ? seconds : seconds * 1000 + Number(fraction.padEnd(3, "0").slice(0, 3));
}

/** Returns the number of days since the beginning of 1970. */
function countDays(year: number, month: number, day: number): number {
  // Years that begin in March end with the day of a leap year.
  const [start, months] = month > 2 ? [year, month - 3] : [year - 1, month + 9];
  const leapDays = Math.floor(start / 4) - Math.floor(start / 100) + Math.floor(start / 400);
  return 365 * start + leapDays + Math.floor((153 * months + 2) / 5) + day - 719_469;
}
