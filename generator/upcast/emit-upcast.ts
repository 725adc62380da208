/** Writes the steps of a plan as a module without dependencies, in TypeScript and in Python. */
import { formatString } from "../emit/python/text.js";
import { isObject, type Json, splitPointer } from "../json.js";
import { type DeepStep, type EachStep, enterList, type NestedStep } from "../protocol/nested-steps.js";
import type { OutputFile } from "../protocol/protocol.js";
import type { UpcastStep } from "../protocol/upcast.js";
import { createBanner, formatJavascriptLiteral } from "../text.js";
import type { UpcastQuestion } from "./certify-plan.js";
import { PYTHON_MODULE } from "./python-module.js";
import { readStep } from "./steps/step-kinds.js";
import { TYPESCRIPT_MODULE } from "./typescript-module.js";

/** A language of the modules. */
interface Language {
  readonly extension: string;
  /** The module, with places for what depends on the plan. */
  readonly module: string;
  readonly comment: string;
  readonly indent: string;
  /** The statements that declare `type` and `types`, for steps with conditions on them. */
  readonly declarations: readonly [type: string, types: string];
  /** The code for plans with functions of the user. */
  readonly functions: FunctionCode;
  /** The statement that declares the event that the steps change. */
  readonly start: string;
  readonly formatValue: (value: Json) => string;
  readonly formatStep: (conditions: readonly string[], call: string) => string;
  readonly not: (condition: string) => string;
  /** A function of an event that returns the result of a call, or the event if a condition does not hold. */
  readonly formatFunction: (conditions: readonly string[], call: string) => string;
}

/** The parts of modules that plans with functions of the user have. */
interface FunctionCode {
  /** Returns the type of the functions. */
  readonly declareType: (names: readonly string[]) => string;
  readonly parameter: string;
  readonly argument: string;
  /** The statement that makes the functions known to the steps. */
  readonly statement: string;
}

const PROVEN = "accrete has proven that this succeeds for every event that a writer may send.";
const TESTED = "accrete has tested this with generated events, because the plan has functions of its own.";

const LANGUAGES: readonly Language[] = [
  {
    extension: "ts",
    module: TYPESCRIPT_MODULE,
    comment: "//",
    indent: "  ",
    declarations: ["const type = readType(original);", "const types = [type, ...streamTypes];"],
    functions: {
      declareType: (names) => {
        const members = names.map(
          (name) => `  readonly ${formatJavascriptLiteral(name)}: (value: Json) => Json;`,
        );
        return `/** The functions of the plan. */\nexport interface UpcastFunctions {\n${members.join("\n")}\n}\n\n`;
      },
      parameter: "functions: UpcastFunctions, ",
      argument: "functions, ",
      statement:
        "const apply = (value: JsonObject, at: Path, name: keyof UpcastFunctions) => applyFunction(value, at, functions[name]);",
    },
    start: "let event = original;",
    formatValue: formatJavascriptLiteral,
    formatStep: (conditions, call) =>
      `${conditions.length === 0 ? "" : `if (${conditions.join(" && ")}) `}event = ${call};`,
    not: (condition) => `!${condition}`,
    formatFunction: (conditions, call) =>
      `(event) => ${conditions.length === 0 ? call : `${conditions.join(" && ")} ? ${call} : event`}`,
  },
  {
    extension: "py",
    module: PYTHON_MODULE,
    comment: "#",
    indent: "    ",
    declarations: ["type = read_type(original)", "types = [type, *stream_types]"],
    functions: {
      declareType: () => "",
      parameter: "functions: Mapping[str, Callable[[Any], Any]], ",
      argument: "functions, ",
      statement:
        "def apply(value: dict[str, Any], at: Sequence[str], name: str) -> dict[str, Any]:\n        return apply_function(value, at, functions[name])\n",
    },
    start: "event = original",
    formatValue: formatPythonValue,
    formatStep: (conditions, call) =>
      conditions.length === 0
        ? `event = ${call}`
        : `if ${conditions.join(" and ")}:\n        event = ${call}`,
    not: (condition) => `not ${condition}`,
    formatFunction: (conditions, call) =>
      `lambda event: ${conditions.length === 0 ? call : `${call} if ${conditions.join(" and ")} else event`}`,
  },
];

/** Returns the name of the files of a plan, without extension. */
export function nameUpcast({ from, to }: Pick<UpcastQuestion, "from" | "to">): string {
  const [old, now] = [from, to].map(({ major, version }) =>
    from.major === to.major ? version.replace(".", "_") : String(major),
  );
  return `upcast_${from.name}_v${old}_to_v${now}`.replace(/\W/g, "_");
}

/** Returns the modules of a plan, one for each language. */
export function emitUpcast({ from, to, steps }: UpcastQuestion): OutputFile[] {
  const dependsOnStream = steps.some(({ streamsWith, streamsWithout }) => streamsWith ?? streamsWithout);
  const dependsOnType = dependsOnStream || steps.some(({ types }) => types);
  const name = nameUpcast({ from, to });
  const functionNames = [...new Set(steps.flatMap((step) => (step.step === "function" ? [step.name] : [])))];
  const hasFunctions = functionNames.length > 0;
  return LANGUAGES.map((language): OutputFile => {
    const { extension, module, comment, formatValue, functions } = language;
    const [type, types] = language.declarations;
    const statements = [
      ...(dependsOnType ? [type] : []),
      ...(dependsOnStream ? [types] : []),
      ...(hasFunctions ? [functions.statement] : []),
      language.start,
      ...steps.map((step) => formatStep(step, from.envelope.discriminator, language)),
    ];
    const parts: { readonly [place: string]: string } = {
      BANNER: `${comment} ${createBanner()}`,
      FROM: `${from.id} ${from.version}`,
      TO: `${to.id} ${to.version}`,
      DISCRIMINATOR: formatValue(from.envelope.discriminator),
      KEY: formatValue(from.stream?.key ?? []),
      PROOF: hasFunctions ? TESTED : PROVEN,
      TYPES: hasFunctions ? functions.declareType(functionNames) : "",
      PARAMETER: hasFunctions ? functions.parameter : "",
      LAST: hasFunctions ? `, ${functions.parameter.slice(0, -2)}` : "",
      IMPORT: hasFunctions ? "Mapping, " : "",
      ARGUMENT: hasFunctions ? functions.argument : "",
      STEPS: statements.join(`\n${language.indent}`),
    };
    const content = module.replace(/\{([A-Z]+)\}/g, (place, key: string) => parts[key] ?? place);
    return { path: `${name}.${extension}`, content };
  });
}

/** Returns the statement of a step. */
function formatStep(declared: UpcastStep, discriminator: string, language: Language): string {
  const { formatValue, not } = language;
  const { types, streamsWith, streamsWithout } = declared;
  const isInStream = (names: readonly string[]): string => `matches(types, ${formatValue(names)})`;
  const step = enterList(declared);
  const conditions = [
    ...(types === undefined ? [] : [`matches([type], ${formatValue(types)})`]),
    ...(streamsWith === undefined ? [] : [isInStream(streamsWith)]),
    ...(streamsWithout === undefined ? [] : [not(isInStream(streamsWithout))]),
    ...formatValueConditions(step, language),
  ];
  return language.formatStep(conditions, formatCall(step, discriminator, language));
}

function formatValueConditions({ when = {} }: NestedStep, { formatValue }: Language): string[] {
  return Object.entries(when).map(
    ([pointer, values]) => `has(event, ${formatValue(splitPointer(pointer))}, ${formatValue(values)})`,
  );
}

function formatCall(step: NestedStep, discriminator: string, language: Language): string {
  const { formatValue } = language;
  if (step.step === "each")
    return formatNested(step, [[...splitPointer(step.list), step.selector]], discriminator, language);
  if (step.step === "deep")
    return formatNested(
      step,
      [splitPointer(step.list), step.loops.map(splitPointer)],
      discriminator,
      language,
    );
  const [name, ...values] = readStep(step).formatCall(discriminator);
  return `${name}(${["event", ...values.map(formatValue)].join(", ")})`;
}

function formatNested(
  { step: name, inner }: EachStep | DeepStep,
  values: readonly Json[],
  discriminator: string,
  language: Language,
): string {
  const changes = inner.map((each) => {
    const entered = enterList(each);
    const conditions = formatValueConditions(entered, language);
    return language.formatFunction(conditions, formatCall(entered, discriminator, language));
  });
  return `${name}(event, ${[...values.map(language.formatValue), ...changes].join(", ")})`;
}

function formatPythonValue(value: Json): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") return formatString(value);
  if (Array.isArray(value)) return `[${value.map(formatPythonValue).join(", ")}]`;
  if (!isObject(value)) return String(value);
  const members = Object.entries(value).map(
    ([key, member]) => `${formatString(key)}: ${formatPythonValue(member)}`,
  );
  return `{${members.join(", ")}}`;
}
