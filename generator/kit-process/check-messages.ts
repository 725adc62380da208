import { readFileSync } from "node:fs";
import { getItem } from "../get-item.js";
import { EXIT, type ExitCode, type Io } from "../io.js";
import { isObject, type Json, type JsonObject } from "../json.js";
import { HOOKS, type Hook } from "../kit/adapter.js";
import { coverTypes } from "../kit/coverage.js";
import type { KitProtocol } from "../kit/kit-protocol.js";
import { prepareContext } from "../kit/scenarios.js";
import { createDocumentCheck } from "../load/document-check.js";
import { streamKey } from "../stream/stream-key.js";
import { formatLiteral, getErrorMessage, sanitizeLine } from "../text.js";
import { type Connection, openConnection } from "./connection.js";
import { ErrorAnswer } from "./pending-requests.js";
import type { AdapterAccess } from "./transport.js";

/** A request, and the kind of its answer. */
interface Step {
  readonly method: string;
  readonly params: JsonObject;
  /** True if the answer must be an error. */
  readonly isRefused?: true;
}

const SCHEMA: JsonObject = JSON.parse(
  readFileSync(new URL("../kit-process/messages.schema.json", import.meta.url), "utf8"),
);

/** The number of events that the adapter receives. */
const EVENTS = 3;

/** The maximum number of characters of a message that are printed. */
const MAX_PRINTED = 300;

/**
 * Sends a request of each kind to an adapter, and prints the requests with their answers. Returns 2 if an answer violates
 * the schema of the messages.
 */
export async function checkMessages(access: AdapterAccess, protocol: KitProtocol, io: Io): Promise<ExitCode> {
  const connection = openConnection(access);
  try {
    const greeting: Step = { method: "hello", params: { protocol: protocol.id, version: 1 } };
    const [first] = await sendSteps(connection, [greeting], io);
    if (first?.fault !== undefined) return EXIT.usage;
    const answers = await sendSteps(connection, listSteps(protocol, readHooks(first?.result)), io);
    if (answers.some(({ fault }) => fault !== undefined)) return EXIT.usage;
    // An answer that no request waits for ends the connection.
    const fault = connection.fault();
    if (fault !== undefined) {
      io.stdout(`   wrong: ${sanitizeLine(fault.message)}.\n`);
      return EXIT.usage;
    }
    io.stdout(`The adapter answers ${answers.length + 1} of ${answers.length + 1} requests as it must.\n`);
    return EXIT.ok;
  } finally {
    connection.close();
  }
}

function readHooks(result: Json | undefined): readonly Hook[] {
  const hooks = isObject(result) && Array.isArray(result.hooks) ? result.hooks : [];
  return HOOKS.filter((hook) => hooks.includes(hook));
}

/** Returns the requests after hello: two consumers, every method, a consumer that does not exist, and an unknown method. */
function listSteps(protocol: KitProtocol, hooks: readonly Hook[]): Step[] {
  const context = prepareContext(protocol, protocol.schemas, "writer");
  const [sample] = coverTypes(context, { endsStreams: true, allowsGaps: true, streams: 1 }, "all");
  const events = (sample?.events ?? []).slice(0, EVENTS);
  const [event = {}] = events;
  const stream = streamKey(protocol.stream, event);
  const bytes = Buffer.from(`data: ${JSON.stringify(event)}\n\n`).toString("base64");
  const params: { readonly [hook in Hook]?: JsonObject } = {
    cursor: { stream },
    viewRun: { stream },
    ingest: { bytes },
  };
  return [
    { method: "create", params: { consumer: "c1" } },
    { method: "create", params: { consumer: "c2" } },
    { method: "push", params: { consumer: "c1", events } },
    { method: "snapshot", params: { consumer: "c1" } },
    { method: "snapshot", params: { consumer: "c2" } },
    ...hooks.map((hook): Step => ({ method: hook, params: { consumer: "c1", ...params[hook] } })),
    { method: "snapshot", params: { consumer: "missing" }, isRefused: true },
    { method: "unknownMethod", params: { consumer: "c1" }, isRefused: true },
    { method: "drop", params: { consumer: "c1" } },
    { method: "drop", params: { consumer: "c2" } },
  ];
}

/** The answer to a step, and the description of its fault, if it has one. */
interface CheckedAnswer {
  readonly result?: Json;
  readonly fault?: string;
}

/** Sends requests at once. Prints each with its answer, up to the first one that has none. */
async function sendSteps(
  connection: Connection,
  steps: readonly Step[],
  io: Pick<Io, "stdout">,
): Promise<CheckedAnswer[]> {
  const sent = steps.map(({ method, params }) => connection.request(method, JSON.stringify(params)));
  for (const answer of sent) answer.catch(() => {});
  connection.flush();
  const answers: CheckedAnswer[] = [];
  for (const [index, step] of steps.entries()) {
    io.stdout(`-> ${step.method} ${shorten(step.params)}\n`);
    const { answer, isLast, ...checked } = await checkAnswer(step, getItem(sent, index));
    io.stdout(`<- ${answer}\n`);
    if (checked.fault !== undefined) io.stdout(`   wrong: ${sanitizeLine(checked.fault)}.\n`);
    answers.push(checked);
    if (isLast) break;
  }
  return answers;
}

/** Waits for an answer. `isLast` is set if the adapter gives no further one. */
async function checkAnswer(
  { method, isRefused }: Step,
  sent: Promise<Json>,
): Promise<CheckedAnswer & { readonly answer: string; readonly isLast?: true }> {
  try {
    const result = await sent;
    const fault = isRefused
      ? "The answer must be an error: there is no such consumer or method"
      : findResultFault(method, result);
    return { result, answer: shorten(result), ...(fault !== undefined && { fault }) };
  } catch (error) {
    const message = getErrorMessage(error);
    if (!(error instanceof ErrorAnswer)) return { fault: message, answer: "no answer", isLast: true };
    const answer = `error ${error.code}: ${sanitizeLine(message)}`;
    return isRefused ? { answer } : { answer, fault: "The answer must be a result" };
  }
}

function findResultFault(method: string, result: Json): string | undefined {
  const { $defs } = SCHEMA;
  const check = createDocumentCheck({ $ref: `#/$defs/results/$defs/${method}`, ...($defs && { $defs }) });
  const [error] = check(result).errors;
  return (
    error && `The result${error.instancePath === "" ? "" : ` at ${error.instancePath}`} ${error.message}`
  );
}

function shorten(value: Json): string {
  const text = formatLiteral(value);
  return text.length <= MAX_PRINTED ? text : `${text.slice(0, MAX_PRINTED)}… (${text.length} characters)`;
}
