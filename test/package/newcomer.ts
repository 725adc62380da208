/** Runs a newcomer's first test of a consumer under node:test and jest. test/package/package.deep.test.ts runs it under vitest. */
import { mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, type TestContext } from "vitest";
import { readBlocks } from "../docs/blocks.js";
import { findTarball, getPackages } from "./build.js";
import { openProject, type Project } from "./project.js";

/** Returns the test in README.md for another test runner. `runner` is the module that exports `describe` and `it`. */
function formatTimelineTest(runner: string): string {
  const shown = readBlocks("README.md").find(({ file }) => file === "timeline.test.mjs");
  if (shown === undefined) throw new Error("README.md has no block timeline.test.mjs");
  return shown.text.replace('"vitest"', `"${runner}"`);
}

/** Defines the tests. `frontend` is a project with the packages. */
export function testNewcomer(frontend: () => Project): void {
  describe("a newcomer's test of a consumer", () => {
    it("runs under node:test", () => {
      frontend().write("timeline.node.mjs", formatTimelineTest("node:test"));
      const options = "--test --test-reporter=tap --test-name-pattern=duplicate";
      const report = frontend().runSuccessfully(`node ${options} timeline.node.mjs`);
      expect(report).toMatch(/# fail 0/);
      expect(report).toContain("duplicate-late");
    });

    it("runs under jest", (context) => {
      const project = installWithJest(frontend(), context);
      project.write("timeline.test.mjs", formatTimelineTest("@jest/globals"));
      const jest =
        "npx jest --silent=false --verbose --testMatch '**/timeline.test.mjs' --transform '{}' --json";
      const report = project.runSuccessfully(jest, { NODE_OPTIONS: "--experimental-vm-modules" });
      expect(report).toContain('"numFailedTests":0');
      expect(report).toContain("duplicate-late");
    }, 180_000);

    it("runs under jest as CommonJS, with the configuration of docs/contract-testing.md", (context) => {
      const project = installWithJest(frontend(), context);
      const page = readFileSync(path.join(import.meta.dirname, "../../docs/contract-testing.md"), "utf8");
      const [, config = ""] = /^```js jest\.config\.cjs\n(.*?)^```$/ms.exec(page) ?? [];
      project.write("jest.config.cjs", config);
      const source = formatTimelineTest("@jest/globals").replaceAll(
        /^import (.*) from (".*");$/gm,
        "const $1 = require($2);",
      );
      project.write("timeline.test.cjs", source);
      const report = project.runSuccessfully("npx jest --testMatch '**/timeline.test.cjs' --json");
      expect(report).toContain('"numFailedTests":0');
      expect(report).toContain("duplicate-late");
    });
  });
}

const JEST_PACKAGES = "jest@30.5.2 @jest/globals@30.5.2 @babel/plugin-transform-modules-commonjs@7.29.14";

/** Installs jest and the packages in a project beside `frontend`, or skips the test where packages cannot be installed. */
function installWithJest(frontend: Project, context: TestContext): Project {
  if (process.env.ACCRETE_TEST_PACKAGES === undefined)
    context.skip("jest is installed where ACCRETE_TEST_PACKAGES is set");
  const folder = path.join(frontend.folder, "..", "jest");
  mkdirSync(folder, { recursive: true });
  const project = openProject(folder);
  const tarballs = ["accrete-client", "accrete-kit"].map((name) => `"${findTarball(getPackages(), name)}"`);
  if (project.shell(`npm install ${tarballs.join(" ")} ${JEST_PACKAGES}`).status !== 0)
    context.skip("jest cannot be installed here");
  return project;
}
