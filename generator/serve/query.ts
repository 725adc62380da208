/** What a request asks for beside its path. Everything that cannot be read exactly is refused, never guessed. */
import { didYouMean } from "../nearest.js";
import { Problem } from "./problem.js";

/** The parameters of a URL, decoded, in order. */
export type Parameters = readonly (readonly [name: string, value: string])[];

/** Decodes a part of a URL. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Problem(
      400,
      "The URL holds a percent sign that is not followed by two hexadecimal digits of UTF-8.",
    );
  }
}

/** Reads what stands behind the question mark. */
export function readParameters(search: string): Parameters {
  return search
    .split("&")
    .filter((part) => part !== "")
    .map((part) => {
      const at = part.indexOf("=");
      const [name, value] = at === -1 ? [part, ""] : [part.slice(0, at), part.slice(at + 1)];
      return [decoded(name.replaceAll("+", " ")), decoded(value.replaceAll("+", " "))] as const;
    });
}

/** Refuses parameters that `path` does not know, so that a misspelt one is not ignored. */
export function refuseUnknown(path: string, parameters: Parameters, known: readonly string[]): void {
  const strange = parameters.map(([name]) => name).find((name) => !known.includes(name));
  if (strange === undefined) return;
  const meant = didYouMean(strange, known);
  const takes = known.length === 0 ? "" : ` It takes ${known.join(", ")}.`;
  throw new Problem(400, `${quoted(path)} takes no parameter ${quoted(strange)}${meant}${takes}`);
}

/** The only value of a parameter, or undefined. */
export function parameter(parameters: Parameters, name: string): string | undefined {
  const values = parameters.filter((one) => one[0] === name);
  if (values.length > 1) throw new Problem(400, `${name} is given ${values.length} times; give it once.`);
  return values[0]?.[1];
}

/** A whole number from `least` to `most`; undefined stays undefined. */
export function wholeNumber(
  name: string,
  text: string | undefined,
  least: number,
  most: number = Number.MAX_SAFE_INTEGER,
): number | undefined {
  if (text === undefined) return undefined;
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new Problem(400, `${name} must be a whole number from ${least} to ${most}, not ${quoted(text)}.`);
}

/** Untrusted text for a sentence: on one line and short. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
