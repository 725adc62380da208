// A correct consumer of hecate events: the reducer of test/kit/consumers in Go. The environment variable BUG names the bug
// of test/kit/bugs.ts that it has.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

var bug = os.Getenv("BUG")

// protocol describes the payload fields of each event type, with the values of those that are open lists.
var protocol = readProtocol()

func readProtocol() (p struct {
	Fields map[string]map[string][]any
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

var icons = map[string]string{
	"shell": "$", "mcp": "⇄", "file": "✎", "file_read": "→", "file_write": "✎", "edit": "✎", "multi_edit": "✎",
	"glob": "?", "grep": "?", "http": "⇄", "web_fetch": "⇄", "web_search": "?", "todo_write": "☐", "git": "±",
}

func findIcon(kind any) string {
	icon, ok := icons[fmt.Sprint(kind)]
	if ok {
		return icon
	}
	if bug == "has no icon for a new kind of tool" && kind != nil {
		panic(fmt.Sprint("no icon for ", kind))
	}
	return "•"
}

type event struct {
	ID       string          `json:"event_id"`
	Run      string          `json:"run_id"`
	Sequence int             `json:"sequence"`
	Type     string          `json:"type"`
	Data     json.RawMessage `json:"data"`
	fields   map[string]any
}

func parse(text []byte) event {
	var e event
	if err := json.Unmarshal(text, &e); err != nil {
		panic(err)
	}
	_ = json.Unmarshal(e.Data, &e.fields) // An unknown type may have a payload that is not an object.
	return e
}

// isStrict returns true if a writer may send the event: no unknown fields, no unknown values of open lists.
func isStrict(e event) bool {
	for name, value := range e.fields {
		values, ok := protocol.Fields[e.Type][name]
		if !ok || (values != nil && !slices.Contains(values, value)) {
			return false
		}
	}
	return true
}

type gap struct {
	After  *int `json:"after,omitempty"`
	Before int  `json:"before"`
}

// reader recognises redeliveries and gaps.
type reader struct {
	ids     map[string]map[string]bool
	cursors map[string]int
	ranges  map[string][][2]int
}

func newReader() *reader {
	return &reader{map[string]map[string]bool{}, map[string]int{}, map[string][][2]int{}}
}

// read returns true if the event is a redelivery.
func (r *reader) read(e event) bool {
	if r.ids[e.Run] == nil {
		r.ids[e.Run] = map[string]bool{}
		r.cursors[e.Run] = -1
	}
	if r.ids[e.Run][e.ID] {
		return true
	}
	r.ids[e.Run][e.ID] = true
	ranges := [][2]int{}
	for _, each := range append(r.ranges[e.Run], [2]int{r.cursors[e.Run], max(e.Sequence, r.cursors[e.Run])}) {
		parts := [][2]int{each}
		if each[0] < e.Sequence && e.Sequence < each[1] {
			parts = [][2]int{{each[0], e.Sequence}, {e.Sequence, each[1]}}
		}
		for _, part := range parts {
			if part[1]-part[0] > 1 {
				ranges = append(ranges, part)
			}
		}
	}
	r.ranges[e.Run] = ranges
	r.cursors[e.Run] = max(e.Sequence, r.cursors[e.Run])
	return false
}

func (r *reader) gaps(stream string) []gap {
	gaps := []gap{}
	for _, each := range r.ranges[stream] {
		after, before := &each[0], each[1]
		if *after < 0 {
			after = nil
		}
		if bug == "reports a gap one number too early" {
			before--
		}
		gaps = append(gaps, gap{after, before})
	}
	return gaps
}

type item struct {
	Shown   string            `json:"shown"`
	Text    string            `json:"text"`
	Output  map[string]string `json:"output"`
	Details []any             `json:"details"`
	done    bool
}

type run struct {
	items    []*item
	boxes    map[string]*item
	epoch    int
	status   string
	cost     map[string]any
	lastCall string
	isOpened bool
	seen     map[string]bool
}

type runTable struct {
	keys []string
	runs map[string]*run
}

func newRunTable() *runTable { return &runTable{runs: map[string]*run{}} }

var sharedRuns = newRunTable()

// Timeline is the consumer.
type Timeline struct {
	reader  *reader
	table   *runTable
	opaque  []json.RawMessage
	later   []func()
	drawn   []byte
	isAgain bool
	boxes   map[string]*item
	numbers map[int]string
	parser  sseParser
}

// NewTimeline returns a consumer without events.
func NewTimeline() *Timeline {
	table := newRunTable()
	if bug == "shares its runs with other consumers" {
		table = sharedRuns
	}
	return &Timeline{
		reader: newReader(), table: table, opaque: []json.RawMessage{}, boxes: map[string]*item{}, numbers: map[int]string{},
	}
}

func (t *Timeline) findRun(key string) *run {
	r := t.table.runs[key]
	if r != nil {
		return r
	}
	r = &run{boxes: map[string]*item{}, seen: map[string]bool{}}
	switch bug {
	case "merges calls with the same id in two runs":
		r.boxes = t.boxes
	case "includes the time of day in the snapshot":
		r.status = time.Now().String()
	}
	t.table.runs[key] = r
	t.table.keys = append(t.table.keys, key)
	return r
}

func (r *run) findItem(name string, id string) *item {
	number, err := strconv.Atoi(id)
	if err == nil && bug == "converts ids that look like numbers" {
		id = strconv.Itoa(number)
	}
	key := name + " " + id
	if r.boxes[key] == nil {
		r.boxes[key] = &item{Shown: name, Output: map[string]string{}, Details: []any{id}}
		r.items = append(r.items, r.boxes[key])
	}
	return r.boxes[key]
}

func (r *run) note(e event) {
	text := ""
	if bug == "drops events of equal content" {
		content := e.Type + string(e.Data)
		if r.seen[content] {
			return
		}
		r.seen[content] = true
	}
	if bug == "uses the first field as the title" {
		text = findFirstField(e.Data)
	}
	r.items = append(r.items, &item{Shown: e.Type, Text: text, Output: map[string]string{}, Details: []any{e.Data}})
}

func findFirstField(data json.RawMessage) string {
	tokens := json.NewDecoder(bytes.NewReader(data))
	_, _ = tokens.Token()
	token, _ := tokens.Token()
	return fmt.Sprint(token)
}

func (r *run) pushText(e event, name string, isWhole bool) {
	turn, index := e.fields["turn_index"], e.fields["block_index"]
	switch bug {
	case "uses one text for all blocks of a turn":
		index = nil
	}
	block := r.findItem(name, fmt.Sprint(r.epoch, turn, index))
	if isWhole {
		text := e.fields["text"].(string)
		switch {
		case bug == "appends the complete text to its pieces":
			text = block.Text + text
		case bug == "ignores the complete text when there were pieces" && block.Text != "":
			text = block.Text
		}
		block.Text, block.done = text, true
		return
	}
	delta := e.fields["delta"].(string)
	if block.done || (bug == "drops long pieces" && len(delta) >= 65_536) {
		return
	}
	switch bug {
	case "uses one text for all blocks":
		r.status += delta
	case "appends text to the block that started last":
		for _, each := range r.items {
			if each.Shown == "assistant.text" {
				block = each
			}
		}
		block.Text += delta
	default:
		block.Text += delta
	}
}

func (r *run) pushCost(e event) {
	cost := e.fields
	if bug == "adds up costs that are totals" {
		for name, value := range cost {
			number, isNumber := value.(float64)
			before, _ := r.cost[name].(float64)
			if isNumber {
				cost[name] = number + before
			}
		}
	}
	if bug == "truncates costs to 32 bits" {
		for name, value := range cost {
			if number, isNumber := value.(float64); isNumber {
				cost[name] = int32(int64(number))
			}
		}
	}
	r.cost = cost
}

func (r *run) pushCall(e event, id string) {
	if bug == "assigns tool output to the call that started last" {
		if e.Type == "tool.invoked" {
			r.lastCall = id
		}
		if r.lastCall != "" {
			id = r.lastCall
		}
	}
	call := r.findItem("tool", id)
	call.Details = append(call.Details, []any{findIcon(e.fields["kind"]), e.Type, e.Data})
}

func (t *Timeline) reduce(r *run, e event) {
	call, isCall := e.fields["tool_call_id"].(string)
	switch {
	case e.Type == "assistant.text_delta" || e.Type == "assistant.thinking_delta":
		r.pushText(e, strings.TrimSuffix(e.Type, "_delta"), false)
	case e.Type == "assistant.text_complete" || e.Type == "assistant.thinking_complete":
		r.pushText(e, strings.TrimSuffix(e.Type, "_complete"), true)
	case e.Type == "cost.tick":
		r.pushCost(e)
	case strings.HasPrefix(e.Type, "approval."):
		approval := r.findItem("approval", e.fields["approval_id"].(string))
		var detail any = []any{e.Type, e.Data}
		if e.Type == "approval.resolved" && bug == "shows every answer to an approval as answered" {
			detail = "answered"
		}
		if len(approval.Details) < 2 || bug != "shows an approval as open for ever" {
			approval.Details = append(approval.Details, detail)
		}
	case e.Type == "tool.shell.output_chunk":
		stream, chunk := e.fields["stream"].(string), e.fields["data"].(string)
		if bug == "uses one output for all calls" {
			r.status += chunk
		} else {
			r.findItem("tool", call).Output[stream] += chunk
		}
	case isCall:
		r.pushCall(e, call)
	default:
		t.pushOther(r, e)
	}
}

func (t *Timeline) pushOther(r *run, e event) {
	switch e.Type {
	case "turn.started", "turn.failed", "error.upstream":
		r.epoch++
	case "run.started":
		if bug == "reads an optional field as if it were always there" {
			r.status = strings.ToUpper(e.fields["worker_id"].(string))
		}
	case "run.finished", "run.failed", "run.cancelled":
		r.status = e.Type
	}
	if bug == "shows a run as running after any event that is no end" && r.status != e.Type {
		r.status = "running"
	}
	if bug == "shows events other than those of tools and texts in a microtask" {
		t.later = append(t.later, func() { r.note(e) })
		return
	}
	r.note(e)
}

var artifactTypes = regexp.MustCompile("completed|edit|patch|applied")

// isHidden returns true if the bug hides the event.
func (t *Timeline) isHidden(r *run, e event) bool {
	gaps := t.reader.gaps(e.Run)
	has := func(name string) bool { _, ok := e.fields[name]; return ok }
	switch bug {
	case "waits for the first number":
		return slices.ContainsFunc(gaps, func(g gap) bool { return g.After == nil })
	case "waits until a gap is filled":
		return slices.ContainsFunc(gaps, func(g gap) bool { return g.After != nil })
	case "stops at a gap marker":
		return slices.ContainsFunc(r.items, func(i *item) bool { return i.Shown == "gap.run_disconnected" })
	case "ignores everything after the end of a run":
		return r.status != ""
	case "waits for the event that opens a run":
		r.isOpened = r.isOpened || slices.Contains([]string{"run.created", "run.queued", "run.started"}, e.Type)
		return !r.isOpened
	case "ignores that a tool call timed out":
		return e.Type == "tool.timed_out"
	case "shows only tool events of known kinds":
		_, ok := icons[fmt.Sprint(e.fields["kind"])]
		return has("kind") && !ok
	case "shows the result of a tool only if it has the newest field":
		return e.Type == "tool.completed" && !has("summary")
	case "shows a finished tool only if it has an artifact":
		artifacts := []string{"result_artifact_id", "patch_artifact_id", "artifact_id"}
		return artifactTypes.MatchString(e.Type) && !slices.ContainsFunc(artifacts, has)
	case "drops an event whose number occurred in another run":
		other, ok := t.numbers[e.Sequence]
		if !ok {
			t.numbers[e.Sequence] = e.Run
		}
		return ok && other != e.Run
	}
	return false
}

// isRedelivery returns true if the event is not shown again.
func (t *Timeline) isRedelivery(e event) bool {
	isKnown := t.reader.read(e)
	switch bug {
	case "appends redeliveries":
		return false
	case "counts redelivered pieces of text":
		return isKnown && e.Type != "assistant.text_delta"
	case "counts redelivered output of a shell":
		return isKnown && e.Type != "tool.shell.output_chunk"
	case "expects only one redelivery at a time":
		t.isAgain = isKnown && !t.isAgain
		return t.isAgain
	}
	return isKnown
}

// Push takes the next events of a feed. It panics if one is invalid.
func (t *Timeline) Push(events []json.RawMessage) {
	for _, text := range events {
		t.push(parse(text), text)
	}
}

func (t *Timeline) push(e event, text json.RawMessage) {
	_, isKnown := protocol.Fields[e.Type]
	if bug == "validates as strictly as a writer" && isKnown && !isStrict(e) {
		return
	}
	if t.isRedelivery(e) {
		return
	}
	stream := e.Run
	if bug == "merges all runs" {
		stream = ""
	}
	r := t.findRun(stream)
	if !isKnown {
		t.pushUnknown(r, e, text)
	} else if !t.isHidden(r, e) {
		t.reduce(r, e)
	}
}

func (t *Timeline) pushUnknown(r *run, e event, text json.RawMessage) {
	switch bug {
	case "throws at an unknown type":
		panic("unknown event")
	case "drops unknown types":
		return
	case "shows only the payload of unknown types":
		text = e.Data
	case "ignores the call that an event of an unknown type refers to":
		if r.boxes[fmt.Sprint("tool ", e.fields["tool_call_id"])] != nil {
			panic("not of a call")
		}
	}
	t.opaque = append(t.opaque, text)
	r.note(e)
}

type view struct {
	Run    string         `json:"run"`
	Items  []item         `json:"items"`
	Status string         `json:"status"`
	Cost   map[string]any `json:"cost"`
}

func (r *run) show(key string) view {
	items := []item{}
	for _, each := range r.items {
		shown := *each
		shown.Details = slices.Clone(each.Details)
		items = append(items, shown)
	}
	if bug == "empties the list of new items when it draws" {
		r.items = nil
	}
	return view{key, items, r.status, r.cost}
}

// Snapshot returns what the user sees.
func (t *Timeline) Snapshot() any {
	if t.drawn != nil {
		return json.RawMessage(t.drawn)
	}
	views := []view{}
	for _, key := range t.table.keys {
		views = append(views, t.table.runs[key].show(key))
	}
	if bug == "draws once and never again" {
		t.drawn, _ = json.Marshal(views)
	}
	for _, show := range t.later {
		show()
	}
	t.later = nil
	return views
}

// ViewRun returns what the user sees of one run.
func (t *Timeline) ViewRun(stream string) any {
	if bug == "shows another run's events in the view of one" && len(t.table.keys) > 1 {
		return t.findRun(t.table.keys[0]).show(stream)
	}
	return t.findRun(stream).show(stream)
}

// Opaque returns the events of unknown types.
func (t *Timeline) Opaque() any {
	opaque := slices.Clone(t.opaque)
	if bug == "shows unknown types newest first" {
		slices.Reverse(opaque)
	}
	return opaque
}

// Gaps returns the numbers of all runs that are missing.
func (t *Timeline) Gaps() any {
	all := []gap{}
	for _, key := range t.table.keys {
		gaps := t.reader.gaps(key)
		if bug == "forgets gaps" && len(gaps) > 0 {
			gaps = gaps[1:]
		}
		all = append(all, gaps...)
	}
	return all
}

// Cursor returns the highest number of a run, or nil.
func (t *Timeline) Cursor(stream string) any {
	switch bug {
	case "returns the cursor of the newest stream":
		stream = t.table.keys[len(t.table.keys)-1]
	case "counts shown events to get the cursor":
		return len(t.findRun(stream).items)
	}
	if cursor, ok := t.reader.cursors[stream]; ok {
		return cursor
	}
	return nil
}

// Ingest takes the next bytes of a feed of server-sent events.
func (t *Timeline) Ingest(more []byte) {
	t.Push(t.parser.push(more))
}

// Reconnect is called when the connection was lost. A new connection begins with a new frame.
func (t *Timeline) Reconnect() {
	t.parser = sseParser{}
	switch bug {
	case "forgets what was shown when the connection breaks":
		t.table = newRunTable()
	case "starts with a new list of ids when the connection breaks":
		t.reader = newReader()
	}
}
