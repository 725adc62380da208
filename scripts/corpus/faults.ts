import { type CorpusRandom, createCorpusRandom } from "./random.js";

/** Returns the lines that replace a line. Lines added to `held` come later. */
type Fault = (line: string, random: CorpusRandom, held: string[]) => readonly string[];

/** The faults by name. */
export const FAULTS = {
  drop: () => [],
  duplicate: (line) => [line, line],
  reorder: (line, _random, held) => {
    held.push(line);
    return [];
  },
  corrupt: (line, random) => {
    const at = random.between(0, line.length - 1);
    const other = 32 + ((line.charCodeAt(at) - 32 + random.between(1, 94)) % 95);
    return [line.slice(0, at) + String.fromCharCode(other) + line.slice(at + 1)];
  },
  unknown: (line) => [line.replace(/"type":"[a-z_]+/, "$&_next")],
} as const satisfies { readonly [name: string]: Fault };

/** The name of a fault. */
export type FaultName = keyof typeof FAULTS;

/**
 * Yields `lines` with faults of the given kinds in the share `rate` of them, counted in `counts`. A reordered line comes
 * back some lines later.
 */
export function* injectFaults(
  lines: Iterable<string>,
  names: readonly FaultName[],
  seed: number,
  counts: Map<FaultName, number>,
  rate: number,
): Generator<string> {
  const random = createCorpusRandom(seed ^ 0x5eed);
  const held: string[] = [];
  for (const line of lines) {
    if (held.length > 0 && random.chance(0.1)) yield held.shift() as string;
    if (names.length === 0 || !random.chance(rate)) yield line;
    else {
      const name = random.pick(names);
      counts.set(name, (counts.get(name) ?? 0) + 1);
      yield* (FAULTS[name] as Fault)(line, random, held);
    }
  }
  yield* held;
}
