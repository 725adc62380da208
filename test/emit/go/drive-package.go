package main

import (
	"encoding/json"

	events "accrete.test/PROTOCOL/go"
)

func init() {
	readers := map[string]*events.EventReader{}
	answers["PROTOCOL"] = func(request request) any {
		if request.Reader == "" {
			return decodeNAME([]byte(request.Text))
		}
		reader, ok := readers[request.Reader]
		if !ok {
			reader = &events.EventReader{Window: request.Options.Window, MaxStreams: request.Options.Streams}
			readers[request.Reader] = reader
		}
		return readNAME(reader, []byte(request.Text))
	}
}

func decodeNAME(text []byte) any {
	event, err := events.DecodeEvent(text)
	if err != nil {
		return map[string]any{"error": err.Error()}
	}
	encoded, err := events.EncodeEvent(event)
	if err != nil {
		return map[string]any{"error": "cannot encode: " + err.Error()}
	}
	marshaled, err := json.Marshal(event)
	if err != nil {
		return map[string]any{"error": "cannot marshal: " + err.Error()}
	}
	_, unknown := event.(*events.UnknownEvent)
	return map[string]any{"known": !unknown, "text": string(encoded), "marshaled": string(marshaled)}
}

func readNAME(reader *events.EventReader, text []byte) any {
	type object = map[string]any
	describeGap := func(gap events.Gap) any { return object{"after": gap.After, "before": gap.Before} }
	delivery, err := reader.Read(text)
	described := object{"kind": "invalid"}
	if err == nil {
		described = object{"kind": delivery.Kind, "stream": delivery.Stream, "sequence": delivery.Sequence}
	}
	switch delivery.Kind {
	case events.DeliveryNew:
		described["gap"] = nil
		if delivery.Gap != nil {
			described["gap"] = describeGap(*delivery.Gap)
		}
		described["evicted"] = append([]string{}, delivery.Evicted...)
	case events.DeliveryLate:
		described["cursor"], described["forgotten"] = delivery.Cursor, delivery.Forgotten
	}
	streams := object{}
	for _, key := range reader.Streams() {
		gaps := []any{}
		for _, gap := range reader.Gaps(key) {
			gaps = append(gaps, describeGap(gap))
		}
		streams[key] = []any{nil, gaps}
		if cursor, ok := reader.Cursor(key); ok {
			streams[key] = []any{cursor, gaps}
		}
	}
	return object{"delivery": described, "streams": streams}
}
