/** If this fails, the kit needs a module of Node, so frontends cannot run it in a browser. */
import { createContext, runInContext } from "node:vm";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";

const PAGE = `
import { consumerCases } from "./generator/kit/index.ts";
import { protocol } from "./generated/frames/v1/index.js";
const seen = (events) => ({ push: (event) => { events.push(JSON.stringify(event)); }, snapshot: () => events });
const cases = consumerCases({ create: () => seen([]) }, { protocol, runs: 2 });
globalThis.broken = cases.flatMap(({ id, run }) => {
  try {
    run();
    return [];
  } catch (error) {
    return [[id, error.name, String(error.message)]];
  }
});
`;

describe("accrete-kit in a browser", () => {
  it("is bundled without any module of Node, and runs where there is none", async () => {
    const { outputFiles, metafile } = await build({
      stdin: { contents: PAGE, resolveDir: "." },
      ...{
        bundle: true,
        platform: "browser",
        format: "iife",
        target: "es2023",
        write: false,
        metafile: true,
      },
    });
    expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([]);
    // What every browser has beside the language itself.
    const page: { broken?: readonly (readonly string[])[] } = createContext({
      ...{ TextEncoder, TextDecoder, setTimeout, clearTimeout },
    });
    runInContext(outputFiles[0]?.text ?? "", page);
    // A list of all that came is right but for redeliveries.
    expect(page.broken?.map(([id, name]) => [id, name])).toEqual([["duplicate-adjacent", "BrokenLaw"]]);
  });
});
