// The adapter lets `accrete kit` test a consumer: it answers JSON-RPC 2.0 requests, one JSON object a line.
package main

import (
	"encoding/json"
	"fmt"
	"os"
)

type params struct {
	Consumer, Stream string
	Events           []json.RawMessage
}

var hooks = []string{"opaque", "gaps", "cursor", "viewRun", "reconnect"} // The optional methods of Timeline.

var consumers = map[string]*Timeline{} // The consumers under test.

var methods = map[string]func(*Timeline, params) any{
	"hello":     func(*Timeline, params) any { return map[string]any{"hooks": hooks} },
	"create":    func(_ *Timeline, p params) any { consumers[p.Consumer] = NewTimeline(); return nil },
	"drop":      func(_ *Timeline, p params) any { delete(consumers, p.Consumer); return nil },
	"push":      func(t *Timeline, p params) any { t.Push(p.Events); return nil },
	"snapshot":  func(t *Timeline, _ params) any { return t.Snapshot() },
	"opaque":    func(t *Timeline, _ params) any { return t.Opaque() },
	"gaps":      func(t *Timeline, _ params) any { return t.Gaps() },
	"cursor":    func(t *Timeline, p params) any { return t.Cursor(p.Stream) },
	"viewRun":   func(t *Timeline, p params) any { return t.ViewRun(p.Stream) },
	"reconnect": func(t *Timeline, _ params) any { t.Reconnect(); return nil },
}

// answer adds a result to a response, or an error if the consumer panics.
func answer(response map[string]any, method string, p params) {
	defer func() {
		if problem := recover(); problem != nil {
			response["error"] = map[string]any{"code": -32000, "message": fmt.Sprint(problem)}
		}
	}()
	response["result"] = methods[method](consumers[p.Consumer], p)
}

func main() {
	requests, responses := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	os.Stdout = os.Stderr // fmt.Println of the consumer must not mix with the answers.
	for requests.More() {
		var request struct {
			ID     int
			Method string
			Params params
		}
		if err := requests.Decode(&request); err != nil {
			panic(err)
		}
		response := map[string]any{"jsonrpc": "2.0", "id": request.ID}
		answer(response, request.Method, request.Params)
		if err := responses.Encode(response); err != nil {
			panic(err)
		}
	}
}
