/** If this fails, somebody without Node gets no command line, or one that does something else than the packed one. */
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { buildBinaries } from "../../scripts/build-binary.mjs";
import { createSharedFolder, createTemporaryFolder } from "../folders.js";
import { Editor } from "../lsp/editor.js";
import { getCommand, getPackages } from "../package/build.js";

/** The binary holds the Node that runs the tests: another one would have to be downloaded. */
const isSupported = process.platform === "linux" && process.arch === "x64";

describe.runIf(isSupported)("the binary for Linux, without Node on the PATH", () => {
  const folder = createSharedFolder();
  const binary = path.join(folder, "accrete-linux-x64");
  const env = { PATH: path.join(folder, "nothing"), ACCRETE_UNPACKED: path.join(folder, "unpacked") };

  beforeAll(async () => {
    const options = { packages: getPackages(), out: folder, platforms: ["linux-x64"] };
    expect(await buildBinaries({ ...options, node: process.execPath })).toEqual(["accrete-linux-x64"]);
  });

  function run(cwd: string, line: string, environment: NodeJS.ProcessEnv = env) {
    const { status, stdout, stderr } = spawnSync(binary, line.split(" "), {
      ...{ cwd, env: environment, encoding: "utf8" },
    });
    return { status, stdout, stderr };
  }

  it("has the checksum that stands beside it", () => {
    const hash = createHash("sha256").update(readFileSync(binary)).digest("hex");
    expect(readFileSync(path.join(folder, "SHA256SUMS"), "utf8")).toBe(`${hash}  accrete-linux-x64\n`);
  });

  it("goes from init to check, and refuses a change with its event", () => {
    expect(() => execFileSync("node", ["--version"], { env })).toThrow();
    const root = createTemporaryFolder();
    for (const line of ["init . --name notes", "generate", "release 1.0", "check"])
      expect(run(root, line)).toMatchObject({ status: 0, stderr: "" });
    const file = path.join(root, "schemas/notes/v1/events/note.added.schema.json");
    writeFileSync(file, readFileSync(file, "utf8").replaceAll('"text"', '"note_text"'));
    expect(run(root, "compat")).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(/error field-renamed [\s\S]*\n {4}event {/),
    });
  });

  it("unpacks itself once, and writes what the packed command writes", () => {
    expect(readdirSync(env.ACCRETE_UNPACKED)).toHaveLength(1);
    const root = path.resolve(".");
    expect(run(root, "generate --check --no-cache")).toMatchObject({ status: 0 });
    const help = execFileSync(process.execPath, [getCommand(), "--help"], { encoding: "utf8" });
    expect(run(root, "--help").stdout).toBe(help);
    expect(readdirSync(env.ACCRETE_UNPACKED)).toHaveLength(1);
  });

  it("serves an editor", async () => {
    const root = createTemporaryFolder();
    expect(run(root, "init . --name notes")).toMatchObject({ status: 0 });
    const editor = new Editor(root, [binary, "lsp"], env);
    expect(await editor.initialize()).toMatchObject({ serverInfo: { name: "accrete" } });
    const file = "schemas/notes/v1/events/note.added.schema.json";
    await editor.open(file, "{");
    expect(await editor.waitFor(file, (rules) => rules.length > 0)).toMatchObject([{ code: "json-syntax" }]);
    expect(await editor.close()).toBe(0);
  });

  it("says what to do if it cannot unpack itself", () => {
    const result = run(folder, "--version", { ...env, ACCRETE_UNPACKED: `${binary}/below` });
    expect(result).toMatchObject({
      status: 2,
      stdout: "",
      stderr: expect.stringContaining("Set ACCRETE_UNPACKED"),
    });
  });
});
