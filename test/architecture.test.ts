import { describe, expect, it } from "vitest";
import { readSources, unitOf } from "../scripts/architecture/sources.js";

/** What each folder (or file at the top) of generator/ may import, besides itself. */
const MAY_IMPORT: { readonly [unit: string]: readonly string[] } = {
  "json.ts": [],
  "text.ts": [],
  "finding.ts": ["json.ts"],
  runtime: [],
  stream: ["runtime"],
  view: ["stream"],
  replay: ["stream", "view", "text.ts"],
  model: ["runtime", "finding.ts", "json.ts", "text.ts"],
  contain: ["json.ts"],
  load: ["runtime", "model", "scan", "text.ts", "finding.ts", "json.ts"],
  emit: ["model", "text.ts", "finding.ts", "json.ts"],
  compat: ["runtime", "stream", "contain", "conform", "kit", "model", "text.ts", "finding.ts", "json.ts"],
  import: ["contain", "model", "finding.ts", "json.ts"],
  scan: ["stream", "model", "json.ts"],
  conform: ["runtime", "stream", "model", "finding.ts", "json.ts"],
  report: ["finding.ts", "json.ts", "text.ts"],
  status: ["model"],
  kit: ["runtime", "stream", "conform", "model", "json.ts"],
  serve: ["runtime", "stream", "view", "conform", "model", "finding.ts", "json.ts", "text.ts"],
  commands: [
    "runtime",
    "text.ts",
    "load",
    "model",
    "emit",
    "contain",
    "compat",
    "import",
    "conform",
    "scan",
    "stream",
    "serve",
    "view",
    "replay",
    "status",
    "report",
    "finding.ts",
    "json.ts",
  ],
  "index.ts": ["load", "model", "emit", "contain", "compat", "conform", "report", "finding.ts", "json.ts"],
  "cli.ts": ["commands", "report"],
};

const sources = readSources();

describe("architecture", () => {
  it("has sources of every unit it speaks of", () => {
    const units = new Set(sources.map(({ unit }) => unit));
    expect([...units].filter((unit) => !Object.hasOwn(MAY_IMPORT, unit))).toEqual([]);
    expect(sources.length).toBeGreaterThan(30);
  });

  it("imports only what the table allows", () => {
    const breaches = sources.flatMap(({ file, unit, imports }) =>
      imports
        .filter((target) => unitOf(target) !== unit && !MAY_IMPORT[unit]?.includes(unitOf(target)))
        .map((target) => `${file} imports ${target}`),
    );
    expect(breaches).toEqual([]);
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

  it("touches the file system in load and commands only, the network in serve, the process in cli.ts only", () => {
    const io = /^node:(fs|child_process|net|http|https)\b/;
    const allowed = (unit: string, name: string): boolean =>
      ["load", "commands"].includes(unit) || (unit === "serve" && name === "node:http");
    const breaches = sources.flatMap(({ file, unit, packages, text }) => [
      ...packages.filter((name) => io.test(name) && !allowed(unit, name)).map((name) => `${file}: ${name}`),
      ...(file !== "cli.ts" && /\b(process|console)\s*\./.test(withoutComments(text))
        ? [`${file}: process or console`]
        : []),
    ]);
    expect(breaches).toEqual([]);
  });
});

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "").replace(/"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`/g, '""');
}
