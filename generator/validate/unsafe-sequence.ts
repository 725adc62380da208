import { errorFinding, type Finding } from "../finding.js";
import { locate, type Place, raw } from "../ingest/place.js";
import { isObject, type Json, join, own } from "../json.js";

const MOST = BigInt(Number.MAX_SAFE_INTEGER);

/** A finding if the number of an event is, as it is written, one that JavaScript cannot hold exactly. */
export function sequenceFinding(field: string | undefined, value: Json, place: Place): Finding | undefined {
  const number = field !== undefined && isObject(value) ? own(value, field) : undefined;
  if (field === undefined || typeof number !== "number" || number < Number.MAX_SAFE_INTEGER) return undefined;
  const pointer = join("", field);
  const written = raw(place, pointer);
  if (number === Number.MAX_SAFE_INTEGER && isMost(written)) return undefined;
  const shown = written.length > 40 ? `${written.slice(0, 39)}…` : written;
  return errorFinding(
    "sequence-unsafe",
    `${field} is ${shown}, which is beyond 2^53 - 1: JavaScript reads it as ${number}.`,
    locate(place, pointer),
    `No number above ${MOST} can be read exactly.`,
  );
}

/** Whether the digits of a number around 2^53 mean exactly 2^53 - 1. */
function isMost(written: string): boolean {
  const [, whole = "", fraction = "", exponent = "0"] =
    /^(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(written) ?? [];
  const scale = Number(exponent) - fraction.length;
  const digits = BigInt(whole + fraction || "0");
  return scale >= 0 ? digits * 10n ** BigInt(scale) === MOST : digits === MOST * 10n ** BigInt(-scale);
}
