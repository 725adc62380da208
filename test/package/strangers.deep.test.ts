/** If this fails, a stranger's first hour with zod, or a day in a monorepo with services in two languages, ends in a dead end. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findTarball, getPackages } from "./build.js";
import { openProject, type Project } from "./project.js";

const { load } = createRequire(import.meta.url)("js-yaml") as { load(text: string): unknown };

const canInstall = process.env.ACCRETE_TEST_PACKAGES !== undefined;
const hasGo = openProject(".").shell("go version").status === 0;

let folder: string;
let tarball: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "accrete-strangers-")));
  tarball = findTarball(getPackages(), "accrete-cli");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function createProject(name: string): Project {
  mkdirSync(path.join(folder, name), { recursive: true });
  return openProject(path.join(folder, name));
}

/** Changes a file of a project. Throws if the file does not have the text. */
function edit({ folder: root }: Project, file: string, old: string, text: string): void {
  const content = readFileSync(path.join(root, file), "utf8");
  if (!content.includes(old)) throw new Error(`${file} has no ${old}`);
  writeFileSync(path.join(root, file), content.replace(old, text));
}

describe.skipIf(!canInstall)("an hour with zod", { timeout: 240_000 }, () => {
  it("ends with a change that readers would not survive, refused", () => {
    const project = createProject("zod");
    project.write(
      "events.mjs",
      `import { writeFileSync } from "node:fs";
import { z } from "zod";
const shared = { id: z.uuid(), at: z.iso.datetime() };
const events = z.discriminatedUnion("type", [
  z.object({ type: z.literal("order.placed"), ...shared, items: z.array(z.object({ sku: z.string(), count: z.int().min(1) })) }),
  z.object({ type: z.literal("order.paid"), ...shared, amount: z.number(), currency: z.enum(["EUR", "USD"]) }),
  z.object({ type: z.literal("order.shipped"), ...shared, carrier: z.string().nullable() }),
]);
writeFileSync("events.json", JSON.stringify(z.toJSONSchema(events, { io: "input" })));
`,
    );
    project.runSuccessfully(`npm init --yes && npm install zod@4 "${tarball}" && node events.mjs`);
    const imported = project.runSuccessfully("npx accrete-cli import events.json --name shop");
    expect(imported).toContain("proven within the original, formats ignored: 3 of 3 events");
    // What the import prints under "Next".
    project.runSuccessfully("npm install && npm run generate && npm test && npm run check");
    project.runSuccessfully("npx accrete-cli release 1.0 && git init -q . && npm run check");
    const importAgain = "node events.mjs && npx accrete-cli import events.json --name shop --again";
    edit(project, "events.mjs", "carrier: z", "tracking: z.string().optional(), carrier: z");
    expect(project.runSuccessfully(importAgain)).toContain('the optional field "tracking" is new');
    project.runSuccessfully("npm run generate && npm test && npm run check");
    edit(project, "events.mjs", '"USD"', '"USD", "CHF"');
    const refused = project.shell(importAgain);
    expect(refused.status).toBe(1);
    expect(refused.stdout).toMatch(/error enum-value-added-closed .*"CHF"/);
    expect(refused.stdout).toContain("Deploy readers that know the value first");
  });
});

/** The workflow of the contract. */
interface Workflow {
  readonly jobs: {
    readonly contract: {
      readonly defaults: { readonly run: { readonly "working-directory": string } };
      readonly steps: readonly { readonly run?: string }[];
    };
  };
}

/** A service in TypeScript's JavaScript that writes the event of its first argument, or refuses to. */
const WRITER = `import { decodeEvent } from "@shop/contract/v1/writer.js";
const event = JSON.parse(process.argv[2]);
const { kind, issues } = decodeEvent(event);
if (kind !== "known") throw new Error(JSON.stringify(issues));
console.log(JSON.stringify(event));
`;

/** A service that prints the text of each event on standard input, by the reader's validators. */
const READER = `import { readFileSync } from "node:fs";
import { decodeEvent } from "@shop/contract/v1/reader.js";
for (const line of readFileSync(0, "utf8").trim().split("\\n")) {
  const decoded = decodeEvent(JSON.parse(line));
  console.log(decoded.kind, decoded.kind === "known" ? decoded.event.data.text : "");
}
`;

/** The same in Go. */
const GO_READER = `package main

import (
	"fmt"
	"io"
	"os"

	shop "shop.example/ledger/events/shop/v1/go"
)

func main() {
	line, _ := io.ReadAll(os.Stdin)
	event, err := shop.DecodeEvent(line)
	fmt.Printf("%T %v\\n", event, err)
}
`;

const NOTE = {
  type: "note.added",
  id: "n1",
  session: "s1",
  sequence: 0,
  time: "2026-01-01T00:00:00Z",
  data: { text: "milk" },
};

describe.skipIf(!canInstall)("a day in a pnpm monorepo with three services", { timeout: 480_000 }, () => {
  it("keeps the services running, and refuses a rename in the job of its pull request", () => {
    const root = createProject("monorepo");
    const pnpm = "npx --yes pnpm@10";
    root.write("package.json", '{ "name": "shop", "private": true }');
    root.write("pnpm-workspace.yaml", "packages: [packages/*, services/*]\n");
    root.write(
      "packages/contract/package.json",
      '{ "name": "@shop/contract", "private": true, "type": "module", "exports": { "./v1/*": "./generated/shop/v1/*" } }',
    );
    for (const [name, source] of Object.entries({ orders: WRITER, web: READER })) {
      root.write(
        `services/${name}/package.json`,
        `{ "name": "${name}", "type": "module", "dependencies": { "@shop/contract": "workspace:*" } }`,
      );
      root.write(`services/${name}/main.js`, source);
    }
    root.write("services/ledger/go.mod", "module shop.example/ledger\n\ngo 1.22\n");
    root.write("services/ledger/main.go", GO_READER);
    root.runSuccessfully("git init -q -b main .");
    const contract = openProject(path.join(root.folder, "packages/contract"));
    contract.runSuccessfully(`${pnpm} add -D "file:${tarball}"`);
    contract.runSuccessfully(
      `${pnpm} exec accrete-cli init --name shop --placement nested --discriminator type`,
    );
    contract.write(
      "accrete.config.json",
      '{ "emit": ["go"], "folders": { "go": "../../services/ledger/events" } }',
    );
    contract.runSuccessfully(
      `${pnpm} install && ${pnpm} generate && ${pnpm} test && ${pnpm} exec accrete-cli release 1.0`,
    );

    const file = ".github/workflows/contract-packages-contract.yml";
    const workflow = load(root.read(file)) as Workflow;
    const { defaults, steps } = workflow.jobs.contract;
    expect(defaults.run["working-directory"]).toBe("packages/contract");
    // The action of pnpm puts `pnpm` on the PATH.
    const job = steps.flatMap(({ run }) => run?.replace(/^pnpm/, pnpm) ?? []).join(" && ");
    contract.runSuccessfully(job);

    const services = (event: object): string => {
      root.write("event.json", JSON.stringify(event));
      root.runSuccessfully(`cd services/orders && node main.js "$(cat ../../event.json)" > ../../line.jsonl`);
      const goOutput = hasGo ? root.runSuccessfully("cd services/ledger && go run . < ../../line.jsonl") : "";
      return root.runSuccessfully("cd services/web && node main.js < ../../line.jsonl") + goOutput;
    };
    expect(services(NOTE)).toBe(`known milk\n${hasGo ? "*shopv1.NoteAddedEvent <nil>\n" : ""}`);

    // An optional field passes, and the web service of the day before still reads the new events.
    const schema = "schemas/shop/v1/events/note.added.schema.json";
    edit(
      contract,
      schema,
      '"text": {',
      '"shelf": { "type": "string", "description": "Where it stands." }, "text": {',
    );
    edit(contract, "schemas/shop/v1/protocol.json", '"1.0"', '"1.1"');
    root.runSuccessfully("cp -R packages/contract/generated before");
    contract.runSuccessfully(`${pnpm} generate && ${job}`);
    const withShelf = { ...NOTE, data: { text: "milk", shelf: "left" } };
    expect(services(withShelf)).toContain("known milk\n");
    edit(root, "services/web/main.js", "@shop/contract/v1", "../../before/shop/v1");
    expect(services(withShelf)).toContain("known milk\n");

    // A rename fails the job, and its annotation names the file from the root of the repository.
    contract.write(schema, contract.read(schema).replaceAll('"text"', '"note_text"'));
    const refused = contract.shell(`${pnpm} generate && ${job}`);
    expect(refused.status).not.toBe(0);
    expect(refused.stdout).toMatch(
      /^::error file=packages\/contract\/schemas\/shop\/v1\/events\/note\.added\.schema\.json,line=\d+,col=\d+,title=field-renamed::/m,
    );
  });
});
