/** If this fails, hostile names and texts of schemas break the generated code. */
import "./fix-ajv-equal.js";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../generator/json.js";
import { loadSchemas } from "../../generator/load/load.js";
import { hasBanner } from "../../generator/output/paths.js";
import { makeAjv } from "../../generator/validators/ajv.js";
import { createSharedFolder } from "../folders.js";
import { emitAll, writeOutputs } from "./emit-all.js";
import { createEvent, writeFolder } from "./hostile-folder.js";
import { createHostileFolders } from "./hostile-protocols.js";
import { createRandomProtocols, PROTOCOL_COUNT, SEED } from "./made-protocols.js";
import { checkTypes, runNode } from "./run.js";

const root = createSharedFolder();

/** An event of a hostile protocol, and what decodeEvent must say about it. */
interface Expected {
  readonly protocol: string;
  readonly what: string;
  readonly event: JsonObject;
  readonly kind: "known" | "invalid";
}

const folders = createHostileFolders();

const expected: readonly Expected[] = folders.flatMap(({ folder: { name, placement }, cases }) =>
  cases.flatMap(({ what, type, payload: { good, bad } }) => {
    const createExpected = (kind: Expected["kind"]) => (payload: JsonObject) => ({
      protocol: name,
      what,
      event: createEvent(placement, type, payload),
      kind,
    });
    return [...good.map(createExpected("known")), ...bad.map(createExpected("invalid"))];
  }),
);

/** Assignments of values to the payload types of the cases that name a type. */
const assignments = folders.flatMap(({ folder: { name }, cases }) =>
  cases.flatMap(({ type, payload: { type: assignable } }, i) =>
    assignable === undefined
      ? []
      : [
          `export const _${name.replace(/-/g, "_")}_${i}: import("./generated/${name}/v1/types.js").PayloadOf<${JSON.stringify(type)}> = null as unknown as ${assignable};`,
        ],
  ),
);

for (const { folder } of folders) writeFolder(path.join(root, "schemas"), folder);

const MAIN = `
let text = ""; for await (const chunk of process.stdin) text += chunk;
const results = [];
for (const { protocol, event } of JSON.parse(text)) {
  const generated = await import("./generated/" + protocol + "/v1/index.js");
  results.push(["reader", "writer"].map((profile) => generated.protocol.decodeEvent(event, { profile }).kind));
}
console.log(JSON.stringify(results));
`;

describe("a hostile protocol folder", async () => {
  const { protocols, findings } = await loadSchemas(path.join(root, "schemas"));
  const made = await createRandomProtocols(PROTOCOL_COUNT, SEED);
  const files = (await Promise.all([...protocols, ...made].map(emitAll))).flat();
  writeOutputs(path.join(root, "generated"), files);
  writeFileSync(path.join(root, "assignments.ts"), assignments.join("\n"));

  it("loads", () => {
    expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
    expect(protocols.length).toBe(folders.length);
  });

  it.each(["nodenext", "bundler"] as const)("gives code that type-checks (%s)", (module) => {
    expect(checkTypes(root, module)).toBe("");
  });

  it("gives validators that accept and refuse the right events", () => {
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

  it("states the banner in every file, without which generate refuses to write it", () => {
    expect(files.filter(({ content }) => !hasBanner(Buffer.from(content))).map(({ path }) => path)).toEqual(
      [],
    );
  });

  it("gives files without invisible characters", () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for control characters
    const unseen = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;
    // gofmt indents with tabs.
    const removeTabs = ({ path, content }: (typeof files)[number]): string =>
      path.endsWith(".go") ? content.replace(/^\t+/gm, "") : content;
    expect(
      files
        .filter((file) => unseen.test(removeTabs(file)) || !file.content.isWellFormed())
        .map(({ path }) => path),
    ).toEqual([]);
  });
});
