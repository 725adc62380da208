// The adapter lets `accrete kit` test a consumer: it answers JSON-RPC 2.0 requests, one JSON object a line.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
)

type request struct {
	ID     int    `json:"id"`
	Method string `json:"method"`
	Params struct {
		Consumer string            `json:"consumer"`
		Events   []json.RawMessage `json:"events"`
		Stream   string            `json:"stream"`
	} `json:"params"`
}

var consumers = map[string]*Timeline{}

func call(r request) (result any, err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("panic: %v", value)
		}
	}()
	name := r.Params.Consumer
	switch timeline := consumers[name]; {
	case r.Method == "hello":
		return map[string]any{"hooks": []string{"gaps", "cursor", "viewRun", "reconnect"}}, nil
	case r.Method == "create":
		consumers[name] = NewTimeline()
	case timeline == nil:
		return nil, fmt.Errorf("there is no consumer %q", name)
	case r.Method == "drop":
		delete(consumers, name)
	case r.Method == "push":
		for _, event := range r.Params.Events {
			if err := timeline.Push(event); err != nil {
				return nil, err
			}
		}
	case r.Method == "snapshot":
		return timeline.Snapshot(), nil
	case r.Method == "gaps":
		return timeline.Gaps(), nil
	case r.Method == "cursor":
		return timeline.Cursor(r.Params.Stream), nil
	case r.Method == "viewRun":
		return timeline.ViewRun(r.Params.Stream), nil
	case r.Method == "reconnect":
		timeline.Reconnect()
	default:
		return nil, fmt.Errorf("there is no method %q", r.Method)
	}
	return nil, nil
}

func main() {
	requests, answers := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	os.Stdout = os.Stderr // fmt.Println of the consumer must not mix with the answers.
	for {
		var r request
		if err := requests.Decode(&r); err == io.EOF {
			return
		} else if err != nil {
			log.Fatal(err)
		}
		answer := map[string]any{"jsonrpc": "2.0", "id": r.ID}
		if result, err := call(r); err != nil {
			answer["error"] = map[string]any{"code": -32000, "message": err.Error()}
		} else {
			answer["result"] = result
		}
		if err := answers.Encode(answer); err != nil {
			log.Fatal(err)
		}
	}
}
