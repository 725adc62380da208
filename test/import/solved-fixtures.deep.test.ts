/** If this fails, generated tests of an imported protocol fail until somebody writes fixtures, perhaps ones that cannot exist. */
import { execFileSync } from "node:child_process";
import { existsSync, rmSync, symlinkSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { createTemporaryProject } from "../commands/temporary-project.js";

const createEvent = (type: string, x: object): object => ({
  type: "object",
  required: ["type", "x"],
  properties: { type: { const: type }, x },
});

/** Random texts have no number of 40 characters that begins with 12 and ends with 98. */
const RARE = { type: "string", allOf: [{ pattern: "^12\\d*98$" }, { minLength: 40 }, { maxLength: 40 }] };
const IMPOSSIBLE = { allOf: [{ type: "string" }, { type: "object" }] };

it("makes fixtures of rare events, and states that an event is impossible, so that the generated tests pass", async () => {
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    oneOf: [createEvent("plain", {}), createEvent("rare", RARE), createEvent("never", IMPOSSIBLE)],
  };
  const project = createTemporaryProject({
    "my.json": JSON.stringify(schema),
    "package.json": JSON.stringify({ type: "module" }),
  });
  const { stdout } = await project.run("import @/my.json --name my");
  expect(stdout).toContain("its parts contradict each other: never");
  expect(stdout).not.toContain("write them");
  expect(project.read("fixtures/my/v1/valid/rare/made.json")).toMatch(/"x": "12\d{36}98"/);
  expect(existsSync(project.locateFile("fixtures/my/v1/invalid/never/impossible.json"))).toBe(true);
  expect(await project.run("generate --no-cache")).toMatchObject({ exitCode: 0 });

  symlinkSync(path.resolve("node_modules"), project.locateFile("node_modules"));
  const test = (): string => {
    const argv = [path.resolve("node_modules/vitest/vitest.mjs"), "run", "--root", project.root];
    return execFileSync(process.execPath, argv, { encoding: "utf8", stdio: "pipe" });
  };
  expect(test).not.toThrow();
  rmSync(project.locateFile("fixtures/my/v1/valid/rare"), { recursive: true });
  expect(test).toThrow();
});
