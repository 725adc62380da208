/** If this fails, a developer finds functions that are too long to read, or names that nobody uses. */
import { describe, expect, it } from "vitest";
import { measureSources } from "../scripts/architecture/figures.js";
import { readSources } from "../scripts/architecture/sources.js";

/** The largest number of lines of a function. */
const MAX_LINES = 80;
/** The largest number of lines that nine of ten functions of a component have. */
const MAX_LINES_OF_MOST = 25;

const { functions, unusedExports } = measureSources(readSources());

describe("the sources", () => {
  it("export only names that another file uses, in TypeScript and in the JavaScript of the page", () => {
    expect(unusedExports).toEqual([]);
  });

  it.each([
    ["all components", ""],
    ["the web page", "serve/page/"],
  ])("have short functions in %s", (_name, folder) => {
    const measured = functions.filter(({ file }) => file.startsWith(folder));
    expect(measured.length).toBeGreaterThan(100);
    expect(measured.filter(({ lines }) => lines > MAX_LINES)).toEqual([]);
    expect(measured[Math.floor(measured.length / 10)]?.lines).toBeLessThanOrEqual(MAX_LINES_OF_MOST);
  });
});
