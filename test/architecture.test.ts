/** If this fails, a component imports what its subject does not need, or touches files and the network unexpectedly. */

import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { findSource, findUnit, readSources } from "../scripts/architecture/sources.js";

/** The units (folders and top-level files of generator/) that each unit may import, besides itself and COMMON_UNITS. */
const MAY_IMPORT: { readonly [unit: string]: readonly string[] } = {
  "json.ts": [],
  "text.ts": [],
  "hash.ts": [],
  "sha256.ts": [],
  "random.ts": [],
  "thread.ts": [],
  "nearest.ts": [],
  "get-item.ts": [],
  "group-by.ts": [],
  "finding.ts": [],
  "io.ts": [],
  "failure.ts": ["io.ts"],
  "progress-line.ts": ["io.ts"],
  runtime: [],
  stream: ["runtime"],
  view: ["stream", "protocol"],
  react: ["stream", "view"],
  acp: ["stream", "view"],
  source: [],
  regex: [],
  contain: ["regex", "source", "schema"],
  schema: ["source"],
  protocol: ["schema"],
  validators: ["runtime", "schema", "protocol"],
  sample: ["schema", "protocol", "validators"],
  conform: ["runtime", "stream", "schema", "protocol", "validators", "sample"],
  load: [
    "io.ts",
    "failure.ts",
    "runtime",
    "source",
    "contain",
    "schema",
    "protocol",
    "validators",
    "conform",
  ],
  cache: ["io.ts", "load"],
  emit: [
    "thread.ts",
    "cache",
    "runtime",
    "stream",
    "contain",
    "schema",
    "protocol",
    "validators",
    "sample",
    "conform",
  ],
  compat: ["runtime", "stream", "contain", "schema", "protocol", "validators", "sample", "conform"],
  kit: ["runtime", "stream", "schema", "protocol", "sample", "conform"],
  "kit-process": [
    "io.ts",
    "failure.ts",
    "stream",
    "source",
    "protocol",
    "validators",
    "load",
    "kit",
    "report",
  ],
  scan: ["regex", "stream", "schema", "protocol"],
  ingest: ["io.ts", "failure.ts", "stream", "source"],
  validate: [
    "progress-line.ts",
    "runtime",
    "thread.ts",
    "io.ts",
    "failure.ts",
    "stream",
    "source",
    "schema",
    "protocol",
    "validators",
    "load",
    "conform",
    "ingest",
    "scan",
    "redact",
    "rows",
    "report",
  ],
  monitor: [
    "io.ts",
    "failure.ts",
    "schema",
    "protocol",
    "validators",
    "load",
    "conform",
    "ingest",
    "report",
    "validate",
    "serve",
  ],
  audit: [
    "thread.ts",
    "io.ts",
    "failure.ts",
    "emit",
    "stream",
    "contain",
    "compat",
    "schema",
    "protocol",
    "validators",
    "load",
    "conform",
    "ingest",
    "scan",
    "rows",
    "report",
    "validate",
  ],
  output: ["io.ts", "failure.ts", "protocol"],
  init: ["io.ts", "failure.ts", "source", "schema", "protocol", "load", "output"],
  import: [
    "io.ts",
    "failure.ts",
    "stream",
    "source",
    "contain",
    "schema",
    "protocol",
    "validators",
    "sample",
    "load",
    "ingest",
    "output",
  ],
  diff: ["io.ts", "failure.ts", "compat", "load", "import"],
  rollout: ["failure.ts", "source", "protocol", "load", "compat", "kit", "upcast", "report"],
  agents: ["io.ts", "failure.ts", "schema", "protocol", "load", "emit"],
  lsp: ["io.ts", "failure.ts", "source", "protocol", "load", "emit", "sample", "report"],
  site: ["protocol", "emit"],
  review: ["io.ts", "failure.ts", "load", "emit", "report"],
  generate: ["io.ts", "failure.ts", "cache", "protocol", "load", "emit", "output", "report"],
  release: [
    "io.ts",
    "failure.ts",
    "source",
    "stream",
    "protocol",
    "validators",
    "sample",
    "conform",
    "load",
    "emit",
    "compat",
    "output",
    "report",
    "generate",
    "status",
  ],
  status: ["io.ts", "protocol", "load", "output", "report", "generate"],
  report: [],
  rows: ["source", "schema", "protocol", "validators", "conform", "ingest"],
  upcast: [
    "sample",
    "regex",
    "stream",
    "source",
    "schema",
    "protocol",
    "validators",
    "contain",
    "compat",
    "conform",
    "ingest",
    "emit",
  ],
  redact: ["failure.ts", "stream", "view", "source", "schema", "protocol", "validators", "conform", "ingest"],
  replay: ["failure.ts", "io.ts", "stream", "view", "protocol", "validators", "conform", "ingest"],
  serve: [
    "io.ts",
    "failure.ts",
    "runtime",
    "stream",
    "view",
    "source",
    "schema",
    "protocol",
    "validators",
    "load",
    "emit",
    "conform",
    "ingest",
    "rows",
    "report",
  ],
  commands: [
    "progress-line.ts",
    "agents",
    "lsp",
    "cache",
    "review",
    "site",
    "site",
    "io.ts",
    "failure.ts",
    "source",
    "schema",
    "protocol",
    "validators",
    "load",
    "emit",
    "contain",
    "compat",
    "conform",
    "ingest",
    "validate",
    "monitor",
    "audit",
    "output",
    "init",
    "import",
    "diff",
    "rollout",
    "generate",
    "release",
    "status",
    "report",
    "redact",
    "rows",
    "upcast",
    "replay",
    "serve",
    "kit-process",
  ],
  "index.ts": [
    "schema",
    "protocol",
    "validators",
    "load",
    "emit",
    "contain",
    "compat",
    "conform",
    "rows",
    "report",
  ],
  "cli.ts": ["io.ts", "failure.ts", "commands"],
};

/** The units that every unit may import: JSON values, findings, text, hashes, seeded numbers, and the nearest known name. */
const COMMON_UNITS = [
  "json.ts",
  "finding.ts",
  "text.ts",
  "hash.ts",
  "sha256.ts",
  "random.ts",
  "nearest.ts",
  "get-item.ts",
  "group-by.ts",
];

/**
 * The inner components of a unit, in the order in which they may import each other: each imports only components before
 * it. Of the files of the unit itself, only the entry imports them.
 */
const INNER_COMPONENTS: {
  readonly [unit: string]: { readonly components: readonly string[]; readonly entry: string };
} = {
  contain: {
    components: ["regex", "preimage", "schema", "solve", "confirm", "difference"],
    entry: "contain/contain.ts",
  },
};

/** Units that may touch the file system. */
const UNITS_WITH_FILES = [
  "site",
  "review",
  "agents",
  "lsp",
  "cache",
  "diff",
  "io.ts",
  "audit",
  "load",
  "ingest",
  "import",
  "validate",
  "monitor",
  "output",
  "init",
  "generate",
  "release",
  "serve",
  "kit-process",
  "commands",
];

/** The packages that help and every command may load before they do anything. Others are loaded where they are used. */
const PACKAGES_AT_START = [
  "@eslint-community/regexpp",
  "ajv-formats/dist/formats.js",
  "commander",
  "fastest-levenshtein",
  "picocolors",
];

const sources = readSources();

describe("architecture", () => {
  it("has a row for every unit", () => {
    const units = new Set(sources.map(({ unit }) => unit));
    expect([...units].filter((unit) => !Object.hasOwn(MAY_IMPORT, unit))).toEqual([]);
    expect(sources.length).toBeGreaterThan(30);
  });

  it("imports only what the table allows", () => {
    const violations = sources.flatMap(({ file, unit, imports }) =>
      imports
        .filter((target) => findUnit(target) !== unit)
        .filter((target) => ![...COMMON_UNITS, ...(MAY_IMPORT[unit] ?? [])].includes(findUnit(target)))
        .map((target) => `${file} imports ${target}`),
    );
    expect(violations).toEqual([]);
  });

  it("names no protocol of this project, except in examples of the help", () => {
    const namingFiles = sources.filter(
      ({ unit, text }) => unit !== "commands" && /\b(hecate|evva)|\bframes\/v\d/i.test(text),
    );
    expect(namingFiles.map(({ file }) => file)).toEqual([]);
  });

  it("imports inner components in one direction", () => {
    const violations = sources.flatMap(({ file, unit, imports }) => {
      const { components, entry } = INNER_COMPONENTS[unit] ?? { components: [], entry: file };
      if (file === entry) return [];
      const findComponentIndex = (name: string): number => components.indexOf(name.split("/")[1] ?? "");
      return imports
        .filter(
          (target) => findUnit(target) === unit && findComponentIndex(target) > findComponentIndex(file),
        )
        .map((target) => `${file} imports ${target}`);
    });
    expect(violations).toEqual([]);
  });

  it("has no import cycle, types included", () => {
    const graph = new Map(sources.map(({ file, imports }) => [file, imports]));
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (file: string, trail: readonly string[]): void => {
      if (trail.includes(file)) cycles.push([...trail.slice(trail.indexOf(file)), file].join(" → "));
      if (trail.includes(file) || done.has(file)) return;
      for (const target of graph.get(file) ?? []) visit(target, [...trail, file]);
      done.add(file);
    };
    for (const { file } of sources) visit(file, []);
    expect(cycles).toEqual([]);
  });

  it("loads few packages to start a command or to print help", () => {
    const packages = new Set<string>();
    const done = new Set<string>();
    const visit = (file: string): void => {
      const source = sources.find((each) => each.file === file);
      if (source === undefined || done.has(file)) return;
      done.add(file);
      // Functions import other files with `import(…)`, when they need them.
      const imported = source.text.matchAll(/^(?:import|export) (?!type )[^;"]*"([^"]+)";/gm);
      const targets = new Set([...imported].map(([, target = ""]) => target));
      for (const name of source.packages) if (targets.has(name)) packages.add(name);
      for (const target of targets)
        if (target.startsWith(".")) visit(findSource(path.posix.join(path.posix.dirname(file), target)));
    };
    for (const { file, unit } of sources) if (unit === "commands") visit(file);
    expect([...packages].filter((name) => !name.startsWith("node:")).sort()).toEqual(PACKAGES_AT_START);
  });

  it("reads files only in the components listed above, uses the network only in serve, and the process only in cli.ts", () => {
    const io = /^node:(fs|child_process|net|http|https)\b/;
    // Emitters copy source files in other languages, which stand beside them.
    const isAllowed = (file: string, unit: string, name: string): boolean =>
      UNITS_WITH_FILES.includes(unit) ||
      (unit === "serve" && name === "node:http") ||
      (file === "emit/source-file.ts" && name === "node:fs");
    const violations = sources.flatMap(({ file, unit, packages, text }) => [
      ...packages
        .filter((name) => io.test(name) && !isAllowed(file, unit, name))
        .map((name) => `${file}: ${name}`),
      ...(file !== "cli.ts" && /\b(process|console)\s*\./.test(removeComments(text))
        ? [`${file}: process or console`]
        : []),
    ]);
    expect(violations).toEqual([]);
  });
});

it("each component has a folder of tests, except those that every test of another one runs", () => {
  const components = new Set(sources.map(({ unit }) => unit).filter((unit) => !unit.endsWith(".ts")));
  const untested = [...components].filter((unit) => !existsSync(`test/${unit}`));
  expect(untested).toEqual(["runtime", "source"]);
});

function removeComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "").replace(/"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`/g, '""');
}
