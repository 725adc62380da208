import { EVENT_RULES } from "../conform/check-event.js";
import type { Finding } from "../finding.js";
import type { Place } from "../ingest/place.js";
import type { JsonObject } from "../json.js";
import { findSecretValues, mayHoldSecrets } from "../redact/find-secrets.js";
import { findSecretNames } from "../redact/secret-names.js";
import { locateForReport, report, type SessionState } from "./session-state.js";

/** The most findings about secrets in one event. */
const MAX_SECRETS = 20;

/**
 * Warns of known forms of secrets in an event of a writer; `value` is undefined if the event was not parsed. Most events
 * cost one search of their text.
 */
export function reportSecrets(state: SessionState, place: Place, value?: JsonObject): void {
  if (state.options.profile !== "writer") return;
  if (!mayBeExposed(place, value)) return;
  const event = value ?? JSON.parse(place.text());
  const secrets = [
    ...findSecretValues(event).map(({ pointer, form }) => ({ pointer, form, subject: "The value" })),
    ...findSecretNames(event).map(({ pointer, form }) => ({ pointer, form, subject: "The name of a field" })),
  ];
  const findings = secrets.slice(0, MAX_SECRETS).map(
    ({ pointer, form, subject }): Finding => ({
      rule: "secret-exposed",
      severity: "warning",
      message: `${subject} looks like a secret (${form}).`,
      at: locateForReport(state, place, pointer),
      hint: EVENT_RULES["secret-exposed"].hint,
    }),
  );
  report(state, place, findings);
}

/** Returns whether the text of an event may hold secrets. */
function mayBeExposed(place: Place, value: JsonObject | undefined): boolean {
  // A value inside a wrapper or a list has no bytes of its own, so it is serialized again.
  if (value !== undefined && place.pointer !== "") return mayHoldSecrets(Buffer.from(JSON.stringify(value)));
  // Some readers keep no bytes of the text.
  if (place.source === undefined) return mayHoldSecrets(Buffer.from(place.text()));
  const { bytes, start, stop } = place.source;
  return mayHoldSecrets(bytes, start, stop);
}
