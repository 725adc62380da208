/** If this fails, a strange but valid protocol gives wrong output, or an invalid one is not refused by a finding. */
import path from "node:path";
import { describe, expect, it } from "vitest";
import { loadSchemas } from "../../generator/load/load.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import { createValidators } from "../../generator/validators/protocol-validators.js";
import { BORDERLINE } from "../cases/emit/borderline.js";
import { createSharedFolder } from "../folders.js";
import { emitAll, writeOutputs } from "./emit-all.js";
import { writeFolder } from "./hostile-folder.js";
import { checkTypes, runNode } from "./run.js";

const root = createSharedFolder();

describe("a strange protocol", async () => {
  const results = new Map<string, string[]>();
  const emitted: string[] = [];
  for (const [
    index,
    [what, { protocol = `p${index}`, placement = "nested", refusedBy, ...rest }],
  ] of Object.entries(BORDERLINE).entries()) {
    const schemas = path.join(root, "schemas", String(index));
    writeFolder(schemas, { name: protocol, placement, events: {}, ...rest });
    const { protocols, findings } = await loadSchemas(schemas);
    results.set(
      what,
      findings.filter(({ severity }) => severity === "error").map(({ rule }) => rule),
    );
    for (const loaded of refusedBy === undefined ? protocols : []) {
      emitted.push(`./${index}/${loaded.id}/index.js`);
      writeOutputs(path.join(root, String(index)), await emitAll(loaded));
    }
  }

  it.each(Object.entries(BORDERLINE))(
    "is loaded or refused by the expected finding: %s",
    (what, { refusedBy }) => {
      expect([...new Set(results.get(what))]).toEqual(refusedBy === undefined ? [] : [refusedBy].flat());
    },
  );

  it("has output that type-checks, unless it is refused", () => {
    expect(checkTypes(root, "nodenext")).toBe("");
  });

  it("with a recursive schema refuses a value that is nested deeper than the stack", async () => {
    const schemas = path.join(root, "schemas", "deep");
    const tree = { type: "object", description: "T.", properties: { kid: { $ref: "#/$defs/Tree" } } };
    const payload = { type: "object", properties: { tree: { $ref: "../shared/x.schema.json#/$defs/Tree" } } };
    writeFolder(schemas, {
      name: "deep",
      placement: "nested",
      events: { a: payload },
      $defs: { Tree: tree },
    });
    const [protocol] = (await loadSchemas(schemas)).protocols;
    const { decodeEvent } = createValidators(protocol as Protocol);
    const nest = (depth: number) => JSON.parse(`${'{"kid":'.repeat(depth)}{}${"}".repeat(depth)}`);
    const decode = (depth: number) => decodeEvent({ type: "a", seq: 0, data: { tree: nest(depth) } });
    expect(decode(100).kind).toBe("known");
    expect(decode(100_000)).toMatchObject({ kind: "invalid", issues: [{ pointer: "", keyword: "depth" }] });
  });

  it("has output that runs, unless it is refused", () => {
    const code = `const done = []; for (const file of ${JSON.stringify(emitted)}) { const { protocol } = await import(file); done.push(protocol.decodeEvent({}).kind); } console.log(JSON.stringify(done));`;
    expect(runNode(root, code, null)).toEqual(emitted.map(() => "invalid"));
  });
});
