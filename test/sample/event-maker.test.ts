/** If this fails, generated events have equal ids. Consumers ignore them as redeliveries, so laws check nothing. */
import { expect, it } from "vitest";
import { loadSchemas } from "../../generator/load/load.js";
import { createEventMaker } from "../../generator/sample/event-maker.js";
import { createTemporaryFolder, createTinySchemas } from "../folders.js";

it("gives each event an id of its own, also where ids are any text", async () => {
  const files = createTinySchemas();
  const manifest = {
    ...JSON.parse(files["tiny/v1/protocol.json"] ?? ""),
    stream: { key: ["type"], id: "id" },
  };
  const envelope = JSON.parse(files["tiny/v1/envelope.schema.json"] ?? "");
  envelope.properties.id = { type: "string", minLength: 1, description: "Its name." };
  envelope.required.push("id");
  const schemas = createTemporaryFolder({
    ...files,
    "tiny/v1/protocol.json": JSON.stringify(manifest),
    "tiny/v1/envelope.schema.json": JSON.stringify(envelope),
  });
  const { protocols, findings } = await loadSchemas(schemas, []);
  expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
  const [tiny] = protocols;
  if (tiny === undefined) throw new Error("no protocol");
  const maker = createEventMaker(tiny, () => true);
  const ids = Array.from(
    { length: 300 },
    (_, at) => maker.make({ type: "tea.served", envelope: {}, fixedFields: {}, seed: at + 1 })?.id,
  );
  expect(ids.every((id) => typeof id === "string" && id !== "")).toBe(true);
  expect(new Set(ids).size).toBe(ids.length);
});
