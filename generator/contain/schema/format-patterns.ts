/**
 * Formats that are regular languages, as patterns. They are used only where formats are assertions. The schemas for the two
 * validators then hold these very patterns, so that all agree on the meaning of a format.
 */

const DAY_31 = "(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])";
const DAY_30 = "(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)";
const LEAP_YEAR = "(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)";
const DATE = `(?:\\d{4}-(?:${DAY_31}|${DAY_30}|02-(?:0[1-9]|1\\d|2[0-8]))|${LEAP_YEAR}-02-29)`;
const TIME =
  "(?:[01]\\d|2[0-3]):[0-5]\\d:(?:[0-5]\\d|60)(?:\\.\\d+)?(?:[Zz]|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)";
const OCTET = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const LABEL = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?";
const TIME_PART = "T(?:\\d+H(?:\\d+M(?:\\d+S)?)?|\\d+M(?:\\d+S)?|\\d+S)";
const DATE_PART = "(?:\\d+Y(?:\\d+M(?:\\d+D)?)?|\\d+M(?:\\d+D)?|\\d+D)";

const FORMATS: { readonly [format: string]: string } = {
  date: `^${DATE}$`,
  time: `^${TIME}$`,
  "date-time": `^${DATE}[Tt]${TIME}$`,
  duration: `^P(?:${DATE_PART}(?:${TIME_PART})?|${TIME_PART}|\\d+W)$`,
  ipv4: `^(?:${OCTET}\\.){3}${OCTET}$`,
  hostname: `^${LABEL}(?:\\.${LABEL})*$`,
  uuid: "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$",
  "json-pointer": "^(?:/(?:[^~/]|~[01])*)*$",
  "relative-json-pointer": "^(?:0|[1-9]\\d*)(?:#|(?:/(?:[^~/]|~[01])*)*)$",
};

/** The pattern of a format that is regular, or undefined for any other. */
export function formatPattern(format: string): string | undefined {
  return Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
}
