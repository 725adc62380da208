/** Returns the part of a page between its comments `<!-- name -->` and `<!-- /name -->`. */
export function readPart(page: string, name: string): string {
  const [before, after] = [`<!-- ${name} -->\n`, `\n<!-- /${name} -->`];
  const start = page.indexOf(before);
  const end = page.indexOf(after, start);
  if (start === -1 || end === -1) throw new Error(`the page has no part ${name}`);
  return page.slice(start + before.length, end);
}

/** Returns the page with another text in that part. */
export function replacePart(page: string, name: string, text: string): string {
  const old = readPart(page, name);
  return page.replace(`<!-- ${name} -->\n${old}\n<!-- /`, () => `<!-- ${name} -->\n${text}\n<!-- /`);
}
