/** If this fails, a rename is reported as many removals and additions. */
import { cpSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { TOOL_MEMBERS } from "../../generator/protocol/tool-members.js";
import { formatTextReport } from "../../generator/report/text.js";
import { chooseCases } from "../depth.js";
import { createTemporaryFolder } from "../folders.js";
import { checkFolders } from "./examples.js";
import type { Document } from "./project.js";
import { RENAMES, type Rename } from "./renames.js";

const ROOT = path.join(import.meta.dirname, "../../schemas");

/** Copies one protocol to a temporary schemas folder and changes the copy. */
function copyProtocol({
  id,
  renameField = keepName,
  renameEvent = keepName,
  editProtocol,
  editPayload,
}: Partial<Rename> & { id: string }): string {
  const schemas = createTemporaryFolder();
  const root = path.join(schemas, id);
  cpSync(path.join(ROOT, id), root, {
    recursive: true,
    filter: (file) => !/\/(releases|resources)$/.test(file),
  });
  for (const file of readdirSync(root, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".json")) continue;
    const filePath = path.join(root, file);
    const document = JSON.parse(readFileSync(filePath, "utf8"));
    if (file === "protocol.json") {
      // Stream rules, waivers and members for tools name event types and fields, which the test does not rename there.
      delete document.stream?.rules;
      for (const member of [...TOOL_MEMBERS, "waivers"]) delete document[member];
      editProtocol?.(document);
    }
    renameFields(document, renameField);
    const [, type] = /^events\/(.*)\.schema\.json$/.exec(file) ?? [];
    if (type !== undefined) editPayload?.(type, document);
    writeFileSync(filePath, JSON.stringify(document));
    if (type !== undefined) renameSync(filePath, path.join(root, `events/${renameEvent(type)}.schema.json`));
  }
  return schemas;
}

function keepName(name: string): string {
  return name;
}

function renameFields(schema: Document, rename: (name: string) => string): void {
  if (typeof schema !== "object" || schema === null) return;
  delete schema.examples;
  if (schema.properties && !Array.isArray(schema.properties))
    schema.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, value]) => [rename(name), value]),
    );
  if (Array.isArray(schema.required)) schema.required = schema.required.map(rename);
  for (const value of Object.values(schema)) renameFields(value, rename);
}

it.each(chooseCases(Object.entries(RENAMES), 4))("a rename is reported once: %s", async (_name, rename) => {
  const { findings } = await checkFolders(copyProtocol({ id: rename.id }), copyProtocol(rename));
  const found = findings.map(({ rule, message }): [string, string, number?] => {
    const members = message.match(/ → /g)?.length ?? 0;
    return members > 0 ? [rule, message, members] : [rule, message];
  });
  expect(found).toEqual(
    rename.expected.map(([rule, names, ...members]) => [rule, expect.stringContaining(names), ...members]),
  );
  for (const { severity, witness } of findings) {
    expect(severity).toBe("error");
    expect(witness).toMatchObject({});
  }
  expect(formatTextReport(findings).split("\n").length).toBeLessThan(60);
});
