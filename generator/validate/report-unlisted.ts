import { EVENT_RULES } from "../conform/check-event.js";
import { findUnlistedValues, hasListsOpenForWriters } from "../conform/unlisted-values.js";
import type { Finding } from "../finding.js";
import type { Place } from "../ingest/place.js";
import { type Json, type JsonObject, parseJson } from "../json.js";
import { didYouMean } from "../nearest.js";
import type { Protocol } from "../protocol/protocol.js";
import { formatLiteral, joinFirst } from "../text.js";
import { locateForReport, report, type SessionState } from "./session-state.js";

/** The most known values that a message names. */
const MAX_VALUES = 8;

/** Warns of values outside of open lists in an event of a writer; `value` is undefined if the event was not parsed. */
export function reportUnlisted(
  state: SessionState,
  protocol: Protocol,
  type: string,
  place: Place,
  value?: JsonObject,
): void {
  if (state.options.profile !== "writer" || !hasListsOpenForWriters(protocol, type)) return;
  const event = value ?? parseJson(place.text()) ?? null;
  const findings = findUnlistedValues(protocol, event).map(
    ({ pointer, value: unlisted, list, known }): Finding => ({
      rule: "value-unlisted",
      severity: "warning",
      message: describe(unlisted, list, known),
      at: locateForReport(state, place, pointer),
      hint: EVENT_RULES["value-unlisted"].hint,
    }),
  );
  report(state, place, findings);
}

function describe(value: Json, list: string, known: readonly Json[]): string {
  const values = joinFirst(
    known.map((each) => formatLiteral(each)),
    MAX_VALUES,
  );
  const end = typeof value === "string" ? didYouMean(value, known.map(String)) : ".";
  return `${formatLiteral(value)} is not in the open list ${list} (${values})${end}`;
}
