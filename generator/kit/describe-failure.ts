import { isObject, type Json, type JsonObject, mapValues } from "../json.js";
import { streamKey } from "../stream/stream-key.js";
import { formatCount, formatLiteral } from "../text.js";
import type { KitProtocol } from "./kit-protocol.js";
import type { Law } from "./law.js";
import { BrokenLaw } from "./observe.js";
import type { Failure } from "./shrink-failure.js";

/** The longest line of a fixture that is printed in full, and the longest text in it. */
const MAX_LINE = 20_000;
const MAX_TEXT = 200;

/** A broken law with all that a report shows. */
export class DescribedFailure extends BrokenLaw {
  /** `summary` is the message without the stream; `fixture` holds the events of the stream. */
  constructor(
    message: string,
    law: string,
    readonly summary: string,
    readonly fixture: readonly object[],
  ) {
    super(message, law);
  }
}

/** The check that failed. */
interface FailedRun {
  readonly repeatCommand?: (law: string) => string;
  readonly protocol: KitProtocol;
  readonly seed: number;
  readonly runs: number;
}

/**
 * Describes what happened, the expected and the actual snapshot, the smallest stream that shows it, how to look at it, and how
 * to repeat the run.
 */
export function describeFailure(law: Law, lawRun: FailedRun, failure: Failure): DescribedFailure {
  const { protocol, seed, runs } = lawRun;
  const { error, fixture } = failure;
  const lines = fixture.map((event) => {
    const line = formatLiteral(foldTexts(event as Json));
    return line.length > MAX_LINE
      ? `${line.slice(0, 200)} … (${formatCount(line.length, "character")})`
      : line;
  });
  const isOther = error.law !== undefined && error.law !== law.id;
  const title = isOther
    ? `${error.law} is broken. The check of ${law.id} found this, which depends on it\n`
    : `${law.id}: `;
  const details = error.details === undefined ? "." : `:\n\n${error.details}`;
  const summary = `${title}${error.message}${details}`;
  return new DescribedFailure(
    `${summary}

The smallest stream that shows it (${protocol.id}, ${formatCount(fixture.length, "event")}), as a fixture:

${lines.join("\n")}
${describeAddress(protocol, law, fixture)}
The law ${law.id}: ${law.law}

Seed ${seed}, ${formatCount(runs, "run")}. ${describeRepetition(law, lawRun)}`,
    error.law ?? law.id,
    summary,
    fixture,
  );
}

/** Shortens the texts in an event, because a text of a megabyte hides everything else. */
function foldTexts(value: Json): Json {
  if (typeof value === "string" && value.length > MAX_TEXT)
    return `${value.slice(0, MAX_TEXT / 2)} … (${formatCount(value.length, "character")})`;
  if (Array.isArray(value)) return value.map(foldTexts);
  return isObject(value) ? mapValues(value, foldTexts) : value;
}

/** Says how to look at a stream: the command, and the address of its last event on the page. Events without streams have none. */
function describeAddress({ id, stream }: KitProtocol, law: Law, fixture: readonly object[]): string {
  const last = fixture.at(-1);
  if (stream === undefined || last === undefined) return "";
  const run = streamKey(stream, last);
  const number = stream.sequence === undefined ? undefined : (last as JsonObject)[stream.sequence];
  const position = fixture.filter((event) => streamKey(stream, event) === run).length - 1;
  const address = [id, run, String(number ?? position)].map(encodeURIComponent).join("/");
  return `
To look at it, save these lines as ${law.id}.jsonl, run \`accrete serve ${law.id}.jsonl\`, and open
  http://127.0.0.1:4780/#/${address}
`;
}

function describeRepetition({ id }: Law, { seed, runs, repeatCommand }: FailedRun): string {
  if (repeatCommand !== undefined) return `To repeat it, run:\n  ${repeatCommand(id)}`;
  return `To repeat it, set { seed: ${seed}, runs: ${runs} } and run the one test:
  npx vitest run -t "${id}"    npx jest -t "${id}"    node --test --test-name-pattern="${id}"`;
}
