/** The files that `npm run new` writes for each kind of extension, and the rows that list them. */
import { readFileSync } from "node:fs";
import path from "node:path";

/** Files to add by path, and rows to insert before a place that a file has exactly once. */
export interface Skeleton {
  readonly files: ReadonlyMap<string, string>;
  readonly insertions: readonly Insertion[];
}

/** A text to insert before the only match of a pattern in a file. */
export interface Insertion {
  readonly file: string;
  readonly before: RegExp;
  readonly text: string;
}

/** The skeletons by kind; each takes a name in kebab-case. */
export const SKELETONS: ReadonlyMap<string, (name: string) => Skeleton> = new Map([
  ["rule", createRuleSkeleton],
  ["emitter", createEmitterSkeleton],
  ["stream-rule", createStreamRuleSkeleton],
]);

/** The end of a file. */
const END = /$(?![\s\S])/;

function fill(template: string, kebab: string): string {
  const words = kebab.split("-");
  const pascal = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  const names: { readonly [placeholder: string]: string } = {
    kebab,
    Pascal: pascal,
    camel: pascal.charAt(0).toLowerCase() + pascal.slice(1),
    SNAKE: words.join("_").toUpperCase(),
  };
  return template.replace(/\{\{(\w+)\}\}/g, (_, placeholder: string) => names[placeholder] ?? "");
}

function readTemplate(file: string, name: string): string {
  return fill(readFileSync(path.join(import.meta.dirname, `${file}.txt`), "utf8"), name);
}

function createStreamRuleSkeleton(name: string): Skeleton {
  const cases = `test/cases/stream/${name}-broken`;
  const rules = fill('{"{{camel}}": [{"type": "usage"}]}', name);
  const head = (about: string, found: string): string =>
    `{"about": "${about}", "protocol": "evva/v0", "rules": ${rules}, "reader": [${found}], "writer": [${found}]}\n`;
  const usage = '{"Kind": "usage"}\n';
  return {
    files: new Map([
      [`generator/conform/rules/${name}.ts`, readTemplate("stream-rule", name)],
      [`${cases}/fires-twice.jsonl`, head("The event comes twice.", `"${name}-broken@2"`) + usage + usage],
      [`${cases}/silent-once.jsonl`, head("The event comes once.", "") + usage],
    ]),
    insertions: [
      {
        file: "generator/conform/stream-rules.ts",
        before: /^import type \{ AnyStreamRule/m,
        text: fill('import { {{camel}} } from "./rules/{{kebab}}.js";\n', name),
      },
      {
        file: "generator/conform/stream-rules.ts",
        before: /^\} satisfies \{/m,
        text: fill("  {{camel}},\n", name),
      },
      {
        file: "generator/protocol/stream-rules.ts",
        before: /(?<=export interface StreamRules \{[^}]*)\}/,
        text: fill("  readonly {{camel}}?: readonly {{Pascal}}[];\n", name),
      },
      {
        file: "generator/protocol/stream-rules.ts",
        before: END,
        text: readTemplate("stream-rule-type", name),
      },
    ],
  };
}

function createEmitterSkeleton(name: string): Skeleton {
  return {
    files: new Map([
      [`generator/emit/${name}/${name}.ts`, readTemplate("emitter", name)],
      [`test/emit/${name}.test.ts`, readTemplate("emitter-test", name)],
    ]),
    insertions: [
      {
        file: "generator/emit/optional-emitters.ts",
        before: /^\] as const satisfies/m,
        text: fill(
          `  {
    name: "{{kebab}}",
    file: "{{kebab}}.json",
    summary: "TODO: say what the file holds",
    emit: async (protocol) => [(await import("./{{kebab}}/{{kebab}}.js")).emit{{Pascal}}(protocol)],
  },
`,
          name,
        ),
      },
    ],
  };
}

function createRuleSkeleton(name: string): Skeleton {
  return {
    files: new Map([[`generator/compat/rules/${name}.ts`, readTemplate("rule", name)]]),
    insertions: [
      {
        file: "generator/compat/rules/rules.ts",
        before: /^\/\*\* Every rule by its id/m,
        text: fill('import { {{SNAKE}}_RULES } from "./{{kebab}}.js";\n\n', name),
      },
      {
        file: "generator/compat/rules/rules.ts",
        before: /^ {2}\.\.\.STREAM_CONTRACT_RULES,/m,
        text: fill("  ...{{SNAKE}}_RULES,\n", name),
      },
    ],
  };
}
