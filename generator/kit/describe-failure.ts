import { formatCount, formatLiteral } from "../text.js";
import type { KitProtocol } from "./kit-protocol.js";
import type { Law } from "./law.js";
import { BrokenLaw } from "./observe.js";
import type { Failure } from "./shrink-failure.js";

/** The longest line of a fixture that is printed in full. */
const MAX_LINE = 20_000;

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
 * Describes the broken law, the expected and the actual snapshot, the smallest stream that shows it, and how to repeat
 * the run.
 */
export function describeFailure(law: Law, lawRun: FailedRun, failure: Failure): DescribedFailure {
  const { protocol, seed, runs } = lawRun;
  const { error, fixture } = failure;
  const lines = fixture.map((event) => {
    const line = formatLiteral(event);
    return line.length > MAX_LINE
      ? `${line.slice(0, 200)} … (${formatCount(line.length, "character")})`
      : line;
  });
  const isOther = error.law !== undefined && error.law !== law.id;
  const title = isOther
    ? `${error.law} is broken. The check of ${law.id} found this, which depends on it`
    : `${law.id}: ${law.law}`;
  const details = error.details === undefined ? "." : `:\n\n${error.details}`;
  const summary = `${title}\n${error.message}${details}`;
  return new DescribedFailure(
    `${summary}

The smallest stream that shows it (${protocol.id}, ${formatCount(fixture.length, "event")}), as a fixture:

${lines.join("\n")}

Seed ${seed}, ${formatCount(runs, "run")}. ${describeRepetition(law, lawRun)}`,
    error.law ?? law.id,
    summary,
    fixture,
  );
}

function describeRepetition({ id }: Law, { seed, runs, repeatCommand }: FailedRun): string {
  if (repeatCommand !== undefined) return `To repeat it, run:\n  ${repeatCommand(id)}`;
  return `To repeat it, set { seed: ${seed}, runs: ${runs} } and run the one test:
  npx vitest run -t "${id}"    npx jest -t "${id}"    node --test --test-name-pattern="${id}"`;
}
