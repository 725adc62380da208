import { expect, it } from "vitest";
import { folder, put, tinySchemas } from "./folders.js";
import { accrete } from "./run-in-process.js";

const EVENT = "tiny/v1/events/tea.served.schema.json";

function schemas(change: (event: string) => string = (event) => event): string {
  const files = tinySchemas();
  return folder({ ...files, [EVENT]: change(files[EVENT] ?? "") });
}

it("passes sound schemas", async () => {
  const got = await accrete(["lint", "--schemas", schemas()]);
  expect(got).toEqual({ exitCode: 0, stdout: "0 errors, 0 warnings, 1 sound protocol\n", stderr: "" });
});

it("prints every error with its place and fails", async () => {
  const root = schemas((event) => event.replace('"minimum"', '"minimun"').replace('"title"', '"titel"'));
  const { exitCode, stdout } = await accrete(["lint", "--schemas", root]);
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/tea\.served\.schema\.json:\d+:\d+: error keyword-unknown \/titel /);
  expect(stdout).toMatch(
    /tea\.served\.schema\.json:\d+:\d+: error keyword-unknown \/properties\/cups\/minimun /,
  );
  expect(stdout).toMatch(/\n\d+ errors, 0 warnings, 0 sound protocols\n$/);
});

it("does not fail for warnings", async () => {
  const root = schemas((event) => event.replace(/,\s*"description": "How many cups."/, ""));
  const { exitCode, stdout } = await accrete(["lint", "--schemas", root]);
  expect(stdout).toMatch(
    /: warning description-missing \/properties\/cups [\s\S]*\n0 errors, 1 warning, 1 sound protocol\n$/,
  );
  expect(exitCode).toBe(0);
});

it("looks at the protocols that are asked for alone", async () => {
  const root = schemas((event) => event.replace('"minimum"', '"minimun"'));
  put(root, tinySchemas("other"));
  expect((await accrete(["lint", "other/v1", "--schemas", root])).exitCode).toBe(0);
  expect((await accrete(["lint", "--schemas", root])).exitCode).toBe(1);
});

it("prints JSON for programs", async () => {
  const root = schemas((event) => event.replace('"minimum"', '"minimun"'));
  const { stdout } = await accrete(["lint", "--format", "json", "--schemas", root]);
  const { summary, findings } = JSON.parse(stdout);
  expect(summary).toEqual({ errors: 1, warnings: 0, protocols: [] });
  expect(findings[0]).toMatchObject({
    rule: "keyword-unknown",
    severity: "error",
    at: { pointer: "/properties/cups/minimun" },
  });
});

it("keeps what a schema says from reaching the terminal's ears", async () => {
  const root = schemas((event) => event.replace('"minimum"', '"mini\\u001b[31m\\u009b\\u202emum\\n"'));
  for (const format of ["text", "json"]) {
    const { stdout } = await accrete(["lint", "--format", format, "--schemas", root]);
    expect(stdout).toContain("\\u001b[31m\\u009b\\u202emum\\n");
    expect(stdout).not.toMatch(/[^\P{C}\n]/u);
  }
});

it("uses colours only when asked to", async () => {
  const root = schemas((event) => event.replace('"minimum"', '"minimun"'));
  const colored = await accrete(["lint", "--schemas", root], "", { colors: true });
  expect(colored.stdout).toContain("\u001b[31merror\u001b[39m");
});
