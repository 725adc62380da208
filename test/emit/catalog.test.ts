import { describe, expect, it } from "vitest";
import { emitCatalog } from "../../generator/emit/catalog.js";
import { bannerText } from "../../generator/emit/text.js";
import { isObject, type Json } from "../../generator/json.js";
import { loadSchemas } from "../../generator/load/load.js";

const { protocols } = loadSchemas("schemas");

describe.each(protocols.map((protocol) => ({ id: protocol.id, protocol })))(
  "catalogue of $id",
  ({ protocol }) => {
    const { path, content } = emitCatalog(protocol);

    it("begins with the banner and has a name below the protocol's folder", () => {
      expect(path).toBe(`${protocol.id}/catalog.md`);
      expect(content.split("\n")[0]).toBe(`<!-- ${bannerText()} -->`);
    });

    it("has a section with every field for each event", () => {
      for (const { type, payload } of protocol.events) {
        const rows = sectionOf(content, type).filter((line) => line.startsWith("| `"));
        const found = rows.map((row) => /^\| `(.*?)` \|/.exec(row)?.[1]);
        expect(found, type).toEqual(
          expect.arrayContaining(paths(payload, "", protocol.envelope.payloadFields)),
        );
      }
    });

    it("says the common fields of payloads once", () => {
      for (const name of protocol.envelope.payloadFields)
        expect(content.split("\n").filter((line) => line.startsWith(`| \`${name}\` |`))).toHaveLength(1);
    });

    it("is the same for the same protocol", () => {
      expect(emitCatalog(structuredClone(protocol)).content).toBe(content);
    });
  },
);

/** Paths of the fields that `schema` declares in place, without the `hidden` ones of the root. */
function paths(schema: Json | undefined, path: string, hidden: readonly string[] = []): string[] {
  if (!isObject(schema)) return [];
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : [];
  const fields = properties
    .filter(([name]) => !hidden.includes(name))
    .flatMap(([name, sub]) => {
      const below = path === "" ? name : `${path}.${name}`;
      return [below, ...paths(sub, below)];
    });
  return [...fields, ...paths(schema.items, `${path}[]`)];
}

/** The lines of the section below the last heading that is `name`. */
function sectionOf(markdown: string, name: string): string[] {
  const all = markdown.split("\n");
  const start = all.lastIndexOf(`### \`${name}\``) + 1;
  const length = all.slice(start).findIndex((line) => /^#{1,3} /.test(line));
  return start === 0 ? [] : all.slice(start, length < 0 ? undefined : start + length);
}
