/** Runs a newcomer's first test of a consumer under three test runners. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, type TestContext } from "vitest";
import type { Project } from "./project.js";

/** Returns the source of the test that README.md shows. `runner` is the module that exports `describe` and `it`. */
export const formatTimelineTest = (runner: string): string => `import { describe, it } from "${runner}";
import { describeConsumer } from "accrete/kit";
import { protocol } from "accrete/hecate/v1";

const create = () => {
  const shown = new Map();
  const push = (event) => void (shown.has(event.event_id) || shown.set(event.event_id, event));
  return { push, snapshot: () => [...shown.values()] };
};
describeConsumer("timeline", { create }, { protocol, describe, it });
`;

/** Defines the tests. */
export function testNewcomer(project: () => Project): void {
  describe("a newcomer's test of a consumer", () => {
    it("runs under node:test", () => {
      project().write("kit/timeline.node.mjs", formatTimelineTest("node:test"));
      const report = project().runSuccessfully("node --test --test-reporter=tap kit/timeline.node.mjs");
      expect(report).toMatch(/# fail 0/);
      expect(report).toContain("duplicate-late");
    });

    it("runs under vitest", () => {
      project().write("kit/timeline.test.mjs", formatTimelineTest("vitest"));
      expect(project().runSuccessfully("npx vitest run kit")).toMatch(/Tests\s+\d+ passed/);
    });

    it("runs under jest", (context) => {
      installForJest(project(), context);
      project().write("kit/timeline.jest.test.mjs", formatTimelineTest("@jest/globals"));
      const jest =
        "npx jest --silent=false --verbose --testMatch '**/timeline.jest.test.mjs' --testPathIgnorePatterns /none/ --transform '{}' --json";
      const report = project().runSuccessfully(jest, { NODE_OPTIONS: "--experimental-vm-modules" });
      expect(report).toContain('"numFailedTests":0');
      expect(report).toContain("duplicate-late");
    }, 180_000);

    it("runs under jest as CommonJS, with the configuration of docs/contract-testing.md", (context) => {
      installForJest(project(), context);
      const page = readFileSync(path.join(import.meta.dirname, "../../docs/contract-testing.md"), "utf8");
      const [, config = ""] = /^```js jest\.config\.cjs\n(.*?)^```$/ms.exec(page) ?? [];
      project().write("jest.config.cjs", config);
      const source = formatTimelineTest("@jest/globals").replaceAll(
        /^import (.*) from (".*");$/gm,
        "const $1 = require($2);",
      );
      project().write("kit/timeline.jest.test.cjs", source);
      const report = project().runSuccessfully("npx jest --testMatch '**/timeline.jest.test.cjs' --json");
      expect(report).toContain('"numFailedTests":0');
      expect(report).toContain("duplicate-late");
    }, 240_000);
  });
}

const JEST_PACKAGES = "jest@30.5.2 @jest/globals@30.5.2 @babel/plugin-transform-modules-commonjs@7.29.14";

/** Installs jest in the project, or skips the test where packages cannot be installed. */
function installForJest(project: Project, context: TestContext): void {
  if (process.env.ACCRETE_TEST_PACKAGES === undefined)
    context.skip("jest is installed where ACCRETE_TEST_PACKAGES is set");
  const install = `npm install --no-save --no-audit --no-fund --prefer-offline --silent ${JEST_PACKAGES}`;
  if (project.shell(install).status !== 0) context.skip("jest cannot be installed here");
}
