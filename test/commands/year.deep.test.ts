/**
 * If this fails, an owner who lives with a protocol for years is stuck: with a release, a hotfix, two branches that
 * collide, the next major version, or a new name. The steps run in one git repository, one after the other.
 */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import path from "node:path";
import { chdir, cwd } from "node:process";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createSharedFolder, readTree, writeFiles } from "../folders.js";
import { runAccrete } from "./run-in-process.js";

// Each step runs up to thirty commands, one after the other.
vi.setConfig({ testTimeout: 300_000 });

const initialFolder = cwd();
const root = createSharedFolder();

/** The result of a line, or of a part of it. */
interface Result {
  readonly exitCode: number | null;
  readonly text: string;
}

// The commands of this process, and git when it is called by them, run in the repository.
beforeAll(() => {
  vi.stubEnv("GIT_CONFIG_GLOBAL", "/dev/null");
  vi.stubEnv("GIT_CONFIG_SYSTEM", "/dev/null");
  vi.stubEnv("NO_COLOR", "1");
  vi.stubEnv("FORCE_COLOR", undefined);
  chdir(root);
});
afterAll(() => {
  chdir(initialFolder);
  vi.unstubAllEnvs();
});

/** Runs commands that `&&` joins, in the repository. Those of `accrete` run in this process, which loads its modules once. */
async function run(line: string): Promise<Result> {
  let result: Result = { exitCode: 0, text: "" };
  for (const command of line.split(" && ")) {
    const { exitCode, text } = await runCommand(command);
    result = { exitCode, text: result.text + text };
    if (exitCode !== 0) break;
  }
  return result;
}

async function runCommand(command: string): Promise<Result> {
  if (!command.startsWith("accrete ")) return runInShell(command);
  // The shell splits the words and finds the files of patterns.
  const words = runInShell(command.replace("accrete", "printf '%s\\n'")).text.trimEnd().split("\n");
  const { exitCode, stdout, stderr } = await runAccrete(words);
  return { exitCode, text: stdout + stderr };
}

function runInShell(command: string): Result {
  const { status, stdout, stderr } = spawnSync("bash", ["-c", command], { cwd: root, encoding: "utf8" });
  return { exitCode: status, text: stdout + stderr };
}

/** Runs lines that must succeed, and returns the output of the last one. */
async function succeed(...lines: readonly string[]): Promise<string> {
  let text = "";
  for (const line of lines) {
    const result = await run(line);
    expect([line, result.exitCode, result.text]).toEqual([line, 0, expect.anything()]);
    text = result.text;
  }
  return text;
}

/** Runs a line that must fail with findings, and returns its output. */
async function fail(line: string): Promise<string> {
  const result = await run(line);
  expect([line, result.exitCode, result.text]).toEqual([line, 1, expect.anything()]);
  return result.text;
}

const commit = (message: string): Promise<string> => succeed("git add --all", `git commit -qm "${message}"`);

/** Runs the script `check` that `accrete init` writes. */
function check(): Promise<Result> {
  return run(JSON.parse(read("package.json")).scripts.check);
}

const CLEAN = { exitCode: 0, text: expect.stringMatching(/^schemas: 0 errors, 0 warnings/) };

const locate = (file: string): string => path.join(root, file);
const read = (file: string): string => readFileSync(locate(file), "utf8");
const write = (file: string, value: unknown): void =>
  writeFiles(root, { [file]: typeof value === "string" ? value : `${JSON.stringify(value, null, 2)}\n` });

/** Changes a JSON file. */
// biome-ignore lint/suspicious/noExplicitAny: the documents have many forms.
function edit(file: string, change: (document: any) => void): void {
  const document = JSON.parse(read(file));
  change(document);
  write(file, document);
}

const setVersion = (id: string, version: string): void =>
  edit(`schemas/${id}/protocol.json`, (manifest) => {
    manifest.version = version;
  });

/** Adds fields to an event type. */
const addFields = (id: string, type: string, fields: object): void =>
  edit(`schemas/${id}/events/${type}.schema.json`, (schema) => Object.assign(schema.properties, fields));

const text = (description: string): object => ({ type: "string", minLength: 1, description });

const createEvent = (type: string, sequence: number, data: object): object => ({
  type,
  id: `event-${sequence}`,
  session: "order-7",
  sequence,
  time: `2026-01-01T09:00:0${sequence}Z`,
  data,
});

/** Adds an event type with fixtures. */
function addEvent(
  id: string,
  type: string,
  since: string,
  fields: { [name: string]: object },
  data: object,
): void {
  write(`schemas/${id}/events/${type}.schema.json`, {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: `The event ${type}`,
    description: `Sent when ${type} happened.`,
    "x-stability": "candidate",
    "x-since": since,
    type: "object",
    properties: fields,
    required: Object.keys(data),
    examples: [data],
  });
  write(`fixtures/${id}/valid/${type}/plain.json`, createEvent(type, 0, data));
  write(`fixtures/${id}/invalid/${type}/empty.json`, {
    why: "Its fields are missing.",
    profile: "reader",
    pointer: "/data",
    keyword: "required",
    event: createEvent(type, 0, {}),
  });
}

const listReleases = (name: string): string[] =>
  readdirSync(locate(`schemas/${name}`), { recursive: true, encoding: "utf8" })
    .filter((file) => /releases\/[\d.]+\.json$/.test(file))
    .map((file) => path.basename(file, ".json"))
    .sort();

describe("a protocol lives for years", () => {
  it("begins with init, and is released as 1.0", async () => {
    await succeed(
      "git init -q -b main",
      "git config user.name owner",
      "git config user.email owner@example.com",
    );
    symlinkSync(path.join(initialFolder, "node_modules"), locate("node_modules"));
    write(".gitignore", "node_modules\n");
    expect(await succeed("accrete init --name orders")).toContain("npx accrete-cli release 1.0");
    const total = { type: "integer", minimum: 0, description: "The price in cents." };
    addEvent(
      "orders/v1",
      "order.placed",
      "1.0",
      { total, note: text("A remark.") },
      { total: 900, note: "Gift" },
    );
    const events = [
      createEvent("order.placed", 0, { total: 900, note: "Gift" }),
      createEvent("note.added", 1, { text: "Call back" }),
      createEvent("order.placed", 2, { total: 100, note: "Second part" }),
    ];
    write(
      "fixtures/orders/v1/streams/day.jsonl",
      events.map((event) => `${JSON.stringify(event)}\n`).join(""),
    );
    expect(await fail("accrete release 1.0")).toContain("run accrete generate");
    expect(await succeed("accrete generate", "accrete release 1.0")).toContain("released orders/v1 1.0");
    expect(await check()).toEqual(CLEAN);
    expect(await succeed("node_modules/.bin/vitest run")).toMatch(/Tests .* passed/);
    write("src/app.js", 'import { protocol } from "../generated/orders/v1/index.js";\n');
    await commit("Release orders 1.0");
  });

  it("refuses a break, with an event that shows it, and what owners may do instead", async () => {
    edit("schemas/orders/v1/events/order.placed.schema.json", (schema) => {
      delete schema.properties.note;
      schema.required = ["total"];
      schema.examples = [{ total: 900 }];
    });
    const broken = await fail("accrete compat");
    expect(broken).toMatch(/order\.placed\.schema\.json:\d+:\d+: error field-removed-required /);
    expect(broken).toMatch(/^ {4}event \{.*"note":/m);
    setVersion("orders/v1", "1.1");
    expect(await fail("accrete release 1.1")).toContain("orders/v1 was not released");
    expect(listReleases("orders")).toEqual(["1.0"]);
    await succeed("git checkout -q .");
  });

  it("adds a field and an event type in 1.1", async () => {
    addFields("orders/v1", "order.placed", { comment: text("A remark, for everybody.") });
    addEvent("orders/v1", "order.noted", "1.1", { text: text("The note.") }, { text: "Call back" });
    await succeed("accrete generate");
    expect(await succeed("accrete compat")).toContain("note version-bump-insufficient");
    setVersion("orders/v1", "1.1");
    await succeed("accrete generate", "accrete release 1.1");
    await commit("Release orders 1.1");
  });

  it("deprecates a field and an event type in 1.2", async () => {
    edit("schemas/orders/v1/events/order.placed.schema.json", ({ properties }) => {
      Object.assign(properties.note, {
        deprecated: true,
        "x-deprecated-since": "1.2",
        "x-replaced-by": "comment",
      });
    });
    edit("schemas/orders/v1/events/note.added.schema.json", (schema) => {
      Object.assign(schema, {
        deprecated: true,
        "x-deprecated-since": "1.2",
        "x-replaced-by": "order.noted",
      });
    });
    setVersion("orders/v1", "1.2");
    expect((await run("accrete major orders")).text).toContain(
      "kept the field /data/note of order.placed (comment replaces it)",
    );
    rmSync(locate("schemas/orders/v2"), { recursive: true });
    rmSync(locate("fixtures/orders/v2"), { recursive: true });
    await succeed("accrete generate", "accrete release 1.2");
    await commit("Release orders 1.2");
    await succeed("git tag v1.2");
    const changelog = await succeed("accrete changelog orders/v1");
    expect(changelog).toContain(
      '**Deprecated.** The event type "note.added" will be removed; use "order.noted".',
    );
    expect(changelog).toContain(
      '**Deprecated.** The field "note" of order.placed will be removed; use "comment".',
    );
    expect(changelog.match(/^## .*$/gm)).toEqual(["## 1.2", "## 1.1", "## 1.0"]);
  });

  it("begins 2.0 without what was deprecated, and nothing is left to repair", async () => {
    const begun = await succeed("accrete major orders");
    expect(begun).toContain("began orders/v2 as a copy of orders/v1");
    expect(begun).toContain(
      "removed the event type note.added (order.noted replaces it), with a tombstone\n",
    );
    expect(begun).toContain(
      "removed the field /data/note of order.placed (comment replaces it), with a tombstone\n",
    );
    expect(begun).not.toContain("kept");
    const manifest = JSON.parse(read("schemas/orders/v2/protocol.json"));
    expect(manifest).toMatchObject({ major: 2, version: "2.0" });
    expect(manifest).not.toHaveProperty("actions");
    expect(manifest.tombstones).toEqual([
      {
        kind: "event",
        name: "note.added",
        removedIn: "2.0",
        replacedBy: "order.noted",
        reason: "Deprecated since 1.2.",
      },
      {
        kind: "field",
        name: "note",
        in: "order.placed",
        removedIn: "2.0",
        replacedBy: "comment",
        reason: "Deprecated since 1.2.",
      },
    ]);
    expect(manifest.upcasts).toEqual([
      {
        from: 1,
        steps: [
          { step: "rename-type", types: ["note.added"], to: "order.noted" },
          { step: "move", types: ["order.placed"], from: "/data/note", to: "/data/comment", alias: true },
        ],
      },
    ]);
    expect(Object.keys(readTree(locate("schemas/orders/v2")))).toEqual([
      "envelope.schema.json",
      "events/order.noted.schema.json",
      "events/order.placed.schema.json",
      "protocol.json",
    ]);
    // The stream has one event less, and no gap.
    const stream = read("fixtures/orders/v2/streams/day.jsonl")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(stream.map(({ sequence, data }) => [sequence, data])).toEqual([
      [0, { total: 900 }],
      [1, { total: 100 }],
    ]);
    expect(JSON.parse(read("schemas/orders/v2/events/order.placed.schema.json")).examples).toEqual([
      { total: 900 },
    ]);
    await succeed("accrete generate");
    expect(await check()).toEqual(CLEAN);
    expect(await succeed("node_modules/.bin/vitest run")).toMatch(/Tests .* passed/);
    expect(await run("accrete major orders")).toMatchObject({
      exitCode: 2,
      text: expect.stringContaining("orders/v2 has no release, so nobody depends on it yet"),
    });
  });

  it("carries recordings over, breaks what it wants to, and is released as 2.0", async () => {
    edit("schemas/orders/v2/events/order.placed.schema.json", ({ properties }) => {
      properties.total = text("The price, such as 9.00 EUR.");
    });
    const streams = "fixtures/orders/v2/streams/day.jsonl";
    write(streams, read(streams).replaceAll(/"total":(\d+)/g, '"total":"$1 cents"'));
    for (const [file, data] of [["valid/order.placed/plain.json", { total: "9.00 EUR" }]] as const)
      write(`fixtures/orders/v2/${file}`, createEvent("order.placed", 0, data));
    edit("schemas/orders/v2/events/order.placed.schema.json", (schema) => {
      schema.examples = [{ total: "9.00 EUR" }];
    });
    await succeed("accrete generate");
    const differences = await succeed("accrete compat orders/v2 --against release:1.2");
    expect(differences).toMatch(/note type-changed .*total/);
    expect(await fail("accrete upcast orders/v1 orders/v2 fixtures/orders/v1/streams/day.jsonl")).toContain(
      "/data/total",
    );
    expect(await succeed("accrete release 2.0 orders/v2")).toContain("released orders/v2 2.0");
    expect(await check()).toEqual(CLEAN);
    await commit("Release orders 2.0");
    const changelog = await succeed("accrete changelog orders/v2");
    expect(changelog).toMatch(/^## 2\.0$/m);
    expect(changelog).toContain("note.added");
    expect(changelog).not.toContain("First release");
  });

  it("gets a hotfix on 1.x, which binds 2.x to nothing", async () => {
    await succeed("git checkout -q -b hotfix v1.2");
    addFields("orders/v1", "order.placed", { coupon: text("The code of a discount.") });
    setVersion("orders/v1", "1.3");
    await succeed("accrete generate", "accrete release 1.3");
    await commit("Release orders 1.3");
    await succeed("git checkout -q main", "git merge -q --no-edit hotfix");
    expect(await check()).toEqual(CLEAN);
    expect(listReleases("orders")).toEqual(["1.0", "1.1", "1.2", "1.3", "2.0"]);
    expect(await succeed("accrete changelog orders/v1")).toMatch(/^## 1\.3\n\n- .*"data\/coupon"/m);
    // 2.0 was made after 1.2, and its changelog says so still.
    expect(await succeed("accrete changelog orders/v2")).not.toContain("coupon");
  });

  it("tells two branches that released one version what to do", async () => {
    const release = async (fields: { [name: string]: object }, data: object): Promise<void> => {
      addEvent("orders/v2", "order.cancelled", "2.1", fields, data);
      setVersion("orders/v2", "2.1");
      await succeed("accrete generate", "accrete release 2.1");
      await commit("Release orders 2.1");
    };
    await succeed("git checkout -q -b first");
    await release({ reason: text("Why.") }, { reason: "Sold out" });
    await succeed("git checkout -q -b second main");
    await release({ by: text("Who.") }, { by: "customer" });
    await succeed("git checkout -q main", "git merge -q --no-edit first");

    expect((await run("git merge -q --no-edit second")).exitCode).not.toBe(0);
    const conflicting = await check();
    expect(conflicting.exitCode).toBe(1);
    expect(conflicting.text).toMatch(/order\.cancelled\.schema\.json:\d+:\d+: error .*merge conflict/i);
    // The owner takes the files of one side. The history knows both releases, so the choice of one does not hide the other.
    await succeed("git checkout -q --ours . && git add --all");
    const chosen = await check();
    expect(chosen.exitCode).toBe(1);
    expect(chosen.text).toMatch(
      /releases\/2\.1\.json: error release-altered .*with 2 contents on different branches/,
    );
    expect(chosen.text).toContain(
      "rebase the branch of the other one, so that it releases its contract under the next version",
    );
    await succeed("git merge --abort");

    // The advice is followed: the second branch begins again after the first, and releases the next version.
    await succeed("git checkout -q -B second main");
    addFields("orders/v2", "order.cancelled", { by: text("Who.") });
    setVersion("orders/v2", "2.2");
    await succeed("accrete generate", "accrete release 2.2");
    await commit("Release orders 2.2");
    await succeed("git checkout -q main", "git merge -q --no-edit second");
    expect(await check()).toEqual(CLEAN);
    expect(listReleases("orders")).toEqual(["1.0", "1.1", "1.2", "1.3", "2.0", "2.1", "2.2"]);
  });

  it("gets another name, and is still compared with all its releases", async () => {
    await succeed("git checkout -q -b late-hotfix", "git checkout -q main");
    const renamed = await succeed("accrete rename orders sales");
    expect(renamed).toMatch(/^renamed orders to sales: \d+ files in schemas\/sales and fixtures\/sales$/m);
    expect(renamed).toContain("src/app.js:1:");
    write("src/app.js", read("src/app.js").replace("orders", "sales"));
    expect(JSON.parse(read("schemas/sales/v1/protocol.json"))).toMatchObject({
      name: "sales",
      formerNames: ["orders"],
    });
    await succeed("accrete generate");
    expect(readdirSync(locate("generated"))).toEqual(["sales"]);
    const checked = await check();
    expect(checked).toEqual(CLEAN);
    expect(checked.text).toMatch(/sales\/v1: against release 1\.3, .*; sales\/v2: against release 2\.2, /);
    await commit("Rename orders to sales");
    expect(await succeed("accrete release 2.2 sales/v2")).toBe(
      "sales/v2 2.2 is already released, and nothing has changed since\n",
    );
    expect(await succeed("git diff --stat -M100% HEAD~1 -- '*releases*'")).toContain(
      " 0 insertions(+), 0 deletions(-)",
    );
    expect(await succeed("accrete compat sales/v2 --against git:HEAD~1")).toMatch(
      /^0 errors, 0 warnings, 0 notes \(sales/m,
    );

    // A break is found by a release under the old name, and that release cannot disappear.
    edit("schemas/sales/v1/events/order.placed.schema.json", ({ properties }) => {
      delete properties.coupon;
    });
    expect(await fail("accrete compat sales/v1")).toMatch(
      /error field-removed .*since release 1\.3|release 1\.3/s,
    );
    await succeed("git checkout -q .");
    rmSync(locate("schemas/sales/v1/releases/1.3.json"));
    expect(await fail("accrete compat")).toContain("The release 1.3 of sales/v1 was committed as");
    await succeed("git checkout -q .");
    expect(await run("accrete init --name orders")).toMatchObject({
      exitCode: 2,
      text: expect.stringContaining("orders is a former name of sales"),
    });
  });

  it("takes in a hotfix that was made under the old name", async () => {
    await succeed("git checkout -q late-hotfix");
    addFields("orders/v1", "order.noted", { author: text("Who wrote it.") });
    setVersion("orders/v1", "1.4");
    await succeed("accrete generate", "accrete release 1.4 orders/v1");
    await commit("Release orders 1.4");
    await succeed("git checkout -q main");
    // Git knows that the folder was renamed, and asks whether the release belongs there.
    expect((await run("git merge -q --no-edit late-hotfix")).text).toContain(
      "it should perhaps be moved to schemas/sales/v1/releases/1.4.json",
    );
    await succeed("mkdir -p schemas/orders/v1/releases", "mv schemas/{sales,orders}/v1/releases/1.4.json");
    expect(await fail("accrete lint")).toContain('"orders" is a former name of this protocol');
    await succeed(
      "mv schemas/{orders,sales}/v1/releases/1.4.json",
      "rm -r schemas/orders",
      "accrete generate",
    );
    await commit("Merge the hotfix");
    expect(await check()).toEqual(CLEAN);
    expect(listReleases("sales")).toEqual(["1.0", "1.1", "1.2", "1.3", "1.4", "2.0", "2.1", "2.2"]);
  });

  it("gets a neighbour, which the same check covers", async () => {
    expect(await succeed("accrete init --name billing")).toContain("made schemas/billing/v1/protocol.json");
    await succeed("accrete generate");
    expect(await run("accrete release 1.0 billing/v1 sales/v1")).toMatchObject({
      exitCode: 2,
      text: expect.stringContaining("sales/v1 is at 1.4"),
    });
    await succeed("accrete release 1.0 billing/v1");
    await commit("Release billing 1.0");
    edit("schemas/billing/v1/events/note.added.schema.json", (schema) => {
      delete schema.properties.color;
      delete schema.examples;
    });
    expect(await fail("accrete compat")).toMatch(/^schemas\/billing\/v1\/.* error field-removed-optional /);
    await succeed("git checkout -q .");
    const checked = await check();
    expect(checked).toEqual(CLEAN);
    expect(checked.text).toMatch(/\(billing\/v1: against release 1\.0; sales\/v1: .*; sales\/v2: /);
  });

  it("reaches 3.0, in which no name of 1.x has another meaning", async () => {
    edit("schemas/sales/v2/events/order.placed.schema.json", ({ properties }) => {
      Object.assign(properties.comment, {
        deprecated: true,
        "x-deprecated-since": "2.3",
        "x-replaced-by": null,
      });
    });
    setVersion("sales/v2", "2.3");
    await succeed("accrete generate", "accrete release 2.3 sales/v2");
    await commit("Release sales 2.3");
    const begun = await succeed("accrete major sales");
    expect(begun).toContain("removed the field /data/comment of order.placed, with a tombstone\n");
    // Two hotfixes of 1.x added names that 2.x never had.
    for (const name of ["coupon of order.placed", "author of order.noted"])
      expect(begun).toContain(`wrote a tombstone for the field ${name}, which only earlier releases have\n`);
    const { tombstones, formerNames } = JSON.parse(read("schemas/sales/v3/protocol.json"));
    expect(formerNames).toEqual(["orders"]);
    expect(
      tombstones.map(({ name, removedIn }: { name: string; removedIn: string }) => [name, removedIn]),
    ).toEqual([
      ["note.added", "2.0"],
      ["note", "2.0"],
      ["comment", "3.0"],
      ["coupon", "3.0"],
      ["author", "3.0"],
    ]);
    await succeed("accrete generate");
    expect(await check()).toEqual(CLEAN);
    addFields("sales/v3", "order.placed", { note: text("Notes of the kitchen.") });
    expect(await fail("accrete lint")).toContain(
      'order.placed uses the field name "note", which was withdrawn in 2.0',
    );
    await succeed("git add --all && git checkout -q HEAD -- schemas/sales/v2");
    edit("schemas/sales/v3/events/order.placed.schema.json", ({ properties }) => {
      delete properties.note;
    });
    await succeed("accrete generate", "accrete release 3.0 sales/v3");
    expect(await succeed("accrete upcast sales/v2 sales/v3 fixtures/sales/v2/streams/day.jsonl")).toContain(
      "2 events carried over to sales/v3",
    );
    expect(await check()).toEqual(CLEAN);
    expect(await succeed("node_modules/.bin/vitest run")).toMatch(/Tests .* passed/);
    await commit("Release sales 3.0");
    expect(listReleases("sales")).toEqual([
      "1.0",
      "1.1",
      "1.2",
      "1.3",
      "1.4",
      "2.0",
      "2.1",
      "2.2",
      "2.3",
      "3.0",
    ]);
    expect(await succeed("accrete changelog sales/v3")).toMatch(/^## 3\.0$/m);
  });
});
