import { cpSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { checkTypes } from "../emit/run.js";
import { createSharedFolder } from "../folders.js";

const root = createSharedFolder();

for (const folder of ["generated", "test/types"])
  cpSync(folder, path.join(root, folder), {
    recursive: true,
    filter: (source) => !source.endsWith(".test.ts"),
  });

/** All generated code and the type tests in one strict program, without this repository around them. */
describe("generated types", () => {
  it.each(["nodenext", "bundler"] as const)(
    "type-check in a strict program, module resolution %s",
    (module) => {
      expect(checkTypes(root, module)).toBe("");
    },
  );

  it("are used by the check: a wrong type is an error", () => {
    const misspelt =
      'import type { EventOf } from "../../generated/hecate/v1/index.js";\nexport type X = EventOf<"x">;\n';
    writeFileSync(path.join(root, "test/types/wrong.ts"), misspelt);
    expect(checkTypes(root, "nodenext")).toContain("wrong.ts");
  });
});
