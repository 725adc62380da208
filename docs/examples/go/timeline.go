package main

import (
	"encoding/json"
	"slices"
)

// Timeline is a small consumer of hecate events: it shows texts in full, and a line for every other event.
type Timeline struct {
	keys []string
	runs map[string]*run
}

type event struct {
	ID       string          `json:"event_id"`
	Run      string          `json:"run_id"`
	Sequence int             `json:"sequence"`
	Type     string          `json:"type"`
	Data     json.RawMessage `json:"data"`
}

type text struct {
	Turn  json.Number `json:"turn_index"`
	Block json.Number `json:"block_index"`
	Delta string      `json:"delta"`
	Text  string      `json:"text"`
}

type item struct {
	Type string            `json:"type"`
	Text string            `json:"text,omitempty"`
	Done bool              `json:"done,omitempty"`
	IDs  map[string]string `json:"ids,omitempty"`
}

// The numbers of blocks begin again with each turn.
type blockKey struct {
	epoch       int
	turn, block json.Number
}

type gap struct {
	After  *int `json:"after,omitempty"`
	Before int  `json:"before"`
}

type run struct {
	ids    map[string]bool
	items  []*item
	blocks map[blockKey]*item
	epoch  int
	cursor int
	gaps   []gap
}

// NewTimeline returns a consumer without events.
func NewTimeline() *Timeline {
	return &Timeline{runs: map[string]*run{}}
}

// Push takes the next event of a feed.
func (t *Timeline) Push(line []byte) error {
	var e event
	if err := json.Unmarshal(line, &e); err != nil {
		return err
	}
	r := t.runs[e.Run]
	if r == nil {
		r = &run{ids: map[string]bool{}, blocks: map[blockKey]*item{}, cursor: -1}
		t.runs[e.Run] = r
		t.keys = append(t.keys, e.Run)
	}
	if r.ids[e.ID] {
		return nil // A redelivery.
	}
	r.ids[e.ID] = true
	r.place(e.Sequence)
	switch e.Type {
	case "assistant.text_delta", "assistant.text_complete":
		return r.pushText(e)
	case "turn.started", "turn.failed":
		r.epoch++
	}
	r.items = append(r.items, &item{Type: e.Type, IDs: readIDs(e.Data)})
	return nil
}

func (r *run) place(number int) {
	after, before := r.cursor, number
	if number > r.cursor {
		r.cursor = number
	} else if i := slices.IndexFunc(r.gaps, func(g gap) bool { return start(g) < number && number < g.Before }); i >= 0 {
		// A late event divides a gap.
		after, before = start(r.gaps[i]), r.gaps[i].Before
		r.gaps = slices.Delete(r.gaps, i, i+1)
		r.addGap(number, before)
		before = number
	}
	r.addGap(after, before)
}

func (r *run) addGap(after, before int) {
	if before-after < 2 {
		return
	}
	g := gap{Before: before}
	if after >= 0 {
		g.After = &after
	}
	r.gaps = append(r.gaps, g)
}

func start(g gap) int {
	if g.After == nil {
		return -1
	}
	return *g.After
}

func (r *run) pushText(e event) error {
	var data text
	if err := json.Unmarshal(e.Data, &data); err != nil {
		return err
	}
	key := blockKey{r.epoch, data.Turn, data.Block}
	block := r.blocks[key]
	if block == nil {
		block = &item{Type: "text"}
		r.blocks[key] = block
		r.items = append(r.items, block)
	}
	if e.Type == "assistant.text_complete" {
		block.Text, block.Done = data.Text, true
	} else if !block.Done {
		block.Text += data.Delta
	}
	return nil
}

func readIDs(data json.RawMessage) map[string]string {
	fields := map[string]json.RawMessage{}
	ids := map[string]string{}
	if json.Unmarshal(data, &fields) != nil {
		return ids // An unknown type may have a payload that is not an object.
	}
	for _, name := range []string{"tool_call_id", "approval_id", "artifact_id"} {
		var id string
		if json.Unmarshal(fields[name], &id) == nil {
			ids[name] = id
		}
	}
	return ids
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

// Cursor returns the highest number of a run, or nil.
func (t *Timeline) Cursor(key string) any {
	if r := t.runs[key]; r != nil {
		return r.cursor
	}
	return nil
}

// Gaps returns the numbers of all runs that are missing.
func (t *Timeline) Gaps() []gap {
	gaps := []gap{}
	for _, key := range t.keys {
		gaps = append(gaps, t.runs[key].gaps...)
	}
	return gaps
}

// Reconnect is called when the connection was lost. Nothing that is shown changes.
func (t *Timeline) Reconnect() {}
