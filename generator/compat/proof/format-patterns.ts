import { FORMATS } from "../../schema/formats.js";

/** The pattern, without flags, of a format that validators assert; undefined for any other. */
export function formatPattern(name: string): string | undefined {
  const format = FORMATS.get(name);
  if (!format) return undefined;
  return format.test.flags.includes("i") ? anyCase(format.test.source) : format.test.source;
}

/** A regular expression that means without the flag `i` what `source` means with it. ASCII letters only. */
function anyCase(source: string): string {
  let result = "";
  let inClass = false;
  for (let i = 0; i < source.length; i++) {
    const token =
      source[i] === "\\" ? escaped(source, i) : source.slice(i, i + (source.startsWith("(?", i) ? 3 : 1));
    i += token.length - 1;
    if (!inClass && token === "[") inClass = true;
    else if (inClass && token === "]") inClass = false;
    const range = inClass ? /^[a-z]-[a-z]/i.exec(source.slice(i)) : null;
    if (range && token.length === 1) {
      i += 2;
      result += `${range[0].toLowerCase()}${range[0].toUpperCase()}`;
    } else if (/^[a-z]$/i.test(token)) {
      const both = `${token.toLowerCase()}${token.toUpperCase()}`;
      result += inClass ? both : `[${both}]`;
    } else result += token;
  }
  return result;
}

function escaped(source: string, at: number): string {
  return /^\\(?:u[0-9a-f]{4}|x[0-9a-f]{2}|c[a-z]|.)/i.exec(source.slice(at))?.[0] ?? "\\";
}
