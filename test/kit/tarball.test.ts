/** The newcomer's test, from the packed package, under three test runners. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = path.resolve(import.meta.dirname, "..", "..");
const folder = mkdtempSync(path.join(tmpdir(), "accrete-kit-"));

/** Ten lines; `runner` is where describe and it come from. */
const newcomer = (runner: string): string => `import { describe, it } from "${runner}";
import { describeConsumer } from "accrete/kit";
import { protocol } from "accrete/hecate/v1";

const create = () => {
  const shown = new Map();
  const push = (event) => void (shown.has(event.event_id) || shown.set(event.event_id, event));
  return { push, snapshot: () => [...shown.values()] };
};
describeConsumer("timeline", { create }, { protocol, describe, it });
`;

beforeAll(() => {
  const module = path.join(folder, "node_modules");
  mkdirSync(module, { recursive: true });
  // Compiled anew, into a folder of its own: other tests may be reading dist.
  const unpacked = path.join(module, "accrete");
  mkdirSync(unpacked);
  cpSync(path.join(root, "package.json"), path.join(unpacked, "package.json"));
  cpSync(path.join(root, "generated"), path.join(unpacked, "generated"), { recursive: true });
  execFileSync(
    process.execPath,
    [
      ...[path.join(root, "node_modules/typescript/bin/tsc"), "-p", path.join(root, "tsconfig.build.json")],
      ...["--outDir", path.join(unpacked, "dist")],
    ],
    { cwd: root },
  );
  cpSync(path.join(root, "generator/runtime"), path.join(unpacked, "dist/runtime"), { recursive: true });
  execFileSync("npm", ["pack", "--ignore-scripts", "--pack-destination", folder, "--silent"], {
    cwd: unpacked,
  });
  rmSync(unpacked, { recursive: true });
  mkdirSync(unpacked);
  execFileSync("tar", [
    "-xzf",
    path.join(folder, "accrete-0.1.0.tgz"),
    "-C",
    unpacked,
    "--strip-components",
    "1",
  ]);
  for (const name of ["fast-check", "pure-rand", "fastest-levenshtein", "vitest"])
    symlinkSync(path.join(root, "node_modules", name), path.join(module, name));
  writeFileSync(path.join(folder, "package.json"), '{ "type": "module", "private": true }\n');
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): string {
  const { VITEST: _vitest, NODE_OPTIONS: _options, ...outer } = process.env;
  try {
    return execFileSync(command, args, {
      ...{ cwd: folder, encoding: "utf8", stdio: "pipe" },
      env: { ...outer, ...env, NO_COLOR: "1" },
    });
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout?: string; readonly stderr?: string };
    throw new Error(`${stdout ?? ""}${stderr ?? ""}`);
  }
}

describe("a newcomer's test, from the packed package", () => {
  it("runs under node:test", () => {
    writeFileSync(path.join(folder, "timeline.node.mjs"), newcomer("node:test"));
    const report = run(process.execPath, ["--test", "--test-reporter=tap", "timeline.node.mjs"]);
    expect(report).toMatch(/# fail 0/);
    expect(report).toContain("duplicate-late");
  });

  it("runs under vitest", () => {
    writeFileSync(path.join(folder, "timeline.test.mjs"), newcomer("vitest"));
    const report = run(process.execPath, [
      path.join(root, "node_modules/vitest/vitest.mjs"),
      "run",
      "--root",
      folder,
      "timeline.test.mjs",
    ]);
    expect(report).toMatch(/Tests\s+\d+ passed/);
  });

  it("runs under jest", (context) => {
    if (process.env.ACCRETE_TEST_PACKAGES === undefined)
      context.skip("jest is installed where ACCRETE_TEST_PACKAGES is set");
    const jest = path.join(folder, "jest");
    mkdirSync(jest);
    writeFileSync(path.join(jest, "package.json"), '{ "type": "module", "private": true }\n');
    try {
      execFileSync(
        "npm",
        ["install", "jest@30.5.2", "--no-audit", "--no-fund", "--prefer-offline", "--silent"],
        {
          cwd: jest,
          stdio: "pipe",
          timeout: 90_000,
        },
      );
    } catch {
      context.skip("jest cannot be installed here");
    }
    writeFileSync(path.join(folder, "timeline.jest.test.mjs"), newcomer("@jest/globals"));
    symlinkSync(path.join(jest, "node_modules/@jest"), path.join(folder, "node_modules/@jest"));
    const report = run(
      process.execPath,
      [
        ...[
          path.join(jest, "node_modules/jest/bin/jest.js"),
          "--rootDir",
          folder,
          "--silent=false",
          "--verbose",
        ],
        ...[
          "--testMatch",
          "**/timeline.jest.test.mjs",
          "--testPathIgnorePatterns",
          "/none/",
          "--transform",
          "{}",
        ],
        "--json",
      ],
      { NODE_OPTIONS: "--experimental-vm-modules" },
    );
    expect(report).toContain('"numFailedTests":0');
    expect(report).toContain("duplicate-late");
  }, 180_000);
});
