import type { AssumedMajor } from "../conform/find-protocol.js";
import { findProtocolIdInPath } from "../ingest/inputs.js";
import type { Input } from "../ingest/place.js";
import type { StreamShare } from "../ingest/stream-share.js";
import type { ProtocolSession } from "./protocol-session.js";

/** The protocol that an input is assumed to follow. Invalid events are validated against it. */
export interface AssumedProtocol {
  /** The protocol of most events so far. It is final after `EVENTS_UNTIL_FINAL` known events, so that all threads agree on it. */
  readonly protocol: ProtocolSession | undefined;
  /** True if every event is validated against the protocol, because it is the only one or the folder of the input names it. */
  readonly isCertain: boolean;
  /** Counts an event of the protocol `found`. `isKnown` is true if the protocol declares the event type. */
  countEvent(found: ProtocolSession, isKnown: boolean): void;
}

/** The number of known events after which the assumption is final. */
const EVENTS_UNTIL_FINAL = 100;

/**
 * Creates an assumption. The protocol is assumed from the beginning if there is only one, if `input` is in the folder of
 * one, or if its first events follow one of several majors. Passes the key of streams to `share` as soon as the protocol is
 * final.
 */
export function assumeProtocol(
  all: readonly ProtocolSession[],
  share: StreamShare,
  input?: Input,
  major?: AssumedMajor,
): AssumedProtocol {
  const idInPath =
    input &&
    findProtocolIdInPath(
      input,
      all.map(({ id }) => id),
    );
  const certainProtocol = all.length === 1 ? all[0] : all.find(({ id }) => id === idInPath);
  const likelyProtocol = all.find(({ id }) => id === major?.id);
  const counts = new Map<ProtocolSession, number>();
  if (likelyProtocol && major) counts.set(likelyProtocol, major.count);
  let knownEvents = 0;
  let isFinal = certainProtocol !== undefined;
  const assumed = {
    protocol: certainProtocol ?? likelyProtocol,
    isCertain: isFinal,
    countEvent: (found: ProtocolSession, isKnown: boolean): void => {
      if (isFinal) return;
      const count = (counts.get(found) ?? 0) + 1;
      counts.set(found, count);
      if (assumed.protocol === undefined || count > (counts.get(assumed.protocol) ?? 0))
        assumed.protocol = found;
      if (isKnown) knownEvents++;
      if (knownEvents < EVENTS_UNTIL_FINAL) return;
      isFinal = true;
      share.setKey(assumed.protocol?.validators.protocol.stream?.key);
    },
  };
  share.setKey(certainProtocol?.validators.protocol.stream?.key);
  return assumed;
}
