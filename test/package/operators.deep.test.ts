/** If this fails, a page for those who operate archives and feeds does not work as it is printed, with the packed packages. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OPERATOR_PAGES, readBlocks } from "../docs/blocks.js";
import { checkBlocks } from "../docs/check-block.js";
import { isNotRun } from "../docs/not-run.js";
import { prepareSpark } from "../emit/python/environment.js";
import { findTarball, getPackages } from "./build.js";
import { openProject } from "./project.js";
import { openUserShell } from "./user-shell.js";

const python = prepareSpark();

let folder: string;
let packages: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "accrete-operators-")));
  packages = getPackages();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the blocks of a page, from the packed packages in an empty folder", { timeout: 1_200_000 }, () => {
  it.each(OPERATOR_PAGES)("%s", async (page) => {
    const own = path.join(folder, path.basename(page, ".md"));
    mkdirSync(own);
    const shell = openUserShell(own, packages);
    try {
      await checkBlocks(readBlocks(page), shell, isNotRun);
    } finally {
      await shell.close();
    }
    expect(readdirSync(own)).toContain("package.json");
  });

  it.skipIf(python === undefined)("the block of the Spark job, over a folder", () => {
    const block =
      readBlocks("docs/auditing.md").find(({ text }) => text.includes("spark-submit"))?.text ?? "";
    const own = path.join(folder, "spark");
    mkdirSync(own);
    const { runSuccessfully } = openProject(own);
    runSuccessfully(`npm install "${findTarball(packages, "accrete-cli")}"`);
    cpSync(path.join(own, "node_modules/accrete-cli/schemas"), path.join(own, "project/schemas"), {
      recursive: true,
    });
    cpSync(path.join(own, "node_modules/accrete-cli/fixtures/hecate/v1/streams"), path.join(own, "archive"), {
      recursive: true,
    });
    runSuccessfully("npx accrete-cli generate --emit spark --schemas project/schemas --out generated");
    const script = block
      .replace(
        "npm install --prefix job accrete-cli",
        `npm install --prefix job "${findTarball(packages, "accrete-cli")}"`,
      )
      .replace("s3a://bucket/audit", "audit")
      .replace("s3a://bucket/archive/2026-11", "archive");
    expect(script).not.toContain("s3a:");
    const environment = {
      PATH: `${path.dirname(python ?? "")}:${process.env.PATH}`,
      PYSPARK_PYTHON: python,
      SPARK_LOCAL_IP: "127.0.0.1",
    };
    runSuccessfully(`set -e\n${script}`, environment);
    expect(readdirSync(path.join(own, "audit"))).toEqual(["findings", "statistics"]);
    expect(readFileSync(path.join(own, "audit/statistics/_SUCCESS"), "utf8")).toBe("");
  });
});
