/** If this fails, a build passes or fails contrary to --fail-on. */
import { describe, expect, it } from "vitest";
import type { ExampleFiles } from "../../generator/compat/change.js";
import { runAccrete } from "../commands/run-in-process.js";
import { checkHistory, createVersion, text } from "./tea-history.js";

/** For each severity, a version after 1.0 whose only finding has this severity. */
const AFTER: { readonly [severity: string]: ExampleFiles } = {
  none: createVersion("1.1", { sort: text, pot: text }),
  note: createVersion("1.1", { sort: { ...text, default: "green" } }),
  warning: createVersion("1.1", { sort: { ...text, deprecated: true } }),
  error: createVersion("1.1", { sort: { ...text, maxLength: 4 } }),
};

const FIRST = createVersion("1.0", { sort: text });
const LEVELS = ["error", "warning", "note"];

describe("--fail-on", () => {
  const rows = Object.keys(AFTER).flatMap((worst) => LEVELS.map((level) => ({ worst, level })));
  it.each(rows)("$level decides the exit code if the worst finding is $worst", async ({ worst, level }) => {
    const versions = [FIRST, AFTER[worst] ?? {}];
    const { findings, exitCode } = await checkHistory(versions, "--fail-on", level);
    expect(findings.map(({ severity }) => severity)).toEqual(worst === "none" ? [] : [worst]);
    expect(exitCode).toBe(worst !== "none" && LEVELS.indexOf(worst) <= LEVELS.indexOf(level) ? 1 : 0);
  });

  it.each(["note", "warning"])("is error by default, so that a %s passes", async (worst) => {
    expect(await checkHistory([FIRST, AFTER[worst] ?? {}])).toMatchObject({ exitCode: 0 });
  });

  it("only reports with never", async () => {
    const { findings, exitCode } = await checkHistory([FIRST, AFTER.error ?? {}], "--fail-on", "never");
    expect([findings.length, exitCode]).toEqual([1, 0]);
  });

  it("refuses other levels", async () => {
    expect(await runAccrete(["compat", "--fail-on", "fatal"])).toMatchObject({ exitCode: 2, stdout: "" });
  });
});
