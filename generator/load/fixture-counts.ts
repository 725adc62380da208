import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** How many fixtures of one event type there are. */
export interface FixtureCount {
  valid: number;
  invalid: number;
  /** Streams that have an event of the type. */
  streams: number;
}

/** Counts the fixtures below `folder` by event type: `valid/TYPE/*.json`, `invalid/TYPE/*.json` and `streams/*.jsonl`. */
export function countFixtures(folder: string, discriminator: string): ReadonlyMap<string, FixtureCount> {
  const counts = new Map<string, FixtureCount>();
  const of = (type: string): FixtureCount => {
    const count = counts.get(type) ?? { valid: 0, invalid: 0, streams: 0 };
    counts.set(type, count);
    return count;
  };
  for (const kind of ["valid", "invalid"] as const)
    for (const type of namesIn(path.join(folder, kind)))
      of(type)[kind] += namesIn(path.join(folder, kind, type)).filter((name) =>
        name.endsWith(".json"),
      ).length;
  for (const name of namesIn(path.join(folder, "streams")).filter((name) => name.endsWith(".jsonl")))
    for (const type of typesIn(readFileSync(path.join(folder, "streams", name), "utf8"), discriminator))
      of(type).streams++;
  return counts;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw error;
  }
}

/** The event types of a stream. Lines that are no events are the conformance tests' to find. */
function typesIn(text: string, discriminator: string): ReadonlySet<string> {
  const types = new Set<string>();
  for (const line of text.split("\n")) {
    try {
      const type = JSON.parse(line)?.[discriminator];
      if (typeof type === "string") types.add(type);
    } catch {}
  }
  return types;
}
