import { getEventName } from "../../protocol/names.js";
import type { OutputFile, Protocol } from "../../protocol/protocol.js";
import { formatLiteral } from "../../text.js";
import { BANNER } from "../text.js";

/**
 * Writes `conformance.test.ts`: tests for vitest that the fixtures and the generated validators agree. `fixtures` is the path
 * of this version's fixtures relative to the generated folder of this version.
 */
export function emitConformance(protocol: Protocol, fixtures: string): OutputFile {
  return {
    path: `${protocol.id}/conformance.test.ts`,
    content: `${BANNER}\n${formatHelpers(fixtures)}${formatNames(protocol)}\n${formatTests(protocol)}`,
  };
}

/** Formats the functions that the tests share. They read fixtures and list the issues of a line of a stream. */
function formatHelpers(fixtures: string): string {
  return `import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { metadata, protocol } from "./index.js";

interface Invalid {
  readonly profile: "reader" | "writer";
  readonly pointer: string;
  readonly keyword: string;
  readonly event: unknown;
}

const folder = fileURLToPath(new URL(${formatLiteral(`${fixtures}/`)}, import.meta.url));
const list = (path: string): string[] => {
  try {
    return readdirSync(folder + path).sort();
  } catch {
    return [];
  }
};
const read = (path: string): unknown => JSON.parse(readFileSync(folder + path, "utf8"));
const types = Object.keys(metadata);
const faults = (line: string): string[] => {
  if (line.trim() === "") return [];
  try {
    const result = protocol.decodeEvent(JSON.parse(line), { profile: "writer" });
    if (result.kind === "unknown") return ["unknown event type"];
    const issues = result.kind === "invalid" ? result.issues : [];
    return issues.map(({ pointer, keyword, message }) => \`\${pointer} \${message} (\${keyword})\`.trim());
  } catch (error) {
    return [String(error)];
  }
};
`;
}

/** Formats the names of the event types, which are those of their folders, if one differs from its event type. */
function formatNames({ events }: Protocol): string {
  if (events.every(({ name }) => name === undefined)) return "";
  const members = events.map(
    (event) => `  ${formatLiteral(event.type)}: ${formatLiteral(getEventName(event))},\n`,
  );
  return `const names: { readonly [type: string]: string } = {\n${members.join("")}};\n`;
}

function formatTests(protocol: Protocol): string {
  const hasNames = protocol.events.some(({ name }) => name !== undefined);
  const name = hasNames ? "names[type]" : "type";
  const names = hasNames ? "Object.values(names)" : "types";
  return `describe(${formatLiteral(`${protocol.id}: fixtures`)}, () => {
  it("belong to known event types", () => {
    expect([...list("valid"), ...list("invalid")].filter((type) => !${names}.includes(type))).toEqual([]);
  });

  describe.each(types)("%s", (type) => {
    const valid = list(\`valid/\${${name}}\`);
    const invalid = list(\`invalid/\${${name}}\`);

    it("has a valid and an invalid fixture", () => {
      // No event of this type is valid.
      const isImpossible = invalid.includes("impossible.json");
      if (!isImpossible) expect(valid, \`no fixture in \${folder}valid/\${${name}}\`).not.toEqual([]);
      expect(invalid, \`no fixture in \${folder}invalid/\${${name}}\`).not.toEqual([]);
    });

    it.each(valid)("accepts %s", (file) => {
      const event = read(\`valid/\${${name}}/\${file}\`);
      for (const profile of ["writer", "reader"] as const)
        expect(protocol.decodeEvent(event, { profile })).toEqual({ kind: "known", event });
      expect(event).toHaveProperty([${formatLiteral(protocol.envelope.discriminator)}], type);
    });

    it.each(invalid)("refuses %s", (file) => {
      const { event, profile, pointer, keyword } = read(\`invalid/\${${name}}/\${file}\`) as Invalid;
      const result = protocol.decodeEvent(event, { profile });
      const issues = result.kind === "invalid" ? result.issues : [];
      expect(issues.map((issue) => \`\${issue.pointer} \${issue.keyword}\`)).toContain(\`\${pointer} \${keyword}\`);
      // A fault of the writer alone is nothing to a reader.
      if (profile === "writer") expect(protocol.decodeEvent(event).kind, "readers refuse it, too: its profile is reader").not.toBe("invalid");
    });
  });

  it.each(list("streams"))("decodes every line of the stream %s", (file) => {
    const lines = readFileSync(\`\${folder}streams/\${file}\`, "utf8").split("\\n");
    expect(lines.flatMap((line, index) => faults(line).map((fault) => \`\${file}:\${index + 1}: \${fault}\`))).toEqual([]);
  });
});
`;
}
