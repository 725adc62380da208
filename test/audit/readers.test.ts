/** If this fails, an upgrade that can no longer open old recordings is not noticed, or the wrong release is blamed. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../generator/json.js";
import { openProject, type Project } from "../compat/repository.js";
import { SERVED } from "../compat/tea.js";
import { createSharedFolder, createTemporaryFolder } from "../folders.js";

const POURED = "events/tea.poured.schema.json";

/** The fields of tea.served in the release 1.`minor`. The release 1.3 allows fewer cups; all other releases only add. */
function createFields(minor: number): JsonObject {
  const field = { type: "string", description: "A field." };
  const added = Array.from({ length: minor }, (_, index) => [`field${index}`, field] as const);
  const cups = { type: "integer", description: "How many.", ...(minor >= 3 && { maximum: 10 }) };
  return { ...Object.fromEntries(added), ...(minor >= 1 && { cups }) };
}

function createContents(minor: number): { readonly changes: { readonly [file: string]: JsonObject } } {
  return {
    changes: {
      "protocol.json": { stream: { key: ["id"] } },
      [SERVED]: { properties: createFields(minor), description: minor === 5 ? "Tea was served." : "Served." },
      ...(minor >= 2 && { [POURED]: { "x-since": "1.2" } }),
    },
  };
}

/** Returns an event as a line. */
function createServed(id: string, data: JsonObject): string {
  return JSON.stringify({ type: "tea.served", id, data });
}

/** Lines of an archive, and whether current readers refuse them because of the break. */
const LINES: readonly (readonly [line: string, isHit: boolean])[] = [
  [createServed("a", {}), false],
  [createServed("b", { cups: 5 }), false],
  [createServed("c", { cups: 11 }), true],
  [createServed("d", { cups: 10, field1: "x" }), false],
  [createServed("c", { cups: 999, field0: "x" }), true],
  [createServed("e", { cups: 11, field1: "x" }), true],
  [JSON.stringify({ type: "tea.poured", id: "f", data: { cups: 99 } }), false],
  [createServed("g", { cups: 3, field8: "x" }), false],
  [createServed("h", { cups: 11, field2: "x" }), false],
];

describe("a ledger of ten releases with a break in the fourth", () => {
  const root = createSharedFolder();
  let project: Project;
  let archive: string;

  beforeAll(async () => {
    project = openProject(root);
    project.git("init", "--quiet");
    for (let minor = 0; minor < 10; minor++) {
      project.write(`1.${minor}`, createContents(minor));
      await project.freezeContract();
      project.commit();
    }
    archive = path.join(root, "archive");
    mkdirSync(archive);
    writeFileSync(path.join(archive, "a.jsonl"), LINES.map(([line]) => `${line}\n`).join(""));
  });

  it("names the break, its release, and the releases that it hits", async () => {
    const { stdout, exitCode } = await project.run("audit", "--readers", "--format", "json");
    const { findings, summary } = JSON.parse(stdout);
    expect(exitCode).toBe(1);
    const refused = findings.filter(({ severity }: { severity: string }) => severity === "error");
    expect(refused).toHaveLength(1);
    expect(refused[0]).toMatchObject({
      rule: "released-event-refused",
      message: expect.stringMatching(
        /^Current readers of tea\/v1 refuse tea\.served events that writers of 1\.1 and 1\.2 may send, since 1\.3\. .*maximum/,
      ),
      at: { file: expect.stringContaining("releases/1.3.json") },
      witness: { type: "tea.served", data: { cups: expect.any(Number) } },
    });
    expect(refused[0].witness.data.cups).toBeGreaterThan(10);
    expect(summary.refused).toEqual([]);
  });

  it("finds exactly the events of the archive that the break hits", async () => {
    const { stdout, exitCode } = await project.run("audit", archive, "--readers", "--format", "json");
    const { findings, summary } = JSON.parse(stdout);
    expect(exitCode).toBe(1);
    const hits = findings.filter(({ hint = "" }) =>
      /^Writers of tea\/v1 (1\.1 and )?1\.2 could send it; 1\.3 broke it/.test(hint),
    );
    const expected = LINES.flatMap(([, isHit], index) => (isHit ? [index + 1] : []));
    expect(hits.map(({ at }: { at: { line: number } }) => at.line)).toEqual(expected);
    expect(summary.refused).toEqual([
      expect.objectContaining({ brokenBy: "1.3", writers: ["1.1", "1.2"], events: 3, streams: 2 }),
      expect.objectContaining({ writers: [], events: 1, streams: 1 }),
    ]);
  });

  it("prints what it proved and counted", async () => {
    const { stdout } = await project.run("audit", archive, "--readers");
    expect(stdout).toContain("tea/v1: current readers refuse some events of 10 releases, see above\n");
    expect(stdout).toContain(
      "refused: 3 events of 2 streams. Writers of tea/v1 1.1 and 1.2 could send them; 1.3 broke them: ",
    );
    expect(stdout).toContain("refused: 1 event of 1 stream. No version of tea/v1 could write them.\n");
  });
});

describe("a ledger that only grows", () => {
  const root = createSharedFolder();

  it("has no findings, and says how many releases were proven", async () => {
    const project = openProject(root);
    project.git("init", "--quiet");
    for (const minor of [0, 1, 2]) {
      project.write(`1.${minor}`, createContents(minor));
      await project.freezeContract();
    }
    const { stdout, exitCode } = await project.run("audit", "--readers");
    expect(stdout).toBe("tea/v1: current readers accept all events of 3 releases\n0 events, 0 invalid\n");
    expect(exitCode).toBe(0);
  });
});

it("refuses to prove anything if a release was altered", async () => {
  const project = openProject(createTemporaryFolder());
  project.git("init", "--quiet");
  project.write("1.0", createContents(0));
  await project.freezeContract();
  project.commit();
  writeFileSync(project.resolvePath("schemas/tea/v1/releases/1.0.json"), "{}");
  const { stderr, exitCode } = await project.run("audit", "--readers");
  expect(exitCode).toBe(2);
  expect(stderr).toContain("Without all releases, nothing can be proven.");
});

it("says that nothing was proven of a protocol without releases", async () => {
  const project = openProject(createTemporaryFolder());
  project.write("1.0", createContents(0));
  const { stdout } = await project.run("audit", "--readers");
  expect(stdout).toBe("tea/v1 has no release, so nothing was proven\n0 events, 0 invalid\n");
});
