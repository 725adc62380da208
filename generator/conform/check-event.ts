/** Checks single events against the protocol that they belong to. */
import type { Finding, KnownFinding, Location, RuleTexts } from "../finding.js";
import { isObject, type Json, type JsonObject, joinPointer } from "../json.js";
import { didYouMean } from "../nearest.js";
import type { Protocol } from "../protocol/protocol.js";
import type { DecodeResult, Issue } from "../runtime/runtime.js";
import type { Profile } from "../schema/readings.js";
import type { Validators } from "../validators/protocol-validators.js";
import { findProtocol } from "./find-protocol.js";

/** The texts of the rules that apply to single events. */
export const EVENT_RULES = {
  "event-invalid": {
    summary: "an event does not match its schema",
    explanation:
      "With --profile reader (the default), the finding means that a consumer need not accept the event. With --profile writer, it means that a writer may not send it; undeclared fields and unknown values are refused as well. The keyword that refused the event is in brackets.",
    hint: "Correct the program that sends the event, or extend the contract.",
  },
  "event-type-unknown": {
    summary: "a writer sends an event type that is not declared",
    explanation:
      "Readers ignore event types that they do not know, so there is no finding for them. Writers send declared event types only.",
    hint: "Add a schema for the event type, or correct the name.",
  },
  "value-unlisted": {
    summary: "a writer sends a value that an open list does not have",
    explanation:
      "With --profile writer, the finding names a value that is not in `x-known-values` of its schema. Such a list is open: readers accept the value, and so does the contract. It may be misspelt, or new.",
    hint: "Correct the value, or add it to the list.",
  },
  "secret-exposed": {
    summary: "a writer sends a value that looks like a secret",
    explanation:
      "With --profile writer, the texts of valid events are searched by the detectors of `accrete redact`: for keys and tokens of services, passwords in URLs, Authorization headers and labelled secrets such as PASSWORD=…, also in escapes and base64. Everybody who reads the stream or its recordings would have the secret. The finding does not repeat it. A secret of another form is found by neither command, so no finding does not mean that there is no secret.",
    hint: "Remove secrets before an event is written; `accrete redact` removes from recordings what the same detectors find.",
  },
  "protocol-ambiguous": {
    summary: "several major versions of a protocol accept the events of an input",
    explanation:
      "The folder of an input decides which protocol its events are checked against (fixtures/orders/v1/day.jsonl: orders/v1). Without such a folder, the first events of the input decide. If both major versions accept all of these, the newest one is used.",
    hint: "Name the protocol with --protocol ID, or keep recordings in folders that are named like protocols.",
  },
  "protocol-unknown": {
    summary: "a value is not an event of any protocol",
    explanation:
      "accrete finds the protocol of an event by its fields and its event type. If an event is wrapped in another object, or is badly damaged, it cannot be checked.",
    hint: "Name the protocol with --protocol ID.",
  },
} satisfies RuleTexts;

declare module "../finding.js" {
  interface RuleIds extends Record<keyof typeof EVENT_RULES, true> {}
}

/** The result of checking one value. */
export interface CheckedEvent {
  readonly kind: "known" | "unknown" | "invalid";
  /** The id of the protocol against which the value was checked. */
  readonly protocol?: string;
  readonly findings: readonly Finding[];
}

/** The contracts against which events are checked. */
export interface EventContext {
  readonly protocols: readonly Validators[];
  readonly profile: Profile;
  /** The id of the protocol that most events before this one belong to. */
  readonly assumedId?: string | undefined;
}

/** Returns the place of a part of a value: with `name`, the place of a member's name instead of its value. */
export type Locate = (pointer: string, part?: "value" | "name") => Location;

/** Checks one value against the protocol that it belongs to. */
export function checkEvent(value: Json, context: EventContext, locate: Locate): CheckedEvent {
  const { protocols, profile, assumedId } = context;
  if (!isObject(value)) return { kind: "invalid", findings: [createNotObjectFinding(value, locate)] };
  const validators = findProtocol(value, protocols, profile, assumedId);
  if (!validators) return { kind: "invalid", findings: [createUnknownProtocolFinding(protocols, locate)] };
  const { protocol } = validators;
  const result = validators.decodeEvent(value, { profile });
  const findings = listEventFindings(protocol, profile, value, result, locate);
  return { kind: result.kind, protocol: protocol.id, findings };
}

/** Returns the findings about a value that was decoded with a profile of a protocol. */
export function listEventFindings(
  protocol: Protocol,
  profile: Profile,
  value: Json,
  result: DecodeResult<unknown, unknown>,
  locate: Locate,
): KnownFinding[] {
  if (!isObject(value)) return [createNotObjectFinding(value, locate)];
  if (result.kind === "invalid")
    return result.issues.map((issue) => createInvalidEventFinding(issue, locate));
  // Readers skip unknown types, so these are findings for writers only.
  const isUndeclared = result.kind === "unknown" && profile === "writer";
  return isUndeclared ? [createUnknownTypeFinding(protocol, value, locate)] : [];
}

/** The keywords that refuse an undeclared field. Their findings point to the name of the field. */
const UNDECLARED_NAME_KEYWORDS = new Set(["additionalProperties", "unevaluatedProperties"]);

function createInvalidEventFinding({ pointer, keyword, message }: Issue, locate: Locate): KnownFinding {
  return {
    rule: "event-invalid",
    severity: "error",
    message: `${pointer === "" ? "the event " : ""}${message} (${keyword})`,
    at: locate(pointer, UNDECLARED_NAME_KEYWORDS.has(keyword) ? "name" : "value"),
  };
}

function createUnknownTypeFinding(protocol: Protocol, value: JsonObject, locate: Locate): KnownFinding {
  const { discriminator } = protocol.envelope;
  const type = String(value[discriminator]);
  const declared = protocol.events.map((event) => event.type);
  return {
    rule: "event-type-unknown",
    severity: "error",
    message: `${protocol.id} declares no event type ${JSON.stringify(type)}${didYouMean(type, declared)}`,
    at: locate(joinPointer("", discriminator)),
  };
}

function createNotObjectFinding(value: Json, locate: Locate): KnownFinding {
  let type = `a ${typeof value}`;
  if (value === null) type = "null";
  else if (Array.isArray(value)) type = "an array";
  const message = `An event is an object, not ${type}.`;
  return { rule: "event-invalid", severity: "error", message, at: locate("") };
}

function createUnknownProtocolFinding(protocols: readonly Validators[], locate: Locate): KnownFinding {
  return {
    rule: "protocol-unknown",
    severity: "error",
    message: `Not an event of ${protocols.map(({ protocol }) => protocol.id).join(", ")}.`,
    at: locate(""),
    hint: "Name the protocol that it follows: --protocol ID.",
  };
}
