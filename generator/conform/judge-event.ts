import type { Finding, KnownFinding, Location } from "../finding.js";
import { isObject, type Json, join } from "../json.js";
import { didYouMean } from "../nearest.js";
import type { Issue } from "../runtime/runtime.js";
import type { Profile } from "../schema/readings.js";
import type { Validators } from "../validators/protocol-validators.js";
import { findProtocol, typeName } from "./find-protocol.js";

/** What one value of a file turned out to be. */
export interface Verdict {
  readonly kind: "known" | "unknown" | "invalid";
  /** The id of the protocol that it was judged by. */
  readonly protocol?: string;
  readonly findings: readonly Finding[];
}

/** What an event is judged by. */
export interface Judging {
  readonly protocols: readonly Validators[];
  readonly profile: Profile;
  /** The id of the protocol that most events before this one belong to. */
  readonly home?: string | undefined;
}

/** Where a value's parts stand; `name` asks for a member's name instead of its value. */
export type Locate = (pointer: string, part?: "value" | "name") => Location;

/** Judges one value by the protocol that it belongs to. */
export function judgeEvent(value: Json, { protocols, profile, home }: Judging, locate: Locate): Verdict {
  if (!isObject(value)) return { kind: "invalid", findings: [noObject(value, locate)] };
  const found = findProtocol(value, protocols, profile, home);
  if (!found) return { kind: "invalid", findings: [protocolUnknown(protocols, locate)] };
  const protocol = found.protocol.id;
  const result = found.decodeEvent(value, { profile });
  switch (result.kind) {
    case "known":
      return { kind: "known", protocol, findings: [] };
    case "unknown":
      return {
        kind: "unknown",
        protocol,
        findings: profile === "writer" ? [typeUnknown(found, value, locate)] : [],
      };
    case "invalid":
      return {
        kind: "invalid",
        protocol,
        findings: result.issues.map((issue) => eventInvalid(issue, locate)),
      };
  }
}

const UNDECLARED = new Set(["additionalProperties", "unevaluatedProperties"]);

function eventInvalid({ pointer, keyword, message }: Issue, locate: Locate): KnownFinding {
  return {
    rule: "event-invalid",
    severity: "error",
    message: `${pointer === "" ? "the event " : ""}${message} (${keyword})`,
    at: locate(pointer, UNDECLARED.has(keyword) ? "name" : "value"),
  };
}

/** Reports an undeclared event type to the writer profile. Readers must skip unknown types, so they get no finding. */
function typeUnknown(
  { protocol }: Validators,
  value: { readonly [name: string]: Json },
  locate: Locate,
): KnownFinding {
  const { discriminator } = protocol.envelope;
  const type = String(value[discriminator]);
  const known = protocol.events.map((event) => event.type);
  return {
    rule: "event-type-unknown",
    severity: "error",
    message: `${protocol.id} declares no event type ${JSON.stringify(type)}${didYouMean(type, known)}`,
    at: locate(join("", discriminator)),
  };
}

function noObject(value: Json, locate: Locate): KnownFinding {
  const message = `An event is an object, not ${typeName(value)}.`;
  return { rule: "event-invalid", severity: "error", message, at: locate("") };
}

function protocolUnknown(protocols: readonly Validators[], locate: Locate): KnownFinding {
  return {
    rule: "protocol-unknown",
    severity: "error",
    message: `The value is not an event of ${protocols.map(({ protocol }) => protocol.id).join(", ")}.`,
    at: locate(""),
    hint: "Say which protocol it should follow: --protocol ID.",
  };
}
