import "./mend-equal.js";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../generator/json.js";
import { loadSchemas } from "../../generator/load/load.js";
import { makeAjv } from "../../generator/model/ajv.js";
import type { Placement } from "../../generator/model/protocol.js";
import { HOSTILE_PAYLOADS, HOSTILE_TYPES, type HostilePayload } from "../cases/emit/hostile.js";
import { emitAll, writeFiles } from "./emit-all.js";
import { eventOf, type Folder, PLACEMENTS, writeFolder } from "./hostile-folder.js";
import { runNode, typeCheck } from "./run.js";

const root = mkdtempSync(path.join(tmpdir(), "accrete-hostile-"));
afterAll(() => rmSync(root, { recursive: true }));

interface Expected {
  readonly protocol: string;
  readonly what: string;
  readonly event: JsonObject;
  readonly kind: "known" | "invalid";
}

/** The folders, and for each event what becomes of it. Definitions of similar names need protocols of their own. */
const folders: Folder[] = [];
const expected: Expected[] = [];
const uses: string[] = [];

const all = [...HOSTILE_PAYLOADS];
const alone = all.filter(([what]) => what.startsWith("definition"));
const together = all.filter((one) => !alone.includes(one));

function add(
  name: string,
  placement: Placement,
  cases: readonly (readonly [string, string, HostilePayload])[],
): void {
  const events = Object.fromEntries(cases.map(([, type, { payload }]) => [type, payload]));
  const $defs = Object.assign({}, ...cases.map(([, , one]) => one.$defs ?? {}));
  folders.push({ name, placement, events, $defs });
  for (const [what, type, { good, bad, type: assignable }] of cases) {
    const expect = (kind: Expected["kind"]) => (payload: JsonObject) =>
      expected.push({ protocol: name, what, event: eventOf(placement, type, payload), kind });
    good.forEach(expect("known"));
    bad.forEach(expect("invalid"));
    if (assignable)
      uses.push(
        `export const _${uses.length}: import("./generated/${name}/v1/types.js").PayloadOf<${JSON.stringify(type)}> = null as unknown as ${assignable};`,
      );
  }
}

for (const placement of PLACEMENTS) {
  add(
    `all-${placement}`,
    placement,
    together.map(([what, one], i) => [what, `case.n${i}`, one]),
  );
  const [, plain] = all.find(([what]) => what === "nullable") ?? [];
  if (plain)
    add(
      `types-${placement}`,
      placement,
      HOSTILE_TYPES.map((type) => [`type ${type}`, type, plain]),
    );
}
for (const [i, [what, one]] of alone.entries())
  add(`alone-${i}`, PLACEMENTS[i % 3] ?? "nested", [[what, "x.y", one]]);

for (const folder of folders) writeFolder(path.join(root, "schemas"), folder);

const MAIN = `
let text = ""; for await (const chunk of process.stdin) text += chunk;
const results = [];
for (const { protocol, event } of JSON.parse(text)) {
  const { decodeEvent } = await import("./generated/" + protocol + "/v1/index.js");
  results.push(["reader", "writer"].map((profile) => decodeEvent(event, { profile }).kind));
}
console.log(JSON.stringify(results));
`;

describe("a hostile protocol folder", async () => {
  const { protocols, findings } = loadSchemas(path.join(root, "schemas"));
  const files = (await Promise.all(protocols.map(emitAll))).flat();
  writeFiles(path.join(root, "generated"), files);
  writeFileSync(path.join(root, "uses.ts"), uses.join("\n"));

  it("loads", () => {
    expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
    expect(protocols.length).toBe(folders.length);
  });

  it.each(["nodenext", "bundler"] as const)("gives code that type-checks (%s)", (module) => {
    expect(typeCheck(root, module)).toBe("");
  });

  it("gives validators that run and are right", () => {
    const kinds = runNode(root, MAIN, expected) as string[][];
    const wrong = expected.flatMap((one, i) =>
      kinds[i]?.every((kind) => kind === one.kind) ? [] : [{ ...one, kinds: kinds[i] }],
    );
    expect(wrong).toEqual([]);
  });

  it("gives schema.json that parses and accepts the same events", () => {
    const wrong = protocols.flatMap(({ id, name }) => {
      const bundle = JSON.parse(files.find((file) => file.path === `${id}/schema.json`)?.content ?? "");
      const validate = makeAjv({ ownProperties: true }).compile(bundle);
      return expected.filter(
        ({ protocol, event, kind }) => protocol === name && validate(event) !== (kind === "known"),
      );
    });
    expect(wrong).toEqual([]);
  });

  it("puts no unseen character into any file", () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
    const unseen = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;
    expect(
      files.filter(({ content }) => unseen.test(content) || !content.isWellFormed()).map(({ path }) => path),
    ).toEqual([]);
  });
});
