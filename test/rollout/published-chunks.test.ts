/** If this fails, `accrete rollout` misses an order of deployment that published packages needed. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import type { Json } from "../../generator/json.js";
import { runAccrete } from "../commands/run-in-process.js";
import { readBlocks } from "../docs/blocks.js";
import { createTemporaryFolder } from "../folders.js";

/** The schemas that the program in docs/compatibility.md makes of versions of the package `ai`. */
const PUBLISHED = readFileSync(path.join(import.meta.dirname, "published-chunks.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as { readonly version: string; readonly schema: Json });

const blocks = readBlocks("docs/compatibility.md");
const findBlock = (isWanted: (block: (typeof blocks)[number]) => boolean): string => {
  const [block, ...others] = blocks.filter(isWanted);
  if (block === undefined || others.length > 0) throw new Error("docs/compatibility.md has no such block");
  return block.text;
};
const fleet = findBlock(({ file }) => file === "chunks-fleet.json");
const commands = findBlock(({ text }) => text.startsWith("npm install zod"))
  .trim()
  .split("\n");

interface Answer {
  readonly steps: readonly object[];
  readonly readings: readonly {
    readonly writer: string;
    readonly reader: string;
    readonly refused: readonly { readonly witness?: Json }[];
  }[];
}

async function planFleet(folder: string, text: string): Promise<Answer> {
  writeFileSync(path.join(folder, "fleet.json"), text);
  return JSON.parse((await runAccrete(["rollout", path.join(folder, "fleet.json"), "--json"])).stdout);
}

function writePublished(): string {
  const folder = createTemporaryFolder();
  for (const { version, schema } of PUBLISHED)
    writeFileSync(path.join(folder, `ai-${version}.json`), JSON.stringify(schema));
  return folder;
}

describe("the chunks of the AI SDK", () => {
  it("need their frontends first", async () => {
    const folder = writePublished();
    const { steps, readings } = await planFleet(folder, fleet);
    expect(steps).toEqual([
      { reader: "frontend", from: "5.0.53 strict", to: "5.0.92 strict" },
      { writer: "backend", from: "5.0.53", to: "5.0.92" },
    ]);
    const refusals = readings.filter(({ refused }) => refused.length > 0);
    expect(refusals).toMatchObject([
      { writer: "5.0.92", reader: "5.0.53 strict", refused: [{ type: "finish" }] },
    ]);
  });

  it("would need no order if the frontends of 5.0.53 accepted unknown fields", async () => {
    const folder = writePublished();
    const { readings } = await planFleet(folder, fleet.replace(/"5\.0\.53", "strict": true/, '"5.0.53"'));
    expect(readings.filter(({ refused }) => refused.length > 0)).toEqual([]);
  });

  it("come out of the packages, whose validators agree about the refused chunk", async (context) => {
    if (process.env.ACCRETE_TEST_PACKAGES === undefined)
      context.skip("the packages are installed where ACCRETE_TEST_PACKAGES is set");
    const folder = createTemporaryFolder();
    writeFileSync(path.join(folder, "package.json"), "{}");
    for (const { file, text } of blocks)
      if (file === "write-chunks.mjs") writeFileSync(path.join(folder, file), text);
    const [install = "", ...others] = commands;
    const options = { cwd: folder, stdio: "pipe", timeout: 120_000 } as const;
    try {
      execFileSync(
        "npm",
        [...install.split(" ").slice(1), "--no-audit", "--no-fund", "--ignore-scripts"],
        options,
      );
    } catch {
      context.skip("npm could not install the packages");
    }
    for (const command of others.slice(0, -1)) execFileSync("bash", ["-c", command], options);
    for (const { version, schema } of PUBLISHED)
      expect(JSON.parse(readFileSync(path.join(folder, `ai-${version}.json`), "utf8"))).toEqual(schema);
    const { readings } = await planFleet(folder, fleet);
    const [witness] = readings.flatMap(({ refused }) => refused.map((each) => each.witness));
    const verdicts = await Promise.all(
      PUBLISHED.map(async ({ version }) => {
        const entry = path.join(folder, "node_modules", `ai-${version}`, "dist/index.mjs");
        const { uiMessageChunkSchema: chunks } = await import(pathToFileURL(entry).href);
        if (typeof chunks !== "function") return chunks.safeParse(witness).success;
        return (await chunks().validate(witness)).success;
      }),
    );
    expect(verdicts).toEqual([false, true]);
  }, 300_000);
});
