package main

import events "accrete.test/PROTOCOL/go"

func init() {
	answers["PROTOCOL"] = func(request request) any {
		checker := events.NewStreamChecker(events.Profile(request.Profile))
		checker.Reader.Window, checker.Reader.MaxStreams = request.Window, request.Streams
		found := []events.Finding{}
		for _, event := range request.Events {
			// An error is a text that is not an event.
			findings, _ := checker.Check([]byte(event))
			found = append(found, findings...)
		}
		return append(found, checker.End()...)
	}
}
