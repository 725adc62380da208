package main

import (
	"encoding/json"
	"errors"

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
			for stream, cursor := range request.Options.Cursors {
				reader.Resume(stream, cursor)
			}
			readers[request.Reader] = reader
		}
		if request.Forget != nil {
			reader.Forget(*request.Forget)
			return map[string]any{"delivery": nil, "streams": describeStreamsNAME(reader)}
		}
		return readNAME(reader, request)
	}
}

func decodeNAME(text []byte) any {
	event, err := events.DecodeEvent(text)
	if err != nil {
		issues := [][]string{}
		var decodeError *events.DecodeError
		if errors.As(err, &decodeError) {
			for _, issue := range decodeError.Issues {
				issues = append(issues, []string{issue.Pointer, issue.Keyword})
			}
		}
		return map[string]any{"error": err.Error(), "issues": issues}
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

func describeGapNAME(gap events.Gap) any {
	return map[string]any{"after": gap.After, "before": gap.Before}
}

func readNAME(reader *events.EventReader, request request) any {
	delivery, err := reader.ReadWithID([]byte(request.Text), request.ID)
	described := map[string]any{"kind": "invalid"}
	if err == nil {
		described = map[string]any{"kind": delivery.Kind, "stream": delivery.Stream, "sequence": delivery.Sequence}
	}
	switch delivery.Kind {
	case events.DeliveryNew:
		described["gap"] = nil
		if delivery.Gap != nil {
			described["gap"] = describeGapNAME(*delivery.Gap)
		}
		described["evicted"] = append([]string{}, delivery.Evicted...)
	case events.DeliveryLate:
		described["cursor"], described["forgotten"] = delivery.Cursor, delivery.Forgotten
	}
	return map[string]any{"delivery": described, "streams": describeStreamsNAME(reader)}
}

func describeStreamsNAME(reader *events.EventReader) any {
	streams := map[string]any{}
	for _, key := range reader.Streams() {
		gaps := []any{}
		for _, gap := range reader.Gaps(key) {
			gaps = append(gaps, describeGapNAME(gap))
		}
		streams[key] = []any{nil, gaps}
		if cursor, ok := reader.Cursor(key); ok {
			streams[key] = []any{cursor, gaps}
		}
	}
	return streams
}
