import { formatCount, formatLiteral } from "../text.js";
import type { KitProtocol } from "./kit-protocol.js";
import type { Law } from "./law.js";
import { BrokenLaw } from "./observe.js";
import type { Failure } from "./shrink-failure.js";

/** The longest line of a fixture that is printed in full. */
const MAX_LINE = 20_000;

/** The check that failed. */
interface FailedRun {
  readonly protocol: KitProtocol;
  readonly seed: number;
  readonly runs: number;
}

/**
 * Describes the broken law, the expected and the actual snapshot, the smallest stream that shows it, and how to repeat
 * the run.
 */
export function describeFailure(law: Law, { protocol, seed, runs }: FailedRun, failure: Failure): BrokenLaw {
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
  return new BrokenLaw(
    `${title}
${error.message}${details}

The smallest stream that shows it (${protocol.id}, ${formatCount(fixture.length, "event")}), as a fixture:

${lines.join("\n")}

Seed ${seed}, ${runs} runs. To repeat it, set { seed: ${seed}, runs: ${runs} } and run the one test:
  npx vitest run -t "${law.id}"    npx jest -t "${law.id}"    node --test --test-name-pattern="${law.id}"`,
    error.law ?? law.id,
  );
}
