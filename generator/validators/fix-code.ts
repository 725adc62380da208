/**
 * Two faults of the code that Ajv makes for `unevaluatedProperties` and `unevaluatedItems`, mended in its text. What
 * was evaluated is kept in `var`s, which a loop does not renew: one item's fields count for the next item. And a
 * pattern's field is noted in a variable that may hold undefined or true by then, which throws in a module.
 */
export function mendEvaluated(code: string): string {
  if (!/\bvar (?:props|items)\d/.test(code)) return code;
  const noted = code.replace(
    /(?<!\.)\b(props\d+)\[(key\d+)\] = true;/g,
    "if($1 !== true){($1 ??= {})[$2] = true;}",
  );
  const loops = [...noted.matchAll(/\bfor\([^{}]*\)\{/g)].map((loop) => loop.index + loop[0].length);
  return loops.reduceRight((text, start) => {
    const body = text.slice(start, bodyEnd(text, start));
    const names = new Set([...body.matchAll(/\bvar ((?:props|items)\d+)\b/g)].map(([, name]) => name));
    return (
      text.slice(0, start) + [...names].map((name) => `${name} = undefined;`).join("") + text.slice(start)
    );
  }, noted);
}

/** Where the block that begins at `start` ends. */
function bodyEnd(code: string, start: number): number {
  let depth = 1;
  let end = start;
  for (; depth > 0; end++) {
    const char = code[end];
    if (char === undefined) throw new Error("Ajv's code has a loop without an end");
    if (char === "{") depth++;
    if (char === "}") depth--;
  }
  return end;
}
