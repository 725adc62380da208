/**
 * If this fails, a package that determines the bytes of generated files was raised. Then `generate --check` of every user
 * fails, or a correction of Ajv's keywords is lost.
 */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const EVERY_OUTPUT =
  "Run `npm run generate` and read `git diff generated`: explain every changed byte in CHANGELOG.md. Then enter the new version here.";

/** The version of each package, and the review that a newer version needs. */
const PINNED: { readonly [name: string]: { readonly version: string; readonly review: string } } = {
  ajv: {
    version: "8.20.0",
    review: `generator/validators relies on modules inside of Ajv. Compare with the new version: fix-keywords.ts (what the keywords of CORRECTIONS do, and whether their faults still exist), compile-functions.ts (compileSchema in compile/index), tree-builder.ts (the methods of CodeGen, and addError in compile/errors), code-tree.ts (checkDataType, and "|| isNaN" in limitNumber) and remove-unused-code.ts (the optimizer of compile/codegen). Run test/emit with FUZZ_RUNS=20000. ${EVERY_OUTPUT}`,
  },
  "ajv-formats": {
    version: "3.0.1",
    review: `generator/schema/formats.ts takes regular expressions from it, which stand in every validator. Run test/contain, test/emit and test/scan. ${EVERY_OUTPUT}`,
  },
  "json-schema-to-typescript": {
    version: "16.0.0",
    review: `generator/emit/typescript/print-types.ts prints the syntax tree of the types that it writes; objects with properties must stand on several lines, and types that it is given in \`tsType\` on one. Run test/emit/accepting-types.deep.test.ts and test/types. ${EVERY_OUTPUT}`,
  },
  "ts-morph": {
    version: "28.0.0",
    review: `generator/emit/typescript/print-types.ts walks the syntax trees of its TypeScript parser. Run test/emit/accepting-types.deep.test.ts and test/types. ${EVERY_OUTPUT}`,
  },
};

it.each(Object.entries(PINNED))("%s has the exact version that was reviewed", (name, { version, review }) => {
  const { dependencies } = JSON.parse(readFileSync("package.json", "utf8"));
  const installed = JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8"));
  expect(dependencies[name], `package.json must name ${name} ${version} without a range. ${review}`).toBe(
    version,
  );
  expect(installed.version, `${name} ${version} must be installed: run \`npm ci\`. ${review}`).toBe(version);
});
