/** Formats the part of the Go package that reads events. It depends only on names and on the place of the payload. */

import { findPayloadCarrier } from "../../protocol/message-layout.js";
import type { Envelope, EventType } from "../../protocol/protocol.js";
import { formatGoString } from "./text.js";

/** An event type and the Go names of its payload's type and its constant. */
interface GoEvent {
  readonly event: EventType;
  readonly payload: string;
  readonly constant: string;
}

/** Returns Go source with `DecodeEvent` and the types and functions that it needs. */
export function formatGoDecode(envelope: Envelope, events: readonly GoEvent[]): string {
  return [TYPES, formatDecodeEvent(envelope), OR_NULL, formatNewPayload(envelope, events)].join("\n\n");
}

function formatDecodeEvent({ discriminator, placement, property }: Envelope): string {
  const unknownPayload = property === undefined ? "data" : `fields[${formatGoString(property)}]`;
  // An event type without a payload member is decoded from an empty object, unless the payload is the event itself.
  const body = placement === "inline" ? "data" : '"{}"';
  return `// DecodeEvent reads one event. An event of a type that this version does not know has an *UnknownPayload. Fields that no
// type declares are in Raw only; values are not validated beyond their Go types.
func DecodeEvent(data []byte) (Event, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return Event{}, err
	}
	var eventType *EventType
	if err := json.Unmarshal(orNull(fields[${formatGoString(discriminator)}]), &eventType); err != nil {
		return Event{}, err
	}
	if eventType == nil {
		return Event{}, errors.New("the event has no type in " + ${formatGoString(JSON.stringify(discriminator))})
	}
	event := Event{Type: *eventType, Raw: append(json.RawMessage(nil), data...)}
	if err := json.Unmarshal(data, &event.Envelope); err != nil {
		return Event{}, fmt.Errorf("%s: %w", event.Type, err)
	}
	payload, property := newPayload(event.Type)
	if payload == nil {
		event.Payload = &UnknownPayload{Type: event.Type, Raw: append(json.RawMessage(nil), ${unknownPayload}...)}
		return event, nil
	}
	body := json.RawMessage(${body})
	if property != "" {
		body = fields[property]
		if len(body) == 0 || body[0] != '{' {
			return Event{}, fmt.Errorf("%s: the payload in %q is not an object", event.Type, property)
		}
	}
	if err := json.Unmarshal(body, payload); err != nil {
		return Event{}, fmt.Errorf("%s: %w", event.Type, err)
	}
	event.Payload = payload
	return event, nil
}`;
}

const OR_NULL = `func orNull(value json.RawMessage) json.RawMessage {
	if value == nil {
		return json.RawMessage("null")
	}
	return value
}`;

function formatNewPayload(envelope: Envelope, events: readonly GoEvent[]): string {
  const cases = events.map(
    ({ event, payload, constant }) =>
      `\tcase ${constant}:\n\t\treturn new(${payload}), ${formatGoString(findPayloadCarrier(envelope, event) ?? "")}\n`,
  );
  const choice = cases.length === 0 ? "" : `\tswitch eventType {\n${cases.join("")}\t}\n`;
  return `// newPayload makes an empty payload and names the field that it stands in; nil for an unknown type.
func newPayload(eventType EventType) (Payload, string) {
${choice}	return nil, ""
}`;
}

const TYPES = `// Event is an event that was read.
type Event struct {
	// Type is the event's type, known or not.
	Type EventType

	// Envelope holds the fields around the payload.
	Envelope Envelope

	// Payload points to the payload's struct, or to an UnknownPayload.
	Payload Payload

	// Raw is the event as it was received.
	Raw json.RawMessage
}

// Payload is the payload of an event. Use a type switch to find its type.
type Payload interface {
	EventType() EventType
}

// UnknownPayload is the payload of an event of a type that this version does not know.
type UnknownPayload struct {
	Type EventType
	Raw  json.RawMessage
}

// EventType is the type of the event, unknown to this version.
func (payload *UnknownPayload) EventType() EventType { return payload.Type }`;
