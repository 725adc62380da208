/** Proves for each pair of versions whether readers of the one accept the events of writers of the other. */
import { createReaderCheck, type ReaderCheck, type RefusedType } from "../compat/proof/reader-check.js";
import type { Protocol } from "../protocol/protocol.js";
import type { Fleet } from "./fleet.js";

/** The answer for the events of writers of `sent` and readers of `read`. No refused types mean that all events are accepted. */
export interface ReadingAnswer {
  readonly sent: string;
  readonly read: string;
  readonly refusedTypes: readonly RefusedType[];
}

/** The answers for all pairs of versions that may meet in a fleet. */
export interface ReadingTable {
  /** The names of the versions of which there are events, in the order of the fleet's versions. */
  readonly sent: readonly string[];
  /** The names of the versions of readers, in the same order. */
  readonly read: readonly string[];
  find(sent: string, read: string): ReadingAnswer | undefined;
}

/** Proves all pairs. `protocols` are the contracts of the versions. */
export async function proveReadings(
  { versions, components, archives }: Fleet,
  protocols: ReadonlyMap<string, Protocol>,
  findRefused: ReaderCheck = createReaderCheck(),
): Promise<ReadingTable> {
  const select = (names: ReadonlySet<string>) => [...versions.keys()].filter((name) => names.has(name));
  const listVersions = (role: "writer" | "reader") =>
    components.filter((each) => each.role === role).flatMap((each) => each.versions);
  const sent = select(new Set([...listVersions("writer"), ...archives.flatMap(({ holds }) => holds)]));
  const read = select(new Set(listVersions("reader")));
  const answers = new Map<string, ReadingAnswer>();
  for (const writer of sent)
    for (const reader of read) {
      const [from, to] = [protocols.get(writer), protocols.get(reader)];
      const refusedTypes = from === undefined || to === undefined ? [] : await findRefused(from, to);
      answers.set(`${writer}\n${reader}`, { sent: writer, read: reader, refusedTypes });
    }
  return { sent, read, find: (writer, reader) => answers.get(`${writer}\n${reader}`) };
}
