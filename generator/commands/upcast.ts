import path from "node:path";
import { pathToFileURL } from "node:url";
import { Option } from "commander";
import type { TimeLimit } from "../compat/proof/time-limit.js";
import { UsageError } from "../failure.js";
import { getItem } from "../get-item.js";
import { EXIT, type ExitCode, type Io } from "../io.js";
import { openBaseline } from "../load/baseline/baseline.js";
import { BaselineError, parseBaseline } from "../load/baseline/baseline-spec.js";
import { listIdsBetween, loadValidProtocols } from "../load/load-protocols.js";
import type { Protocol } from "../protocol/protocol.js";
import { compareVersions } from "../protocol/version.js";
import { REPORTERS } from "../report/report.js";
import { formatCount, getErrorMessage, sanitizeText } from "../text.js";
import { emitUpcast } from "../upcast/emit-upcast.js";
import { composePlans, type Link, planLinks } from "../upcast/plan-chain.js";
import type { UpcastPlan } from "../upcast/plan-upcast.js";
import type { CallFunction } from "../upcast/steps/step-kind.js";
import { type UpcastRecordings, upcastRecordings } from "../upcast/upcast-recordings.js";
import { emitUpcastViews } from "../upcast/upcast-view.js";
import { createValidators } from "../validators/protocol-validators.js";
import type { CommandEntry } from "./command.js";
import { limitTime, timeLimitOption } from "./limit-time.js";
import { parseNonEmpty, readOptionalText, readText, schemasOrBundledOption } from "./options.js";
import { readRecordings, recordingsOutOption, writeFiles, writeRecordings } from "./recordings.js";

interface UpcastOptions {
  /** The names of the earlier and the later version, and the recordings. */
  readonly operands: readonly string[];
  readonly schemas: string;
  /** The folder for recordings, or for the modules of the plan; without it, one recording is printed. */
  readonly out: string | undefined;
  /** The form of the report about a plan. */
  readonly format: "text" | "json";
  /** The file with the functions of the plan. */
  readonly functions: string | undefined;
  readonly timeLimit: TimeLimit;
}

async function runUpcast(
  { operands, schemas, out, format, functions, timeLimit }: UpcastOptions,
  io: Io,
): Promise<number> {
  const [fromName, toName, ...files] = operands;
  if (fromName === undefined || toName === undefined)
    throw new UsageError("Name two versions of a protocol: upcast FROM TO.");
  if (fromName === toName && files.length === 0)
    throw new UsageError(
      `${fromName} is named twice, and one version needs no plan. Name an earlier and a later version.`,
    );
  const versions = await loadVersions(fromName, toName, schemas);
  if (format === "json" && files.length > 0)
    throw new UsageError("--format json prints a plan; name no recordings.");
  const links = planLinks(versions, fromName.includes("@"));
  const task = { ...createTask(links, out), callFunction: await loadFunctions(functions) };
  return files.length === 0
    ? reportPlan(task, links, { format, timeLimit }, io)
    : task.plan.gaps.length > 0
      ? refuseFiles(task.plan, io)
      : upcastFiles({ ...task, files }, io);
}

/** Two versions, the plan between them, and the folder to write to. */
interface UpcastTask {
  readonly from: Protocol;
  readonly to: Protocol;
  readonly plan: UpcastPlan;
  readonly out: string | undefined;
  readonly callFunction?: CallFunction | undefined;
}

function createTask(links: readonly Link[], out: string | undefined): UpcastTask {
  const { from } = getItem(links, 0);
  const { to } = getItem(links, links.length - 1);
  return { from, to, plan: composePlans(links), out };
}

/**
 * Loads two versions, each the current one (`orders/v1`) or a release (`orders/v1@1.2`), and the current ones of the major
 * versions between them, unless the later version states how events of the earlier one become its own.
 */
async function loadVersions(fromName: string, toName: string, schemas: string): Promise<readonly Protocol[]> {
  const names = [fromName, toName].map((name) => name.split("@"));
  const ids = names.map(([id = ""]) => id);
  const protocols = await loadValidProtocols(schemas, ids, { examples: false });
  const load = async ([id = "", version]: readonly string[]): Promise<Protocol> => {
    const current = protocols.find((protocol) => protocol.id === id);
    if (current === undefined) throw new UsageError(`${id} cannot be loaded.`);
    if (version === undefined) return current;
    const { protocol } = await openRelease(version, id, schemas);
    // Releases do not hold the declared steps.
    return current.upcasts === undefined ? protocol : { ...protocol, upcasts: current.upcasts };
  };
  const [from, to] = [await load(names[0] ?? []), await load(names[1] ?? [])];
  if (from.name !== to.name)
    throw new UsageError(`${fromName} and ${toName} are not versions of one protocol.`);
  const [earlier, later] = compareVersions(from.version, to.version) <= 0 ? [from, to] : [to, from];
  const isDirect = later.upcasts?.some((each) => each.from === earlier.major) ?? false;
  const idsBetween = isDirect ? [] : listIdsBetween(schemas, earlier, later);
  const between =
    idsBetween.length === 0 ? [] : await loadValidProtocols(schemas, idsBetween, { examples: false });
  const sorted = [earlier, ...[...between].sort((a, b) => a.major - b.major), later];
  return earlier === from ? sorted : sorted.reverse();
}

/** Loads a release. A release that cannot be loaded is a usage error. */
async function openRelease(version: string, id: string, schemas: string) {
  try {
    return await openBaseline(parseBaseline(`release:${version}`), id, schemas);
  } catch (error) {
    if (error instanceof BaselineError) throw new UsageError(error.message);
    throw error;
  }
}

/** Loads the functions of a file, which runs its code. No code runs without this file, whatever a protocol states. */
async function loadFunctions(file: string | undefined): Promise<CallFunction | undefined> {
  if (file === undefined) return undefined;
  const { createFunctionCaller } = await import("../upcast/user-functions.js");
  try {
    return createFunctionCaller(await import(/* @vite-ignore */ pathToFileURL(path.resolve(file)).href));
  } catch (error) {
    throw new UsageError(`${file} cannot be loaded: ${getErrorMessage(error)}`);
  }
}

/** Prints a plan with its certificate. */
async function reportPlan(
  { from, to, plan, out, callFunction }: UpcastTask,
  links: readonly Link[],
  { format, timeLimit }: Pick<UpcastOptions, "format" | "timeLimit">,
  io: Io,
): Promise<number> {
  // The proof engine takes longer to load than most commands need to run.
  const [{ createContainmentCache }, { describeLinks }] = await Promise.all([
    import("../compat/proof/readings.js"),
    import("../upcast/describe-plan.js"),
  ]);
  const cache = createContainmentCache(timeLimit);
  const { verdict, text, data } = await describeLinks(links, { callFunction, cache });
  io.stdout(format === "json" ? `${JSON.stringify(data, null, 2)}\n` : text);
  const isWritten = verdict === "proven" || verdict === "tested";
  if (out !== undefined && isWritten) writeModules({ from, to, plan, out }, io);
  else if (out !== undefined) io.stderr("nothing was written, because the plan is not proven\n");
  return EXIT_CODES[verdict];
}

/** Writes the plan as modules, and as views if SQL can say it. */
function writeModules({ from, to, plan, out = "" }: UpcastTask, io: Io): void {
  const question = { from, to, steps: plan.steps.map(({ step }) => step) };
  const views = emitUpcastViews(question);
  const files = [
    ...emitUpcast(question),
    ...views.flatMap((view) => (view.kind === "file" ? [view.file] : [])),
  ];
  writeFiles(out, files, io);
  for (const { path: name } of files) io.stderr(`wrote ${sanitizeText(path.join(out, name))}\n`);
  for (const view of views)
    if (view.kind === "impossible")
      io.stderr(`no view for ${view.title} was written: ${sanitizeText(view.reason)}\n`);
}

/** The exit code of each answer about a plan. */
const EXIT_CODES = {
  proven: EXIT.ok,
  tested: EXIT.ok,
  impossible: EXIT.findings,
  incomplete: EXIT.findings,
  undecided: 3,
} as const;

/** Prints why no recording is carried over with a plan that leaves statements out. */
async function refuseFiles({ gaps }: UpcastPlan, io: Io): Promise<ExitCode> {
  const { describeGap } = await import("../upcast/describe-plan.js");
  io.stdout(gaps.map((gap) => `${sanitizeText(describeGap(gap))}\n`).join(""));
  io.stderr(`${formatCount(gaps.length, "statement")} without a step; nothing was written\n`);
  return EXIT.findings;
}

async function upcastFiles(
  { from, to, plan, out, callFunction, files }: UpcastTask & { readonly files: readonly string[] },
  io: Io,
): Promise<ExitCode> {
  const migration = {
    from: createValidators(from),
    to: createValidators(to),
    steps: plan.steps.map(({ step }) => step),
    callFunction,
  };
  const recordings = await readRecordings(files, [migration.from], out);
  const result = upcastRecordings(recordings, migration);
  if (result.findings.length > 0) {
    const summary = {
      text: `${formatCount(result.findings.length, "error")}; nothing was written`,
      data: {},
    };
    io.stdout(REPORTERS.text(result.findings, { color: io.colors, summary }));
    return EXIT.findings;
  }
  writeRecordings(recordings, result.texts, out, io);
  io.stderr(summarizeUpcast(result, to));
  return EXIT.ok;
}

function summarizeUpcast({ events, unknownTypes }: UpcastRecordings, { id }: Protocol): string {
  const total = `${formatCount(events, "event")} carried over to ${id}\n`;
  if (unknownTypes.length === 0) return total;
  return `${total}${id} does not declare ${unknownTypes.map(sanitizeText).join(", ")}; these payloads are kept as they are\n`;
}

/** `accrete upcast`. */
export const upcastCommand: CommandEntry = {
  name: "upcast",
  summary: "plan how old events become new ones, and carry recordings over",
  operands: {
    syntax: "<operands...>",
    description:
      "the earlier version, the later version, and recordings; a version is the current one (orders/v1) or a release (orders/v1@1.2)",
  },
  writes: "with --out",
  options: [
    recordingsOutOption,
    schemasOrBundledOption,
    new Option(
      "--functions <file>",
      "a JavaScript module with the functions of the plan, which runs",
    ).argParser(parseNonEmpty),
    timeLimitOption,
    new Option("--format <format>", "how the plan is printed").choices(["text", "json"]).default("text"),
  ],
  examples: [
    ["upcast orders/v1 orders/v2", "the plan, and the proof that it carries every event over"],
    ["upcast orders/v1 orders/v2 --format json", "the same as JSON, with what becomes of each value"],
    ["upcast orders/v1 orders/v2 day.jsonl > new.jsonl", "one recording"],
    [
      "upcast orders/v1 orders/v2 --out upcasts",
      "the plan as TypeScript, Python and views for DuckDB, PostgreSQL and Spark, if it is proven",
    ],
    [
      "upcast orders/v1 orders/v2 archive/*.jsonl --out archive-v2",
      "several; a stream may continue in the next file",
    ],
  ],
  exits:
    "0 carried over, proven or tested, 1 an event cannot be carried over or a statement is not carried out, and nothing was written, 2 wrong usage or unreadable input, 3 undecided.",
  run: (operands, options, io) =>
    limitTime(options, io, (timeLimit, printer) =>
      runUpcast(
        {
          operands,
          schemas: readText(options, "schemas"),
          out: readOptionalText(options, "out"),
          format: options.format === "json" ? "json" : "text",
          functions: readOptionalText(options, "functions"),
          timeLimit,
        },
        printer,
      ),
    ),
};
