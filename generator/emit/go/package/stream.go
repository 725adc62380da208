package events

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// The fields that order a stream.
var (
	keyFields     = []string{"session_id"}
	sequenceField = "sequence"
	idField       = "event_id"
)

// True if no two streams have an event with the same id. Otherwise, each stream has ids of its own.
const sharesIDs = false

// True if streams start with the number firstSequence.
const hasFirstSequence = true

const firstSequence int64 = 1

const maxGaps = 100

// DeliveryKind is the kind of a Delivery. Show the events of the kinds DeliveryNew and DeliveryLate.
type DeliveryKind string

const (
	// DeliveryNew is the first arrival of an event, with a number above all earlier ones of its stream.
	DeliveryNew DeliveryKind = "new"

	// DeliveryLate is the first arrival of an event whose number is not above the cursor. It may fill a gap.
	DeliveryLate DeliveryKind = "late"

	// DeliveryDuplicate is an event that arrived before. Ignore it.
	DeliveryDuplicate DeliveryKind = "duplicate"

	// DeliveryConflict is an event with the id of an earlier event and other content: one of the two is wrong.
	DeliveryConflict DeliveryKind = "conflict"
)

// Delivery is an event with its place in its stream.
type Delivery struct {
	Kind  DeliveryKind
	Event Event

	// Stream is the key of the stream, as StreamKey returns it.
	Stream string

	// Sequence is the number of the event. It is nil if the event has none.
	Sequence *int64

	// Gap is the gap before a new event, nil if there is none.
	Gap *Gap

	// Evicted lists the streams that were forgotten in favour of this new one, because of MaxStreams.
	Evicted []string

	// Cursor is the highest number so far, for a late event.
	Cursor int64

	// Forgotten is true for a late event with a number so old that its id may have been forgotten.
	Forgotten bool
}

// Gap is a range of numbers that were skipped: those between After and Before.
type Gap struct {
	// After is the highest number before the gap. It is nil if the stream starts above its first number.
	After *int64

	Before int64
}

// EventReader classifies the events of a feed in the order of arrival. The zero value is ready to use. An EventReader must
// not be used by several goroutines at once.
type EventReader struct {
	// Window is the least number of ids that are remembered, over all streams. 0 means 65,536.
	Window int

	// MaxStreams is the greatest number of remembered streams. Beyond that, the streams without an event for the longest
	// time are forgotten. 0 means 10,000.
	MaxStreams int

	streams     map[string]*streamState
	young, old  map[idKey]digest
	clock       int
	streamCount int
}

type streamState struct {
	number    int
	lastUsed  int
	cursor    *int64
	youngFrom *int64
	oldFrom   *int64
	gaps      []Gap
}

type idKey struct {
	stream int
	id     string
}

type digest [sha256.Size]byte

// Resume continues a stream after a number, as Cursor returned it before a restart.
func (r *EventReader) Resume(stream string, cursor int64) {
	r.openStream(stream, &cursor)
}

// Read decodes and classifies an event. A text that is not an event is an error and leaves the reader unchanged.
func (r *EventReader) Read(data []byte) (Delivery, error) {
	return r.ReadWithID(data, "")
}

// ReadWithID decodes and classifies an event that was sent under an id. The id identifies the event if the protocol has no
// field for ids.
func (r *EventReader) ReadWithID(data []byte, id string) (Delivery, error) {
	event, err := DecodeEvent(data)
	if err != nil {
		return Delivery{}, err
	}
	members, err := splitObject(data, "")
	if err != nil {
		return Delivery{}, err
	}
	sequence, err := readSequence(members)
	if err != nil {
		return Delivery{}, err
	}
	if idField != "" {
		id, _ = readText(members[idField])
	}
	delivery := Delivery{Event: event, Stream: formatStreamKey(members), Sequence: sequence}
	return r.place(delivery, id, digestContent(data)), nil
}

// Cursor returns the highest number of a stream so far, after which to resume. It returns false if there is none.
func (r *EventReader) Cursor(stream string) (int64, bool) {
	if state, ok := r.streams[stream]; ok && state.cursor != nil {
		return *state.cursor, true
	}
	return 0, false
}

// Streams returns the keys of the remembered streams, sorted.
func (r *EventReader) Streams() []string {
	keys := make([]string, 0, len(r.streams))
	for key := range r.streams {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// Gaps returns the gaps of a stream, ascending: numbers that were skipped and did not arrive late.
func (r *EventReader) Gaps(stream string) []Gap {
	if state, ok := r.streams[stream]; ok {
		return slices.Clone(state.gaps)
	}
	return nil
}

// Forget forgets a stream that has ended. Its next event starts a new one.
func (r *EventReader) Forget(stream string) {
	delete(r.streams, stream)
}

// StreamKey returns the key of the stream of an event: the value of the key field, or the values of several fields joined
// by "/", in which "~" and "/" are escaped as in a JSON pointer.
func StreamKey(data []byte) (string, error) {
	members, err := splitObject(data, "")
	if err != nil {
		return "", err
	}
	return formatStreamKey(members), nil
}

func formatStreamKey(members map[string]json.RawMessage) string {
	values := make([]string, len(keyFields))
	for i, name := range keyFields {
		values[i] = formatKeyField(members[name])
	}
	if len(values) == 1 {
		return values[0]
	}
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	for i, value := range values {
		values[i] = escape.Replace(value)
	}
	return strings.Join(values, "/")
}

func formatKeyField(data json.RawMessage) string {
	if text, ok := readText(data); ok {
		return text
	}
	var compact bytes.Buffer
	if json.Compact(&compact, data) != nil {
		return ""
	}
	return compact.String()
}

// Returns the text of a JSON string, and false for another value.
func readText(data json.RawMessage) (string, bool) {
	var text *string
	if json.Unmarshal(data, &text) != nil || text == nil {
		return "", false
	}
	return *text, true
}

// Returns the number that orders an event, nil if it has none.
func readSequence(members map[string]json.RawMessage) (*int64, error) {
	data := members[sequenceField]
	if sequenceField == "" || len(data) == 0 || data[0] != '-' && (data[0] < '0' || data[0] > '9') {
		return nil, nil
	}
	number, err := parseInteger(data)
	if err != nil {
		return nil, &DecodeError{Pointer: appendPointer("", sequenceField), Err: err}
	}
	return &number, nil
}

func (r *EventReader) place(delivery Delivery, id string, content digest) Delivery {
	state, ok := r.streams[delivery.Stream]
	if !ok {
		delivery.Evicted = r.makeRoom()
		state = r.openStream(delivery.Stream, nil)
	}
	r.clock++
	state.lastUsed = r.clock
	if id == "" {
		return state.advance(delivery)
	}
	key := idKey{id: id}
	if !sharesIDs {
		key.stream = state.number
	}
	first, ok := r.young[key]
	if !ok {
		first, ok = r.old[key]
	}
	if ok {
		delivery.Evicted = nil
		delivery.Kind = DeliveryConflict
		if first == content {
			delivery.Kind = DeliveryDuplicate
		}
		return delivery
	}
	r.young[key] = content
	delivery = state.advance(delivery)
	if len(r.young) >= orDefault(r.Window, 65_536) {
		r.rotateGeneration()
	}
	return delivery
}

func (r *EventReader) openStream(stream string, cursor *int64) *streamState {
	if r.streams == nil {
		r.streams = map[string]*streamState{}
		r.young = map[idKey]digest{}
	}
	state := &streamState{number: r.streamCount, cursor: cursor, youngFrom: cursor, oldFrom: cursor}
	r.streamCount++
	r.streams[stream] = state
	return state
}

// Forgets an eighth of the streams if there are too many, so that not every new stream costs a search.
func (r *EventReader) makeRoom() []string {
	limit := orDefault(r.MaxStreams, 10_000)
	if len(r.streams) < limit {
		return nil
	}
	keys := r.Streams()
	slices.SortFunc(keys, func(a, b string) int {
		one, other := r.streams[a], r.streams[b]
		if one.lastUsed != other.lastUsed {
			return cmp.Compare(one.lastUsed, other.lastUsed)
		}
		return cmp.Compare(one.number, other.number)
	})
	evicted := keys[:(limit+7)/8]
	for _, key := range evicted {
		delete(r.streams, key)
	}
	return evicted
}

func (r *EventReader) rotateGeneration() {
	r.old, r.young = r.young, map[idKey]digest{}
	for _, state := range r.streams {
		state.oldFrom, state.youngFrom = state.youngFrom, state.cursor
	}
}

func orDefault(limit, value int) int {
	if limit > 0 {
		return limit
	}
	return value
}

// Moves the cursor to the number of the event, unless the event is late.
func (s *streamState) advance(delivery Delivery) Delivery {
	delivery.Kind = DeliveryNew
	if delivery.Sequence == nil {
		return delivery
	}
	sequence := *delivery.Sequence
	if s.cursor != nil && sequence <= *s.cursor {
		s.gaps = removeFromGaps(s.gaps, sequence)
		delivery.Kind = DeliveryLate
		delivery.Cursor = *s.cursor
		delivery.Forgotten = s.oldFrom != nil && sequence <= *s.oldFrom
		return delivery
	}
	if isGap(s.cursor, sequence) {
		gap := Gap{s.cursor, sequence}
		delivery.Gap = &gap
		s.gaps = addGap(s.gaps, gap)
	}
	s.cursor = &sequence
	return delivery
}

func isGap(cursor *int64, sequence int64) bool {
	if cursor != nil {
		return sequence > *cursor+1
	}
	return hasFirstSequence && sequence > firstSequence
}

func addGap(gaps []Gap, gap Gap) []Gap {
	if len(gaps) < maxGaps {
		return append(gaps, gap)
	}
	// The two oldest gaps become one that spans both.
	merged := Gap{gaps[0].After, gaps[1].Before}
	return append(append([]Gap{merged}, gaps[2:]...), gap)
}

// Removes a number that arrived late. Its gap is narrowed, split or removed.
func removeFromGaps(gaps []Gap, sequence int64) []Gap {
	var left []Gap
	for _, gap := range gaps {
		after := firstSequence - 1
		if gap.After != nil {
			after = *gap.After
		}
		if sequence <= after || sequence >= gap.Before {
			left = append(left, gap)
			continue
		}
		if sequence > after+1 {
			left = append(left, Gap{gap.After, sequence})
		}
		if sequence < gap.Before-1 {
			left = append(left, Gap{&sequence, gap.Before})
		}
	}
	return left
}

// Returns a digest that is the same for equal JSON values: numbers by value, objects in any order.
func digestContent(data []byte) digest {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var content any
	if decoder.Decode(&content) != nil {
		return digest{}
	}
	// The encoding of a map is sorted by its keys.
	text, err := json.Marshal(normalizeNumbers(content))
	if err != nil {
		return digest{}
	}
	return sha256.Sum256(text)
}

// Replaces numbers by floats, so that equal numbers have one form. A number that is too large stays as it is.
func normalizeNumbers(value any) any {
	switch value := value.(type) {
	case json.Number:
		number, err := strconv.ParseFloat(value.String(), 64)
		if err != nil {
			return value
		}
		// This removes the sign of -0.
		return number + 0
	case []any:
		for i, item := range value {
			value[i] = normalizeNumbers(item)
		}
	case map[string]any:
		for name, member := range value {
			value[name] = normalizeNumbers(member)
		}
	}
	return value
}
