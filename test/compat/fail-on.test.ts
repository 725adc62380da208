/** If this fails, --fail-on lets a build pass or fail against its option. */
import { describe, expect, it } from "vitest";
import type { ExampleFiles } from "../../generator/compat/change.js";
import { runAccrete } from "../cli/run-in-process.js";
import { at, compat, history, text } from "./tea-history.js";

/** The version after 1.0 in which the only finding has a severity. */
const AFTER: { readonly [severity: string]: ExampleFiles } = {
  none: at("1.1", { sort: text, pot: text }),
  note: at("1.1", { sort: { ...text, default: "green" } }),
  warning: at("1.1", { sort: { ...text, deprecated: true } }),
  error: at("1.1", { sort: { ...text, maxLength: 4 } }),
};

const LEVELS = ["error", "warning", "note"];

describe("--fail-on", () => {
  const rows = Object.keys(AFTER).flatMap((worst) => LEVELS.map((level) => ({ worst, level })));
  it.each(rows)("$level, where the worst is $worst", async ({ worst, level }) => {
    const schemas = await history([at("1.0", { sort: text }), AFTER[worst] ?? {}]);
    const { findings, exitCode } = await compat(schemas, "--fail-on", level);
    expect(findings.map(({ severity }) => severity)).toEqual(worst === "none" ? [] : [worst]);
    expect(exitCode).toBe(worst !== "none" && LEVELS.indexOf(worst) <= LEVELS.indexOf(level) ? 1 : 0);
  });

  it("is error unless it is said", async () => {
    for (const worst of ["note", "warning"])
      expect(await compat(await history([at("1.0", { sort: text }), AFTER[worst] ?? {}]))).toMatchObject({
        exitCode: 0,
      });
  });

  it("takes no other level", async () => {
    expect(await runAccrete(["compat", "--fail-on", "never"])).toMatchObject({ exitCode: 2, stdout: "" });
  });
});
