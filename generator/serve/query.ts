/** Reads parameters and headers of requests. Refuses what it cannot read exactly. */
import { didYouMean } from "../nearest.js";
import type { Parameters } from "./answer.js";
import { HttpError } from "./problem.js";

/** Decodes a part of a URL. */
export function decodeUrlPart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new HttpError(
      "url-malformed",
      "The URL holds a percent sign that is not followed by two hexadecimal digits of UTF-8.",
    );
  }
}

/** Reads the part of a URL after the question mark. */
export function readParameters(search: string): Parameters {
  return search
    .split("&")
    .filter((part) => part !== "")
    .map((part) => {
      const at = part.indexOf("=");
      const [name, value] = at === -1 ? [part, ""] : [part.slice(0, at), part.slice(at + 1)];
      return [decodeUrlPart(name.replaceAll("+", " ")), decodeUrlPart(value.replaceAll("+", " "))] as const;
    });
}

/** Throws for parameters that `path` does not take, so that a misspelt one is not ignored. */
export function refuseUnknownParameters(
  path: string,
  parameters: Parameters,
  allowed: readonly string[],
): void {
  const unknown = parameters.map(([name]) => name).find((name) => !allowed.includes(name));
  if (unknown === undefined) return;
  const suggestion = didYouMean(unknown, allowed);
  const list = allowed.length === 0 ? "" : ` It takes ${allowed.join(", ")}.`;
  throw new HttpError(
    "parameter-unknown",
    `${quote(path)} takes no parameter ${quote(unknown)}${suggestion}${list}`,
  );
}

/** Returns the value of a parameter; undefined if it is not given. */
export function readParameter(parameters: Parameters, name: string): string | undefined {
  const values = parameters.filter((parameter) => parameter[0] === name);
  if (values.length > 1)
    throw new HttpError("parameter-repeated", `${name} is given ${values.length} times; give it once.`);
  return values[0]?.[1];
}

/** Parses a whole number from `min` to `max`; undefined stays undefined. */
export function parseWholeNumber(
  name: string,
  text: string | undefined,
  min: number,
  max: number = Number.MAX_SAFE_INTEGER,
): number | undefined {
  if (text === undefined) return undefined;
  const number = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new HttpError(
    "parameter-invalid",
    `${name} must be a whole number from ${min} to ${max}, not ${quote(text)}.`,
  );
}

/** Quotes untrusted text for a message: on one line and short. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}

/** Returns the weight of `name` in a header such as `Accept`, from 0 to 1. `*` does not count. */
export function readWeight(header: string | undefined, name: string): number {
  const weights = (header ?? "").split(",").map((part) => {
    const [token = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
    const quality = parameters.find((parameter) => /^q=[01](\.\d*)?$/.test(parameter))?.slice(2);
    return token === name ? Number(quality ?? 1) : 0;
  });
  return Math.max(...weights);
}
