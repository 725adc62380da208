package main

import (
	"encoding/json"

	// npx accrete-cli generate --emit go
	hecatev1 "example.com/timeline/generated/hecate/v1/go"
)

// Timeline is a small consumer of hecate events: it shows texts in full, and a line for every other event.
type Timeline struct {
	reader hecatev1.EventReader
	keys   []string
	runs   map[string]*run
	opaque []json.RawMessage
}

type run struct {
	items  []*item
	blocks map[blockKey]*item
	epoch  int
}

type item struct {
	Type string         `json:"type"`
	Text string         `json:"text,omitempty"`
	Done bool           `json:"done,omitempty"`
	IDs  map[string]any `json:"ids,omitempty"`
}

// The numbers of blocks begin again with each epoch.
type blockKey struct {
	epoch       int
	turn, block int64
}

// NewTimeline returns a consumer without events.
func NewTimeline() *Timeline {
	return &Timeline{runs: map[string]*run{}, opaque: []json.RawMessage{}}
}

// Push takes the next events of a feed. It panics if one is invalid.
func (t *Timeline) Push(events []json.RawMessage) {
	for _, text := range events {
		delivery, err := t.reader.Read(text)
		if err != nil {
			panic(err)
		}
		switch delivery.Kind {
		case hecatev1.DeliveryNew, hecatev1.DeliveryLate:
			t.show(delivery, text)
		case hecatev1.DeliveryDuplicate, hecatev1.DeliveryConflict:
		}
	}
}

func (t *Timeline) show(delivery hecatev1.Delivery, text json.RawMessage) {
	r := t.runs[delivery.Stream]
	if r == nil {
		r = &run{blocks: map[blockKey]*item{}}
		t.runs[delivery.Stream] = r
		t.keys = append(t.keys, delivery.Stream)
	}
	switch event := delivery.Event.(type) {
	case *hecatev1.AssistantTextDeltaEvent:
		block := r.findBlock(event.Data.TurnIndex, event.Data.BlockIndex)
		if !block.Done {
			block.Text += event.Data.Delta
		}
		return
	case *hecatev1.AssistantTextCompleteEvent:
		block := r.findBlock(event.Data.TurnIndex, event.Data.BlockIndex)
		block.Text, block.Done = event.Data.Text, true
		return
	case *hecatev1.TurnStartedEvent, *hecatev1.TurnFailedEvent, *hecatev1.ErrorUpstreamEvent:
		r.epoch++
	case *hecatev1.UnknownEvent:
		t.opaque = append(t.opaque, text)
	}
	r.items = append(r.items, describe(text))
}

func (r *run) findBlock(turn, block int64) *item {
	key := blockKey{r.epoch, turn, block}
	if r.blocks[key] == nil {
		r.blocks[key] = &item{Type: "text"}
		r.items = append(r.items, r.blocks[key])
	}
	return r.blocks[key]
}

func describe(text json.RawMessage) *item {
	var event struct {
		Type string
		Data map[string]any
	}
	if err := json.Unmarshal(text, &event); err != nil {
		panic(err)
	}
	ids := map[string]any{}
	for _, name := range []string{"tool_call_id", "approval_id", "artifact_id"} {
		ids[name] = event.Data[name]
	}
	return &item{Type: event.Type, IDs: ids}
}

// Snapshot returns what the user sees.
func (t *Timeline) Snapshot() any {
	views := []any{}
	for _, key := range t.keys {
		views = append(views, t.ViewRun(key))
	}
	return views
}

// ViewRun returns what the user sees of one run.
func (t *Timeline) ViewRun(key string) any {
	items := []*item{}
	if r := t.runs[key]; r != nil {
		items = append(items, r.items...)
	}
	return map[string]any{"run": key, "items": items}
}

// Opaque returns the events of unknown types.
func (t *Timeline) Opaque() any {
	return t.opaque
}

// Cursor returns the highest number of a run, or nil.
func (t *Timeline) Cursor(key string) any {
	if cursor, ok := t.reader.Cursor(key); ok {
		return cursor
	}
	return nil
}

// Gaps returns the numbers of all runs that are missing.
func (t *Timeline) Gaps() any {
	type gap struct {
		After  *int64 `json:"after,omitempty"`
		Before int64  `json:"before"`
	}
	gaps := []gap{}
	for _, key := range t.keys {
		for _, each := range t.reader.Gaps(key) {
			gaps = append(gaps, gap{each.After, each.Before})
		}
	}
	return gaps
}

// Reconnect is called when the connection was lost. Nothing that is shown changes.
func (t *Timeline) Reconnect() {}
