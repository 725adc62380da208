/** Runs a newcomer's first test of a consumer under three test runners. */
import { describe, expect, it } from "vitest";
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
      if (process.env.ACCRETE_TEST_PACKAGES === undefined)
        context.skip("jest is installed where ACCRETE_TEST_PACKAGES is set");
      const install =
        "npm install --no-save --no-audit --no-fund --prefer-offline --silent jest@30.5.2 @jest/globals@30.5.2";
      if (project().shell(install).status !== 0) context.skip("jest cannot be installed here");
      project().write("kit/timeline.jest.test.mjs", formatTimelineTest("@jest/globals"));
      const jest =
        "npx jest --silent=false --verbose --testMatch '**/timeline.jest.test.mjs' --testPathIgnorePatterns /none/ --transform '{}' --json";
      const report = project().runSuccessfully(jest, { NODE_OPTIONS: "--experimental-vm-modules" });
      expect(report).toContain('"numFailedTests":0');
      expect(report).toContain("duplicate-late");
    }, 180_000);
  });
}
