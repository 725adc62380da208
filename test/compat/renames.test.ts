/** If this fails, a rename is reported as many removals and additions. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, it } from "vitest";
import { TOOL_MEMBERS } from "../../generator/protocol/tool-members.js";
import { formatTextReport } from "../../generator/report/text.js";
import { checkFolders } from "./examples.js";
import type { Document } from "./project.js";
import { RENAMES, type Rename } from "./renames.js";

const ROOT = path.join(import.meta.dirname, "../../schemas");
const createdFolders: string[] = [];
afterAll(() => {
  for (const folder of createdFolders) rmSync(folder, { recursive: true, force: true });
});

/** Creates a schemas folder with a changed copy of one protocol. */
function copyProtocol({
  id,
  field = keepName,
  event = keepName,
  protocol,
  edit,
}: Partial<Rename> & { id: string }): string {
  const schemas = mkdtempSync(path.join(tmpdir(), "accrete-renames-"));
  createdFolders.push(schemas);
  const root = path.join(schemas, id);
  cpSync(path.join(ROOT, id), root, {
    recursive: true,
    filter: (file) => !/\/(releases|resources)$/.test(file),
  });
  for (const file of readdirSync(root, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".json")) continue;
    const place = path.join(root, file);
    const document = JSON.parse(readFileSync(place, "utf8"));
    if (file === "protocol.json") {
      // Declarations about single event types are not compared here.
      delete document.stream?.rules;
      // These members name event types and fields.
      for (const part of [...TOOL_MEMBERS, "waivers"]) delete document[part];
      protocol?.(document);
    }
    renameFields(document, field);
    const [, type] = /^events\/(.*)\.schema\.json$/.exec(file) ?? [];
    if (type !== undefined) edit?.(type, document);
    writeFileSync(place, JSON.stringify(document));
    if (type !== undefined) renameSync(place, path.join(root, `events/${event(type)}.schema.json`));
  }
  return schemas;
}

function keepName(name: string): string {
  return name;
}

function renameFields(schema: Document, field: (name: string) => string): void {
  if (typeof schema !== "object" || schema === null) return;
  delete schema.examples;
  if (schema.properties && !Array.isArray(schema.properties))
    schema.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, value]) => [field(name), value]),
    );
  if (Array.isArray(schema.required)) schema.required = schema.required.map(field);
  for (const value of Object.values(schema)) renameFields(value, field);
}

const originals = new Map<string, string>();

function getOriginal(id: string): string {
  const folder = originals.get(id) ?? copyProtocol({ id });
  originals.set(id, folder);
  return folder;
}

it.each(Object.entries(RENAMES))("a rename is reported once: %s", async (_name, rename) => {
  const { findings } = await checkFolders(getOriginal(rename.id), copyProtocol(rename));
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
