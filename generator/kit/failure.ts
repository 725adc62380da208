import type { KitProtocol } from "./kit-protocol.js";
import type { Law } from "./law.js";

/** What a broken law is reported with. */
interface Failure {
  readonly protocol: KitProtocol;
  readonly seed: number;
  readonly runs: number;
  /** The events that the consumer was fed. */
  readonly events: readonly object[];
  /** What was wrong, one sentence without a full stop. */
  readonly what: string;
}

/** The longest line of a fixture that is shown whole. */
const LONGEST = 20_000;

/** The law, what was wrong, the smallest stream that shows it, and how to see it again. */
export function failureText({ id, law }: Law, { protocol, seed, runs, events, what }: Failure): string {
  const lines = events.map((event) => {
    const line = JSON.stringify(event);
    return line.length > LONGEST ? `${line.slice(0, 200)} … (${line.length} characters)` : line;
  });
  const count = `${events.length} event${events.length === 1 ? "" : "s"}`;
  return `${id}: ${law}
${what}.

The smallest stream that shows it (${protocol.id}, ${count}), as a fixture:

${lines.join("\n")}

Seed ${seed}, ${runs} runs. To see it again: set { seed: ${seed}, runs: ${runs} } and run the one test,
  npx vitest run -t "${id}"    npx jest -t "${id}"    node --test --test-name-pattern="${id}"`;
}
