/** Proves for each version of a writer and each version of a reader whether the reader accepts all events of the writer. */
import { type ContainmentCache, createContainmentCache } from "../compat/proof/readings.js";
import type { Protocol } from "../protocol/protocol.js";
import { createRefusalSearch, type RefusedEvents } from "./find-refused-events.js";
import type { Fleet } from "./fleet.js";

/** The answer for the events of writers of `sent` and readers of `read`. No refused events mean that all are accepted. */
export interface ReadingAnswer {
  readonly sent: string;
  readonly read: string;
  readonly refused: readonly RefusedEvents[];
}

/** The answers for all pairs of versions that may meet in a fleet. */
export interface ReadingTable {
  /** The names of the versions of which there are events, in the order of the fleet's versions. */
  readonly sent: readonly string[];
  /** The names of the versions of readers, in the same order. */
  readonly read: readonly string[];
  /** True if a reader carries events over to its contract. Their stream rules are not compared. */
  readonly hasUpcasts: boolean;
  find(sent: string, read: string): ReadingAnswer | undefined;
}

/** Proves all pairs. `protocols` are the contracts of the versions. After the time limit of `cache`, nothing is proven. */
export async function proveReadings(
  { versions, readings, components, archives }: Fleet,
  protocols: ReadonlyMap<string, Protocol>,
  cache: ContainmentCache = createContainmentCache(),
): Promise<ReadingTable> {
  const listVersions = (role: "writer" | "reader") =>
    components.filter((each) => each.role === role).flatMap((each) => each.versions);
  const events = new Set([...listVersions("writer"), ...archives.flatMap(({ holds }) => holds)]);
  const names = [...versions.keys()];
  const sent = names.filter((name) => events.has(name));
  const read = [...readings.keys()].sort(
    (a, b) => names.indexOf(readings.get(a)?.version ?? "") - names.indexOf(readings.get(b)?.version ?? ""),
  );
  const findRefusedEvents = createRefusalSearch(cache);
  const answers = new Map<string, ReadingAnswer>();
  for (const from of sent)
    for (const [name, { version, isStrict, upcasts }] of readings) {
      const [writer, reader] = [protocols.get(from), protocols.get(version)];
      const isCarriedOver = upcasts.includes(from);
      const refused =
        writer === undefined || reader === undefined
          ? []
          : await findRefusedEvents({ writer, reader, isStrict, isCarriedOver });
      answers.set(`${from}\n${name}`, { sent: from, read: name, refused });
    }
  const hasUpcasts = [...readings.values()].some(({ upcasts }) => upcasts.length > 0);
  return { sent, read, hasUpcasts, find: (writer, reader) => answers.get(`${writer}\n${reader}`) };
}
