/** If this fails, `accrete status` reports event types as complete that lack something, or the reverse. */
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { recordConsumer } from "../../generator/index.js";
import type { JsonObject } from "../../generator/json.js";
import { runAccrete } from "../commands/run-in-process.js";
import { createTemporaryProject, type TemporaryProject } from "../commands/temporary-project.js";
import { chooseCases, quick } from "../depth.js";
import { createTemporaryFolder, createTinySchemas } from "../folders.js";

const EVENT = "tiny/v1/events/tea.served.schema.json";
const MANIFEST = "tiny/v1/protocol.json";
const SERVED = { type: "tea.served", data: { cups: 1 } };
const REFUSED = {
  why: "Nobody knows how many cups.",
  profile: "reader",
  pointer: "/data",
  keyword: "required",
  event: { type: "tea.served", data: {} },
};

/** Creates a project with one complete event type, changed by `event`, and without the files whose paths contain `without`. */
function createProject({
  event = (text: string): string => text,
  without = "",
  promotion,
}: {
  event?: (text: string) => string;
  without?: string;
  promotion?: JsonObject;
} = {}): TemporaryProject {
  const schemas = createTinySchemas();
  const manifest = JSON.parse(schemas[MANIFEST] ?? "");
  if (promotion) schemas[MANIFEST] = JSON.stringify({ ...manifest, promotion });
  const emitted = (schemas[EVENT] ?? "").replace('"x-since"', '"x-emitted-by": ["kettle"], "x-since"');
  const sources = Object.entries({ ...schemas, [EVENT]: event(emitted) });
  const record = { web: { version: "1.0", events: ["tea.served"] } };
  const files: [name: string, text: string][] = [
    ...sources.map(([name, text]): [string, string] => [`schemas/${name}`, text]),
    ["fixtures/tiny/v1/valid/tea.served/one.json", JSON.stringify(SERVED)],
    ["fixtures/tiny/v1/invalid/tea.served/none.json", JSON.stringify(REFUSED)],
    ["fixtures/tiny/v1/streams/one.jsonl", `${JSON.stringify(SERVED)}\n`],
    ["fixtures/consumers.json", JSON.stringify({ "tiny/v1": record })],
  ];
  return createTemporaryProject(
    Object.fromEntries(files.filter(([name]) => without === "" || !name.includes(without))),
  );
}

interface Report {
  readonly protocols: readonly [
    {
      readonly rows: readonly { readonly type: string; readonly lacks: readonly string[] }[];
      readonly families: readonly {
        readonly name: string;
        readonly complete: boolean;
        readonly missing: readonly {
          readonly lacks: readonly string[];
          readonly missingKinds: readonly string[];
        }[];
      }[];
      readonly totals: unknown;
    },
  ];
}

async function readStatus({ run }: TemporaryProject): Promise<Report> {
  const { stdout, exitCode } = await run("status --json");
  expect(exitCode).toBe(0);
  return JSON.parse(stdout);
}

const CASES: readonly [
  what: string,
  options: Parameters<typeof createProject>[0],
  lacks: readonly string[],
][] = [
  ["nothing", {}, []],
  ["a valid fixture", { without: "/valid/" }, ["fixtures"]],
  ["an event that must be refused", { without: "/invalid/" }, ["fixtures"]],
  ["a stream", { without: "/streams/" }, ["fixtures"]],
  ["a runtime", { event: (text) => text.replace(/"x-emitted-by": \[.*?\], /, "") }, ["emitter"]],
  [
    "a requirement",
    {
      event: (text) =>
        text.replace(/"x-stability": "\w+"/, '"x-stability": "experimental", "x-requires": "water"'),
    },
    ["requirement"],
  ],
];

quick.it.each(CASES)("lists what an event type lacks: %s", async (_what, options, lacks) => {
  const project = createProject(options);
  await project.run("generate");
  const [{ rows }] = (await readStatus(project)).protocols;
  expect(rows.map((row) => [row.type, row.lacks])).toEqual([["tea.served", lacks]]);
});

quick.it("reports missing types, and that no frontend was tested", async () => {
  const [{ rows, totals }] = (await readStatus(createProject({ without: "consumers" }))).protocols;
  expect(rows[0]?.lacks).toEqual(["types", "consumer"]);
  const none = { types: 0, fixtures: 0, emitter: 0, consumer: 0, requirement: 0 };
  const all = { types: 1, complete: 0, lacks: { ...none, types: 1, consumer: 1 } };
  expect(Object.values(totals as object)).toContainEqual(all);
});

const markStable = (text: string): string => text.replace(/"x-stability": "\w+"/, '"x-stability": "stable"');

quick.it("--check accepts stable event types that are complete, and refuses others", async () => {
  const complete = createProject({ event: markStable });
  await complete.run("generate");
  expect((await complete.run("status --check")).exitCode).toBe(0);
  const incomplete = createProject({ event: markStable, without: "/streams/" });
  await incomplete.run("generate");
  const { exitCode, stderr } = await incomplete.run("status --check");
  expect(stderr).toMatch(
    /tea\.served\.schema\.json:1:1: error stable-incomplete tiny\/v1 marks "tea\.served" stable, but a valid fixture/,
  );
  expect(exitCode).toBe(1);
});

const markAs =
  (stability: string) =>
  (text: string): string =>
    text.replace(/"x-stability": "\w+"/, `"x-stability": "${stability}"`);
const removeEmitter = (text: string): string => text.replace(/"x-emitted-by": \[.*?\], /, "");

const requireStorage = (text: string): string =>
  text.replace('"x-since"', '"x-requires": "storage", "x-since"');

/** Projects, and the rule with which `lint`, `status --check --marked` and `release` refuse them; none if they accept them. */
const MARKS: readonly [
  what: string,
  options: Parameters<typeof createProject>[0],
  rule: string | undefined,
][] = [
  ["a candidate type with fixtures", { promotion: {}, event: markAs("candidate") }, undefined],
  [
    "a candidate type without a runtime",
    { promotion: {}, event: (text) => removeEmitter(markAs("candidate")(text)) },
    undefined,
  ],
  [
    "a candidate type without a frontend",
    { promotion: { consumers: ["web"] }, event: markAs("candidate"), without: "consumers" },
    undefined,
  ],
  [
    "a candidate type without a stream",
    { promotion: {}, event: markAs("candidate"), without: "/streams/" },
    "candidate-incomplete",
  ],
  [
    "a candidate type without an event that must be refused",
    { promotion: {}, event: markAs("candidate"), without: "/invalid/" },
    "candidate-incomplete",
  ],
  [
    "an experimental type without a stream",
    { promotion: {}, event: markAs("experimental"), without: "/streams/" },
    undefined,
  ],
  [
    "a candidate type that requires something met",
    { promotion: { met: ["storage"] }, event: (text) => requireStorage(markAs("candidate")(text)) },
    undefined,
  ],
  [
    "a candidate type of a protocol that does not meet its conditions",
    { promotion: { conditions: { published: "it is published" } }, event: markAs("candidate") },
    undefined,
  ],
  [
    "an experimental type that requires something unmet",
    { promotion: {}, event: (text) => requireStorage(markAs("experimental")(text)) },
    undefined,
  ],
  ["a stable type that is complete", { promotion: {}, event: markAs("stable") }, undefined],
  [
    "a stable type without a runtime",
    { promotion: {}, event: (text) => removeEmitter(markAs("stable")(text)) },
    "stable-incomplete",
  ],
  [
    "a stable type without a frontend",
    { promotion: {}, event: markAs("stable"), without: "consumers" },
    "stable-incomplete",
  ],
  [
    "a stable type without a required kind of frontend",
    { promotion: { consumers: ["cli"] }, event: markAs("stable") },
    "promotion-incomplete",
  ],
  [
    "a stable type and a family without event types",
    { promotion: { families: { tea: [] } }, event: markAs("stable") },
    "promotion-incomplete",
  ],
];

it.each(chooseCases(MARKS, 4))(
  "lint, status --check --marked and release agree about %s",
  async (_what, options, rule) => {
    const { run, locateFile } = createProject(options);
    await run("generate");
    const lint = await run("lint");
    const marked = await run("status --check --marked");
    const release = await run("release 1.0");
    const isRefused = rule !== undefined;
    expect([lint, marked, release].map(({ exitCode }) => exitCode)).toEqual(
      isRefused ? [1, 1, 1] : [0, 0, 0],
    );
    for (const text of [lint.stdout, marked.stderr, release.stdout])
      expect(/ error ([\w-]+) /.exec(text)?.[1]).toBe(rule);
    expect(existsSync(locateFile("schemas/tiny/v1/releases/1.0.json"))).toBe(!isRefused);
  },
);

/** Projects in which an event type is marked too early, because something outside of the protocol is not met. */
const UNMET: readonly [what: string, options: Parameters<typeof createProject>[0]][] = [
  [
    "a candidate type that requires something unmet",
    { promotion: {}, event: (text) => requireStorage(markAs("candidate")(text)) },
  ],
  [
    "a stable type that requires something unmet",
    { promotion: { met: ["tea"] }, event: (text) => requireStorage(markAs("stable")(text)) },
  ],
  [
    "a stable type of a protocol that does not meet its conditions",
    { promotion: { conditions: { published: "it is published" } }, event: markAs("stable") },
  ],
];

it.each(chooseCases(UNMET, 4))("lint, status --check and release refuse %s", async (_what, options) => {
  const { run, locateFile } = createProject(options);
  const lint = await run("lint");
  expect(lint).toMatchObject({ exitCode: 1, stdout: expect.stringContaining("error requirement-unmet") });
  for (const command of ["status --check --marked", "status --check"])
    expect(await run(command)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("error requirement-unmet"),
    });
  expect((await run("release 1.0")).exitCode).not.toBe(0);
  expect(existsSync(locateFile("schemas/tiny/v1/releases/1.0.json"))).toBe(false);
});

quick.it("status --check does not hide other errors behind a mark that comes too early", async () => {
  const { run, locateFile } = createProject({
    promotion: {},
    event: (text) => requireStorage(markAs("candidate")(text)),
  });
  writeFileSync(locateFile("fixtures/consumers.json"), "[]");
  const { exitCode, stderr } = await run("status --check --marked");
  expect(exitCode).toBe(2);
  expect(stderr).toContain("error consumers-invalid");
});

quick.it("lint and release ask nothing of protocols without promotion", async () => {
  const { run } = createProject({ event: markAs("candidate"), without: "fixtures" });
  await run("generate");
  expect((await run("lint")).exitCode).toBe(0);
  expect((await run("release 1.0")).exitCode).toBe(0);
});

quick.it("lint reads the records of frontends that --consumers names, and reports broken ones", async () => {
  const { run, locateFile } = createProject({ promotion: {}, event: markAs("stable") });
  writeFileSync(locateFile("none.json"), "{}");
  expect((await run(`lint --consumers ${locateFile("none.json")}`)).stdout).toContain(
    "no frontend is tested with it",
  );
  writeFileSync(locateFile("broken.json"), "[]");
  expect((await run(`lint --consumers ${locateFile("broken.json")}`)).stdout).toContain(
    "error consumers-invalid",
  );
});

describe("tool families", () => {
  const FAMILIES = { consumers: ["cli"], families: { tea: ["tea.served"], empty: [] } };

  quick.it("are listed with their state, as JSON", async () => {
    const project = createProject({
      promotion: FAMILIES,
      event: markAs("experimental"),
      without: "/streams/",
    });
    await project.run("generate");
    const [{ families }] = (await readStatus(project)).protocols;
    const row = { type: "tea.served", stability: "experimental", lacks: ["fixtures"], missingKinds: ["cli"] };
    expect(families).toEqual([
      { name: "tea", types: ["tea.served"], complete: false, missing: [row] },
      { name: "empty", types: [], complete: false, missing: [] },
    ]);
  });

  quick.it("are listed with what each event type lacks, as text", async () => {
    const project = createProject({ promotion: FAMILIES, event: markAs("candidate"), without: "/streams/" });
    await project.run("generate");
    const { stdout } = await project.run("status");
    expect(stdout).toContain(
      [
        "Tool families:",
        "  tea: 0 of 1 event type complete",
        "    tea.served: a valid fixture, an invalid fixture or a stream with it is missing; no frontend of the kind cli is tested with it",
        "  empty: 0 of 0 event types complete",
      ].join("\n"),
    );
  });

  quick.it("are complete if all of their event types are", async () => {
    const project = createProject({ promotion: { families: { tea: ["tea.served"] } } });
    await project.run("generate");
    const [{ families }] = (await readStatus(project)).protocols;
    expect(families).toEqual([{ name: "tea", types: ["tea.served"], complete: true, missing: [] }]);
    expect((await project.run("status")).stdout).toContain("  tea: complete, 1 event type\n");
  });

  quick.it("that name a renamed event type are refused, with its new name", async () => {
    const { run } = createProject({ promotion: { families: { tea: ["tea.serve"] } } });
    const { exitCode, stdout } = await run("lint");
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/error declared-type-unknown .*There is no event type "tea.serve"/);
    expect(stdout).toContain('Did you mean "tea.served"?');
    expect((await run("status")).exitCode).toBe(2);
    expect((await run("release 1.0")).exitCode).not.toBe(0);
  });

  quick.it("can be renamed, because they are no part of the contract", async () => {
    const project = createProject({ promotion: { families: { tea: ["tea.served"] } } });
    const { run, locateFile } = project;
    await run("generate");
    expect((await run("release 1.0")).exitCode).toBe(0);
    const file = locateFile("schemas/tiny/v1/protocol.json");
    writeFileSync(file, readFileSync(file, "utf8").replace('"families":{"tea"', '"families":{"hot drinks"'));
    const { exitCode, stdout } = await run("compat");
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^0 errors/) });
    const [{ families }] = (await readStatus(project)).protocols;
    expect(families.map(({ name, complete }) => [name, complete])).toEqual([["hot drinks", true]]);
  });
});

quick.it("prints a table and a summary of what is missing", async () => {
  const { run } = createProject({ without: "/streams/" });
  await run("generate");
  const { stdout } = await run("status");
  expect(stdout).toMatch(/tea\.served {2}\w+ +yes +1 valid, 1 invalid, 0 streams {2}kettle {3}web/);
  expect(stdout).toMatch(/\n1 \w+, none complete\n {4}1: a valid fixture/);
});

const INVALID_RECORDS: readonly [text: string, message: RegExp][] = [
  ["[]", /consumers\.json:1:1: error consumers-invalid/],
  ['{"tiny/v1": {"web": {"version": 1}}}', /consumers\.json:1:\d+: error consumers-invalid/],
  ['{"tiny/v1": ', /consumers\.json:1:\d+: error json-syntax/],
];

quick.it.each(INVALID_RECORDS)("refuses the record %s", async (text, message) => {
  const { locateFile, run } = createProject();
  writeFileSync(locateFile("fixtures/consumers.json"), text);
  const stderr = expect.stringMatching(message);
  expect(await run("status")).toEqual({ exitCode: 2, stdout: "", stderr });
});

quick.it("keeps the records of other frontends, and of other protocols", () => {
  const file = path.join(createTemporaryFolder({}), "new", "consumers.json");
  const record = recordConsumer(file);
  record({ consumer: "web", protocol: "tiny/v1", version: "1.0", events: ["b", "a"] });
  record({ consumer: "cli", protocol: "tiny/v1", version: "1.0", events: [] });
  record({ consumer: "web", protocol: "other/v1", version: "1.0", events: ["c"] });
  record({ consumer: "web", protocol: "tiny/v1", version: "1.1", events: ["a"] });
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
    "other/v1": { web: { version: "1.0", events: ["c"] } },
    "tiny/v1": { cli: { version: "1.0", events: [] }, web: { version: "1.1", events: ["a"] } },
  });
  writeFileSync(file, "not JSON");
  expect(() => record({ consumer: "web", protocol: "tiny/v1", version: "1.0", events: [] })).toThrow(
    /not JSON/,
  );
  expect(readFileSync(file, "utf8")).toBe("not JSON");
});

quick.it("keeps the lens of a frontend if it is recorded again for the same version without one", () => {
  const file = path.join(createTemporaryFolder({}), "consumers.json");
  const record = { consumer: "web", protocol: "tiny/v1", version: "1.0", events: [] };
  const lens = { "tea.served": { all: ["/data/cups"] } };
  const readLens = (): unknown => JSON.parse(readFileSync(file, "utf8"))["tiny/v1"].web.lens;
  recordConsumer(file)({ ...record, lens });
  recordConsumer(file)(record);
  expect(readLens()).toEqual(lens);
  recordConsumer(file)({ ...record, version: "1.1" });
  expect(readLens()).toBeUndefined();
});

const catalogue = path.join("..", "shared", "protocols", "catalogue.json");

it.skipIf(!existsSync(catalogue))("agrees with the documents on what the hecate runtime sends", async () => {
  const [hecate] = JSON.parse(readFileSync(catalogue, "utf8")).protocols;
  const described = hecate.events.filter(({ sources }: { sources: string[] }) => sources.includes("REF"));
  const { stdout } = await runAccrete(["status", "hecate/v1", "--json"]);
  const { rows } = JSON.parse(stdout).protocols[0];
  const sent = rows.filter(({ emittedBy }: { emittedBy: string[] }) => emittedBy.includes("hecate"));
  const listTypes = (all: readonly { type: string }[]): string[] => all.map(({ type }) => type).sort();
  expect(listTypes(sent)).toEqual(listTypes(described));
  expect(sent.length).toBe(32);
  const waiting = rows.filter(({ waitsOn }: { waitsOn: string | null }) => waitsOn !== null);
  const dependent = hecate.events.filter((event: { tier: string }) => event.tier === "artifact-dependent");
  expect(listTypes(waiting)).toEqual(listTypes(dependent));
});

/** Copies hecate/v1 with changed events, and generates its code. Returns the options that name the folders of the copy. */
async function copyHecate(change: (type: string, schema: JsonObject) => JsonObject): Promise<string[]> {
  const root = createTemporaryFolder({});
  for (const name of ["schemas", "fixtures"])
    cpSync(path.join(name, "hecate"), path.join(root, name, "hecate"), { recursive: true });
  cpSync("fixtures/consumers.json", path.join(root, "fixtures/consumers.json"));
  const events = path.join(root, "schemas/hecate/v1/events");
  for (const file of readdirSync(events)) {
    const schema = JSON.parse(readFileSync(path.join(events, file), "utf8"));
    const type = file.replace(".schema.json", "");
    writeFileSync(path.join(events, file), JSON.stringify(change(type, schema)));
  }
  const args = Object.entries({ schemas: "schemas", out: "generated", fixtures: "fixtures" }).flatMap(
    ([option, name]) => [`--${option}`, path.join(root, name)],
  );
  await runAccrete(["generate", ...args]);
  return args;
}

/** Lists all conditions of a copied protocol as met. */
function meetConditions(args: readonly string[]): void {
  const file = path.join(args[1] ?? "", "hecate/v1/protocol.json");
  const manifest = JSON.parse(readFileSync(file, "utf8"));
  manifest.promotion.met = Object.keys(manifest.promotion.conditions);
  writeFileSync(file, JSON.stringify(manifest));
}

/** Adds an emitter to every event type that is not experimental. */
const addEmitter = (_type: string, schema: JsonObject): JsonObject =>
  schema["x-stability"] === "experimental" ? schema : { ...schema, "x-emitted-by": ["hecate"] };

describe("status hecate/v1 --check", () => {
  quick.it("fails for the reasons that the documents give", async () => {
    const { exitCode, stderr } = await runAccrete(["status", "hecate/v1", "--check"]);
    expect(exitCode).toBe(1);
    const findings = stderr.trim().split("\n");
    expect(findings.at(-1)).toBe("3 errors");
    const reasons = findings.filter((line) => line.includes("error promotion-incomplete"));
    const expected = [
      "hecate/v1 cannot become stable: no runtime is known to send it: ",
      "hecate/v1 cannot become stable: it is not stated as met that Hecate publishes API guarantees with semantic versions (api-guarantees).",
      "hecate/v1 cannot become stable: it is not stated as met that all frontends in Hecate's own repository that need the candidate core consume it (own-frontends).",
    ];
    expect(reasons).toEqual(expected.map((reason) => expect.stringContaining(reason)));
    expect(reasons[0]?.split(": ").at(-1)?.split(", ")).toHaveLength(12);
  });

  quick.it("passes where these are met", async () => {
    const args = await copyHecate(addEmitter);
    meetConditions(args);
    const { exitCode, stderr } = await runAccrete(["status", "hecate/v1", "--check", ...args]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  });

  quick.it.each<[string, string, (records: Records) => void]>([
    [
      "a kind of frontend",
      "no frontend of the kind acp is tested with it: all",
      (records) => delete records.acp,
    ],
    [
      "a kind of frontend for one event type",
      "no frontend of the kind cli is tested with it: run.failed.",
      (records) => {
        const page = records["page and terminal"];
        if (page) page.events = page.events.filter((type) => type !== "run.failed");
      },
    ],
    [
      "a complete tool family",
      "no tool family is complete from end to end: shell lacks tool.completed; mcp lacks tool.completed; file lacks",
      (records) => {
        for (const record of Object.values(records))
          record.events = record.events.filter((type) => type !== "tool.completed");
      },
    ],
  ])("says that %s is missing", async (_what, reason, change) => {
    const args = await copyHecate(addEmitter);
    const file = path.join(args.at(-1) ?? "", "consumers.json");
    const records = JSON.parse(readFileSync(file, "utf8"));
    change(records["hecate/v1"]);
    writeFileSync(file, JSON.stringify(records));
    const { exitCode, stderr } = await runAccrete(["status", "hecate/v1", "--check", ...args]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(reason);
    expect((await runAccrete(["status", "hecate/v1", "--check", "--marked", ...args])).exitCode).toBe(0);
  });

  quick.it.each([
    [
      "tool.glob.completed",
      "candidate",
      "candidate-incomplete",
      "a valid fixture, an invalid fixture or a stream",
    ],
    ["turn.failed", "stable", "stable-incomplete", "no runtime is known to send it"],
  ])("refuses %s as %s, with lint and with --marked", async (marked, stability, rule, reason) => {
    const args = await copyHecate((type, schema) =>
      type === marked ? { ...schema, "x-stability": stability } : schema,
    );
    meetConditions(args);
    await runAccrete(["generate", ...args]);
    const lint = await runAccrete(["lint", ...args]);
    expect(lint.exitCode).toBe(1);
    expect(lint.stdout).toContain(`error ${rule} hecate/v1 marks "${marked}" ${stability}, but ${reason}`);
    const status = await runAccrete(["status", "hecate/v1", "--check", "--marked", ...args]);
    expect(status.exitCode).toBe(1);
    expect(status.stderr).toContain(`error ${rule} hecate/v1 marks "${marked}" ${stability}, but ${reason}`);
  });

  quick.it(
    "refuses one stable event type as long as the conditions are not met, with lint and with --marked",
    async () => {
      const args = await copyHecate((type, schema) => ({
        ...addEmitter(type, schema),
        ...(type === "run.finished" && { "x-stability": "stable" }),
      }));
      const lint = await runAccrete(["lint", ...args.slice(0, 2)]);
      expect(lint.exitCode).toBe(1);
      expect(lint.stdout).toContain(
        'run.finished is stable, but the protocol does not meet "api-guarantees", "own-frontends".',
      );
      meetConditions(args);
      expect((await runAccrete(["lint", ...args.slice(0, 2)])).exitCode).toBe(0);
      await runAccrete(["generate", ...args]);
      expect((await runAccrete(["status", "hecate/v1", "--check", "--marked", ...args])).exitCode).toBe(0);
      const file = path.join(args.at(-1) ?? "", "consumers.json");
      const records = JSON.parse(readFileSync(file, "utf8"));
      delete records["hecate/v1"].acp;
      writeFileSync(file, JSON.stringify(records));
      const marked = await runAccrete(["status", "hecate/v1", "--check", "--marked", ...args]);
      expect(marked.exitCode).toBe(1);
      expect(marked.stderr).toContain("no frontend of the kind acp is tested with it");
    },
  );

  quick.it("is not needed for event types that are not marked stable: --marked passes", async () => {
    expect((await runAccrete(["status", "hecate/v1", "--check", "--marked"])).exitCode).toBe(0);
  });
});

/** The records of one protocol, by consumer. */
interface Records {
  [consumer: string]: { version: string; events: string[]; kinds?: string[] };
}

quick.it("commands refuse a file of records that does not exist", async () => {
  const { run, locateFile } = createProject();
  expect(await run(`status --consumers ${locateFile("nowhere.json")}`)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("--consumers: file not found"),
  });
});

quick.it("status lists what no recorded frontend reads, and compat says whom a change reaches", async () => {
  const { run, locateFile } = createProject();
  const createRecord = (edits: string) => ({
    version: "1.0",
    events: ["tea.served"],
    lens: { "tea.served": { all: [""], [edits]: ["/data/cups"] } },
  });
  const writeRecords = (records: JsonObject): void =>
    writeFileSync(locateFile("fixtures/consumers.json"), JSON.stringify({ "tiny/v1": records }));
  writeRecords({ web: createRecord("none"), cli: createRecord("all") });
  expect((await run("status")).stdout).not.toContain("Read by no recorded frontend");
  writeRecords({ web: createRecord("none"), cli: createRecord("none") });
  expect((await run("status")).stdout).toContain("Read by no recorded frontend:\n  tea.served: data.cups\n");
  writeRecords({ web: createRecord("none"), cli: { version: "1.0", events: ["tea.served"] } });
  expect((await run("status")).stdout).not.toContain("Read by no recorded frontend");

  await run("generate");
  expect((await run("release 1.0")).exitCode).toBe(0);
  const event = locateFile(`schemas/${EVENT}`);
  writeFileSync(event, readFileSync(event, "utf8").replaceAll('"cups"', '"mugs"'));
  writeRecords({ web: createRecord("none"), cli: createRecord("removed") });
  const { stdout, exitCode } = await run("compat");
  expect(exitCode).toBe(1);
  expect(stdout).toContain("Recorded consumers: cli depends on data.cups; web does not.");
});
