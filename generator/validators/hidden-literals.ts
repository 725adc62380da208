/**
 * Ajv's code with its string and regular-expression literals out of the way, so that it can be rewritten by pattern
 * and nothing that a schema says can look like code. Law: `show(hide(text))` means the same as `text`.
 */
import { literal } from "../text.js";

const STRING = /"(?:[^"\\\n]|\\.)*"/;
/** Only where Ajv writes one: as a value or a first argument. Elsewhere a slash divides. */
const REGEX = /(?<=[=(] ?)\/(?![/*])(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/;
const LITERAL = new RegExp(`${STRING.source}|${REGEX.source}`, "g");

export interface Hidden {
  /** The code with `"0"`, `"1"`, … in place of strings and `/0/`, `/1/`, … in place of regular expressions. */
  readonly code: string;
  /** What a hidden string says. */
  string(index: number): string;
  /** `code`, or what became of it, with its literals again, free of unseen characters. */
  show(code: string): string;
}

/** Hides the literals of `text`. Throws where it meets something that it cannot tell apart. */
export function hideLiterals(text: string): Hidden {
  const literals: string[] = [];
  const code = text.replace(LITERAL, (found) => {
    const quote = found.charAt(0);
    literals.push(found);
    return `${quote}${literals.length - 1}${quote}`;
  });
  const strange = /['`\\]|\/[/*]/.exec(code.replace(/"\d+"|\/\d+\//g, ""));
  if (strange) throw new Error(`Ajv writes literals in an unknown way: ${strange[0]}`);
  const string = (index: number): string => JSON.parse(literals[index] as string);
  const show = (rewritten: string): string =>
    rewritten
      // In an object literal this key would set the prototype.
      .replace(/(?<=[{,])"(\d+)":/g, (key, i) =>
        string(Number(i)) === "__proto__" ? `[${key.slice(0, -1)}]:` : key,
      )
      .replace(/"(\d+)"|\/(\d+)\//g, (_all, i, regex) =>
        i === undefined ? (literals[Number(regex)] as string) : literal(string(Number(i))),
      );
  return { code, string, show };
}
