// A correct consumer for any protocol: the rebuilder of test/kit/consumers in Go. The environment variable BUG names the
// bug of test/kit/bugs.ts that it has.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
)

var bug = os.Getenv("BUG")

// protocol says where the parts of an event are, and which events belong together.
var protocol = readProtocol()

func readProtocol() (p struct {
	Discriminator string
	Property      *string
	Properties    map[string]string
	Stream        struct {
		Key                []string
		Sequence, ID, Time string
	}
	Texts      []textRule
	Lifecycles []struct{ Key string }
	Fields     map[string]any
}) {
	text, err := os.ReadFile(os.Getenv("PROTOCOL"))
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	if err != nil {
		panic(err)
	}
	return p
}

type textRule struct {
	Delta, Whole, Text, Part string
	Key, Restart             []string
}

type object = map[string]any

func findStream(event object) string {
	names := []string{}
	for _, field := range protocol.Stream.Key {
		if bug == "merges all sessions" {
			event = object{}
		}
		names = append(names, fmt.Sprint(event[field]))
	}
	return strings.Join(names, "/")
}

func findType(event object) string {
	return event[protocol.Discriminator].(string)
}

func isKnown(event object) bool {
	_, ok := protocol.Fields[findType(event)]
	return ok
}

func findPayload(event object) object {
	name, ok := protocol.Properties[findType(event)]
	if !ok && protocol.Property == nil {
		return event
	}
	if !ok {
		name = *protocol.Property
	}
	payload, _ := event[name].(object)
	return payload
}

type stream struct {
	events []object
	ids    map[string]bool
	lastID string
}

// isRedelivery returns true if the event is not added again.
func (s *stream) isRedelivery(event object) bool {
	if protocol.Stream.ID == "" {
		return false
	}
	id := event[protocol.Stream.ID].(string)
	isKnown := s.ids[id]
	switch {
	case bug == "remembers only the last id":
		isKnown = id == s.lastID
	case bug == "counts redelivered starts of tools" && findType(event) == "tool_started":
		isKnown = false
	}
	s.ids[id], s.lastID = true, id
	return isKnown
}

// Timeline is the consumer.
type Timeline struct {
	keys    []string
	streams map[string]*stream
	parser  sseParser
}

// NewTimeline returns a consumer without events.
func NewTimeline() *Timeline {
	return &Timeline{streams: map[string]*stream{}}
}

// Push takes the next events of a feed. It panics if one is invalid.
func (t *Timeline) Push(events []json.RawMessage) {
	for _, text := range events {
		var event object
		if err := json.Unmarshal(text, &event); err != nil {
			panic(err)
		}
		key := findStream(event)
		s := t.streams[key]
		if s == nil {
			s = &stream{ids: map[string]bool{}}
			t.streams[key] = s
			t.keys = append(t.keys, key)
		}
		if !s.isRedelivery(event) {
			s.events = append(s.events, event)
		}
	}
}

// Ingest takes the next bytes of a feed of server-sent events.
func (t *Timeline) Ingest(more []byte) {
	t.Push(t.parser.push(more))
}

func (t *Timeline) sort(key string) []object {
	s := t.streams[key]
	if s == nil {
		return nil
	}
	events := slices.Clone(s.events)
	if protocol.Stream.Sequence != "" {
		slices.SortStableFunc(events, func(a, b object) int {
			return int(a[protocol.Stream.Sequence].(float64) - b[protocol.Stream.Sequence].(float64))
		})
	}
	isStart := func(event object) bool { return findType(event) == "session_started" }
	if bug == "waits for the start of a session" && !slices.ContainsFunc(events, isStart) {
		return nil
	}
	return events
}

type block struct {
	Whole bool   `json:"whole"`
	Text  string `json:"text"`
}

// view is what the user sees of one stream.
type view struct {
	Texts  []*block `json:"texts"`
	Calls  []*[]any `json:"calls"`
	Rest   []any    `json:"rest"`
	times  []string
	blocks map[string]*block
	calls  map[string]*[]any
	epoch  int
}

func (v *view) findBlock(name string) *block {
	if v.blocks[name] == nil {
		v.blocks[name] = &block{}
		v.Texts = append(v.Texts, v.blocks[name])
	}
	return v.blocks[name]
}

func (v *view) addToCall(name string, shown any) {
	if v.calls[name] == nil {
		v.calls[name] = &[]any{}
		v.Calls = append(v.Calls, v.calls[name])
	}
	*v.calls[name] = append(*v.calls[name], shown)
}

// joinChunk shows a chunk in one text for all calls, if that is the bug.
func (v *view) joinChunk(kind string, payload object) bool {
	chunk, hasChunk := payload["chunk"].(string)
	isJoined := (bug == "joins the outputs of parallel tools" && hasChunk) ||
		(bug == "joins the errors of parallel tools" && kind == "tool_stderr")
	if isJoined {
		v.findBlock("chunks").Text += chunk
	}
	return isJoined
}

func (v *view) addRest(event object, shown any) {
	v.Rest = append(v.Rest, shown)
	if bug != "sorts events other than texts and calls by time" {
		return
	}
	v.times = append(v.times, event[protocol.Stream.Time].(string))
	for i := len(v.Rest) - 1; i > 0 && v.times[i] < v.times[i-1]; i-- {
		v.Rest[i-1], v.Rest[i] = v.Rest[i], v.Rest[i-1]
		v.times[i-1], v.times[i] = v.times[i], v.times[i-1]
	}
}

func (v *view) pushText(rule textRule, kind string, payload object) {
	name := fmt.Sprint(rule.Whole, " ", v.epoch)
	for _, field := range rule.Key {
		name += fmt.Sprint(" ", payload[field])
	}
	b := v.findBlock(name)
	if kind == rule.Whole {
		b.Whole, b.Text = true, payload[rule.Text].(string)
	} else if !b.Whole {
		b.Text += payload[rule.Part].(string)
	}
}

// checkPayload panics where the bug expects an optional value.
func checkPayload(kind string, payload object) {
	switch {
	case bug == "expects optional references of artifacts" && kind == "tool_ended":
		_ = payload["artifact_refs"].([]any)
	case bug == "expects a list where null is allowed" && kind == "tool_use_result":
		_ = payload["ContentBlocks"].([]any)
	}
}

func findCall(payload object) (string, bool) {
	for _, rule := range protocol.Lifecycles {
		if id, ok := payload[rule.Key].(string); ok {
			return rule.Key + " " + id, true
		}
	}
	return "", false
}

func isHiddenEnd(kind string) bool {
	return (bug == "ignores that a tool failed" && kind == "tool_failed") ||
		(bug == "ignores results of tools" && kind == "tool_use_result")
}

func (v *view) push(event object) {
	kind, payload := findType(event), findPayload(event)
	checkPayload(kind, payload)
	var shown any = event
	if isKnown(event) {
		shown = object{"type": kind, "payload": payload}
	}
	if slices.ContainsFunc(protocol.Texts, func(rule textRule) bool { return slices.Contains(rule.Restart, kind) }) {
		v.epoch++
	}
	isPart := func(rule textRule) bool { return kind == rule.Delta || kind == rule.Whole }
	text := slices.IndexFunc(protocol.Texts, isPart)
	call, isCall := findCall(payload)
	switch {
	case text >= 0:
		v.pushText(protocol.Texts[text], kind, payload)
	case isHiddenEnd(kind):
	case isCall && isKnown(event):
		if !v.joinChunk(kind, payload) {
			v.addToCall(call, shown)
		}
	case kind == "usage" && bug == "adds up token counts that are totals":
		var sum float64
		b := v.findBlock("tokens")
		_, _ = fmt.Sscan(b.Text, &sum)
		b.Text = fmt.Sprint(sum + payload["Cumulative"].(object)["InputTokens"].(float64))
	default:
		v.addRest(event, shown)
	}
}

// ViewRun returns what the user sees of one stream.
func (t *Timeline) ViewRun(key string) any {
	v := &view{
		Texts: []*block{}, Calls: []*[]any{}, Rest: []any{}, blocks: map[string]*block{}, calls: map[string]*[]any{},
	}
	for _, event := range t.sort(key) {
		v.push(event)
	}
	return v
}

// Snapshot returns what the user sees.
func (t *Timeline) Snapshot() any {
	views := object{}
	for _, key := range t.keys {
		views[key] = t.ViewRun(key)
	}
	return views
}

// Opaque returns the events of unknown types.
func (t *Timeline) Opaque() any {
	opaque := []object{}
	for _, key := range t.keys {
		for _, event := range t.sort(key) {
			if !isKnown(event) {
				opaque = append(opaque, event)
			}
		}
	}
	return opaque
}
