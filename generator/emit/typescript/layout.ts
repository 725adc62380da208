/** How generated TypeScript is laid out, where a formatter of its own would cost more time than everything else. */

const STRING = /"(?:[^"\\]|\\.)*"/g;

/**
 * Declarations, as ts-morph and json-schema-to-typescript write them, one member a line: each line indented by its
 * depth, a semicolon behind each member, no blank line inside of a declaration.
 */
export function layOut(text: string): string {
  const open: string[] = [];
  const lines = text.split("\n").flatMap((raw) => {
    const line = raw.trim();
    if (line === "") return open.length === 0 ? [""] : [];
    const comment = /^\/?\*/.test(line);
    const code = comment ? "" : line.replace(STRING, '""');
    const closing = /^[\])}]*/.exec(code)?.[0] ?? "";
    const depth = braces(open) - [...closing].filter((char) => char === "}").length;
    for (const char of code)
      if ("{[(".includes(char)) open.push(char);
      else if ("}])".includes(char)) open.pop();
    const ends = !comment && !/[{;]$/.test(code) && open.at(-1) === "{";
    const spaced = comment ? line : line.replace(/^([\])}]*)\|(?=[[({])/, "$1 | ");
    return [`${"  ".repeat(depth)}${comment && line.startsWith("*") ? " " : ""}${spaced}${ends ? ";" : ""}`];
  });
  return lines.join("\n");
}

function braces(open: readonly string[]): number {
  return open.filter((char) => char === "{").length;
}
