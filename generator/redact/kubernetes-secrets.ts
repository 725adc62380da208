/** Finds the values of Kubernetes secrets in YAML and JSON. */

/** A part of a text. Its ends count UTF-16 code units. */
interface Span {
  readonly start: number;
  readonly stop: number;
}

/** The most characters of a manifest that are read before and after its kind. */
const REACH_BEFORE = 4_000;
const REACH_AFTER = 20_000;

const KIND = /\bkind["']?:[ \t]{0,3}["']?Secret(?![\w-])/;

/** The names of values that are no secrets. */
export const PUBLIC_NAMES =
  /^(?:user(?:name)?|login|host(?:name)?|port|database|namespace|type|ca\.crt|tls\.crt)$/i;

/** Matches the beginning of the values: in YAML up to the end of the line, in JSON up to the brace. */
const DATA = /(?<yaml>^[ \t]{0,40}(?:string)?data:[ \t]{0,5}\r?$)|"(?:string)?data"[ \t]{0,3}:\s{0,40}\{/gim;
/** Matches a value of YAML, and one of JSON. */
const YAML_VALUE =
  /\r?\n[ \t]{1,40}["']?(?<name>[\w.-]{1,253})["']?:[ \t]{0,5}(?:["']?(?<secret>(?![|>$<*{])[^\s"'#]{1,100000})["']?)?[^\n]{0,200}/dy;
const JSON_VALUE =
  /\s{0,40}"(?<name>[\w.-]{1,253})"[ \t]{0,3}:[ \t]{0,3}"(?<secret>(?![$<*{])[^"\\]{1,100000})"\s{0,40},?/dy;

/** Returns the values of the secret whose kind stands in a text from `start` to `stop`. */
export function findKubernetesSecrets(text: string, start: number, stop: number): Span[] {
  const before = text.slice(Math.max(0, start - REACH_BEFORE), start);
  // The values of an earlier secret were read up to here.
  if (KIND.test(before)) return [];
  const from = start - before.length + Math.max(0, before.lastIndexOf("\n---"));
  const after = text.slice(stop, stop + REACH_AFTER);
  const manifest = text.slice(from, stop + after.length);
  return [...manifest.matchAll(DATA)].flatMap(({ 0: { length }, index, groups }) =>
    findValues(manifest, index + length, groups?.yaml === undefined ? JSON_VALUE : YAML_VALUE).map(
      (span) => ({
        start: from + span.start,
        stop: from + span.stop,
      }),
    ),
  );
}

function findValues(manifest: string, from: number, value: RegExp): Span[] {
  const spans: Span[] = [];
  value.lastIndex = from;
  for (let match = value.exec(manifest); match !== null; match = value.exec(manifest)) {
    const [start, stop] = match.indices?.groups?.secret ?? [0, 0];
    if (stop > start && !PUBLIC_NAMES.test(match.groups?.name ?? "")) spans.push({ start, stop });
  }
  return spans;
}
