package events

import (
	_ "embed" // for machines.json
	"encoding/json"
	"math"
	"sync"
)

//go:embed machines.json
var machinesFile []byte

var loadContract = sync.OnceValue(func() *object {
	contract, err := parseObject(machinesFile)
	if err != nil {
		panic(err)
	}
	return contract
})

// The number of ended streams that are remembered, because more events may arrive for them.
const maxFinished = 1000

// Profile is the reading of the contract whose rules are checked.
type Profile string

const (
	// ProfileReader checks what a consumer may rely on.
	ProfileReader Profile = "reader"

	// ProfileWriter checks what a producer has to do. It includes rules that readers may not rely on.
	ProfileWriter Profile = "writer"
)

// Finding is a violation of a stream rule of the contract.
type Finding struct {
	// Rule is the id of the finding, such as "sequence-gap".
	Rule string `json:"rule"`

	// Severity is "error", "warning" or "note".
	Severity string `json:"severity"`

	// Message is one sentence. It may quote text from events.
	Message string `json:"message"`

	// Hint says what to do.
	Hint string `json:"hint"`

	// Pointer is a JSON pointer into the event; empty for the whole event.
	Pointer string `json:"pointer"`

	// Index is the number of the call of Check that passed the event, from 0 on.
	Index int `json:"index"`
}

// StreamChecker checks whether the events of a feed keep the stream rules of the contract. It gives the findings of
// accrete validate. A StreamChecker must not be used by several goroutines at once.
type StreamChecker struct {
	// Reader places the events in their streams. Set its limits or resume streams before the first call of Check.
	Reader EventReader

	profile        Profile
	contract       *object
	types          map[string]*typePlan
	undeclared     *typePlan
	afterTerminal  []check
	refused        []check
	machines       []*machine
	shared         []memory
	ends           [][]run
	live, finished ordered[*openStream]
	gaps           int
	// The number of streams that were forgotten, and the index of the event that came when the first of them were.
	forgotten, firstForgotten int
	index                     int
	step                      *step
	findings                  []Finding
}

// The checks of the events of one type, and the meaning of the type for its stream.
type typePlan struct {
	checks                             []check
	carrier                            any
	isOpening, isTerminal, isGapMarker bool
}

type check struct {
	slot int
	run  run
}

// A stream that is open, or that has ended and is remembered.
type openStream struct {
	key string
	// A number that increases where events may be missing, and its value while none can be missing since the start.
	epoch, completeEpoch int
	// The index of the last event.
	index           int
	hasEnded        bool
	memories        []memory
	gaps            int
	isLimitReported bool
}

// NewStreamChecker creates a checker of the rules for a profile.
func NewStreamChecker(profile Profile) *StreamChecker {
	contract := loadContract()
	c := &StreamChecker{profile: profile, contract: contract, types: map[string]*typePlan{}, undeclared: &typePlan{}}
	c.step = &step{report: c.report}
	payloads := contract.object("payloads")
	for _, eventType := range payloads.names {
		c.types[eventType] = &typePlan{carrier: payloads.get(eventType)}
	}
	c.mark("opening", func(plan *typePlan) { plan.isOpening = true })
	c.mark("terminal", func(plan *typePlan) { plan.isTerminal = true })
	c.mark("gapMarkers", func(plan *typePlan) { plan.isGapMarker = true })
	for _, source := range contract.objects("machines") {
		if only, ok := source.get("profile").(string); !ok || only == string(profile) {
			c.addMachine(source)
		}
	}
	c.shared = make([]memory, len(c.machines))
	return c
}

func (c *StreamChecker) mark(list string, mark func(plan *typePlan)) {
	types, _ := c.contract.get(list).([]any)
	for _, eventType := range types {
		if plan := c.types[eventType.(string)]; plan != nil {
			mark(plan)
		}
	}
}

func (c *StreamChecker) addMachine(source *object) {
	compiled, clauses := compileMachine(source)
	slot := len(c.machines)
	c.machines = append(c.machines, compiled)
	c.ends = append(c.ends, nil)
	for _, each := range clauses {
		added := check{slot, each.run}
		switch on := each.on.(type) {
		case []any:
			for _, eventType := range on {
				if plan := c.types[eventType.(string)]; plan != nil {
					plan.checks = append(plan.checks, added)
				}
			}
		case string:
			switch on {
			case "every":
				for _, plan := range c.types {
					plan.checks = append(plan.checks, added)
				}
				c.undeclared.checks = append(c.undeclared.checks, added)
			case "after-terminal":
				c.afterTerminal = append(c.afterTerminal, added)
			case "refused":
				c.refused = append(c.refused, added)
			case "end":
				c.ends[slot] = append(c.ends[slot], each.run)
			}
		}
	}
}

// Check checks the next event of the feed. An error is a *DecodeError: the text is not an event. The number of an invalid
// event is not missing, but what it said is.
func (c *StreamChecker) Check(data []byte) ([]Finding, error) {
	index := c.index
	c.index++
	delivery, err := c.Reader.Read(data)
	if err != nil {
		c.refuse(data)
		return nil, err
	}
	event, err := parseObject(data)
	if err != nil {
		return nil, err
	}
	if delivery.Kind != DeliveryNew {
		c.reportPlacement(delivery, index)
		return c.take(), nil
	}
	if c.forgotten == 0 {
		c.firstForgotten = index
	}
	c.forgotten += c.evict(delivery.Evicted)
	c.accept(event, delivery, index)
	return c.take(), nil
}

// MarkGap tells the checker that events of any stream may be missing here.
func (c *StreamChecker) MarkGap() { c.gaps++ }

// Takes note of a text that is not an event, as far as its stream and its number can be read.
func (c *StreamChecker) refuse(data []byte) {
	isNumbered := c.contract.get("numbered") == true
	event, err := parseObject(data)
	key, _ := c.contract.object("stream").get("key").([]any)
	hasKey := err == nil && json.Valid(data)
	for _, name := range key {
		if hasKey {
			_, hasKey = event.get(name.(string)).(string)
		}
	}
	if !hasKey {
		if !isNumbered {
			c.MarkGap()
		}
		return
	}
	// The text is an object.
	stream, _ := StreamKey(data)
	number, ok := event.get(sequenceField).(float64)
	if ok && number == math.Trunc(number) && math.Abs(number) < 1<<53 {
		state := c.findStream(stream, nil)
		*c.step = step{event: &object{}, payload: &object{}, stream: state, report: c.report, sequence: number}
		c.runChecks(c.refused)
		state.gaps = -1
	} else if !isNumbered && c.live.has(stream) {
		c.live.value(stream).gaps = -1
	} else if !isNumbered && c.finished.has(stream) {
		c.finished.value(stream).gaps = -1
	}
}

// End ends the input, and with it every stream. It returns the findings about incomplete streams.
func (c *StreamChecker) End() []Finding {
	for _, streams := range []*ordered[*openStream]{&c.finished, &c.live} {
		for streams.len() > 0 {
			c.closeStream(streams.removeOldest())
		}
	}
	if c.forgotten > 0 {
		message := "Too many streams are open: " + formatNumber(float64(c.forgotten)) + " of them were forgotten."
		c.report("stream-limit-reached", message, "", c.firstForgotten)
		c.forgotten = 0
	}
	return c.take()
}

func (c *StreamChecker) accept(event *object, delivery Delivery, index int) {
	eventType := event.text(discriminator)
	plan := c.types[eventType]
	if plan == nil {
		plan = c.undeclared
	}
	stream := c.findStream(delivery.Stream, delivery.Sequence)
	stream.index = index
	if stream.gaps != c.gaps || delivery.Gap != nil || plan.isGapMarker {
		stream.epoch++
	}
	stream.gaps = c.gaps
	if plan.isOpening {
		if sequenceField == "" {
			// Without numbers, an opening event shows that nothing is missing from here on.
			stream.completeEpoch = stream.epoch
		}
		stream.hasEnded = false
		if c.finished.has(stream.key) {
			c.finished.remove(stream.key)
			c.live.add(stream.key, stream)
		}
	}
	*c.step = step{event: event, payload: event, eventType: eventType, stream: stream, report: c.report}
	if carrier, ok := plan.carrier.(string); ok {
		c.step.carrier = carrier
		c.step.payload, _ = event.get(carrier).(*object)
	}
	if delivery.Sequence != nil {
		c.step.sequence = float64(*delivery.Sequence)
	}
	if delivery.Gap != nil {
		c.step.gapBefore = float64(delivery.Gap.Before)
		if delivery.Gap.After != nil {
			c.step.gapAfter = float64(*delivery.Gap.After)
		}
	}
	if stream.hasEnded {
		c.runChecks(c.afterTerminal)
	}
	c.runChecks(plan.checks)
	if plan.isTerminal {
		c.finishStream(stream)
	}
}

func (c *StreamChecker) runChecks(checks []check) {
	stream := c.step.stream
	for _, each := range checks {
		machine := c.machines[each.slot]
		if stream.memories[each.slot] == nil {
			if c.shared[each.slot] == nil || !machine.isShared {
				c.shared[each.slot] = machine.start()
			}
			stream.memories[each.slot] = c.shared[each.slot]
		}
		machine.memory, machine.step = stream.memories[each.slot], c.step
		each.run()
	}
}

func (c *StreamChecker) findStream(key string, sequence *int64) *openStream {
	if c.live.has(key) {
		return c.live.value(key)
	}
	if c.finished.has(key) {
		return c.finished.value(key)
	}
	stream := &openStream{key: key, epoch: 1, memories: make([]memory, len(c.machines)), gaps: c.gaps}
	if hasFirstSequence && sequence != nil && *sequence == firstSequence {
		stream.epoch = 0
	}
	c.live.add(key, stream)
	return stream
}

// Marks a stream as ended. It is forgotten once enough other streams have ended after it.
func (c *StreamChecker) finishStream(stream *openStream) {
	stream.hasEnded = true
	if c.live.has(stream.key) {
		c.live.remove(stream.key)
		c.finished.add(stream.key, stream)
	}
	if c.finished.len() > maxFinished {
		c.closeStream(c.finished.removeOldest())
	}
}

// Forgets streams. Returns how many of them had not ended.
func (c *StreamChecker) evict(keys []string) int {
	open := c.live.len()
	for _, key := range keys {
		// The rest of an open stream may still come.
		if c.live.has(key) {
			c.live.remove(key)
		} else if c.finished.has(key) {
			c.closeStream(c.finished.value(key))
			c.finished.remove(key)
		}
	}
	return open - c.live.len()
}

func (c *StreamChecker) closeStream(stream *openStream) {
	c.step.stream = stream
	for slot, ends := range c.ends {
		for _, end := range ends {
			if memory := stream.memories[slot]; memory != nil {
				c.machines[slot].memory, c.machines[slot].step = memory, c.step
				end()
			}
		}
	}
}

// Reports the place of an event that is not new in its stream.
func (c *StreamChecker) reportPlacement(delivery Delivery, index int) {
	var sequence any
	if delivery.Sequence != nil {
		sequence = float64(*delivery.Sequence)
	}
	name := nameEvent(string(delivery.Event.EventType()), sequence)
	switch delivery.Kind {
	case DeliveryDuplicate:
		c.report("event-repeated", name+" was delivered before, with the same content.", joinPointer(idField), index)
	case DeliveryConflict:
		c.report("event-conflict", name+" has the id of an event with other content.", joinPointer(idField), index)
	default:
		rule, message := "sequence-late", name+" comes after #"+formatNumber(float64(delivery.Cursor))+"."
		if delivery.Forgotten {
			rule, message = "sequence-uncertain", message+" It may be a redelivery: its id may have been forgotten."
		}
		c.report(rule, message, joinPointer(sequenceField), index)
	}
}

// Adds a finding, unless its rule is off. Two declarations that report the same give one finding.
func (c *StreamChecker) report(rule, message, pointer string, index int) {
	kind := c.contract.object("findings").object(rule)
	finding := Finding{rule, kind.text(string(c.profile)), message, kind.text("hint"), pointer, index}
	isSame := len(c.findings) > 0 && c.findings[len(c.findings)-1] == finding
	if finding.Severity != "off" && !isSame {
		c.findings = append(c.findings, finding)
	}
}

func (c *StreamChecker) take() []Finding {
	findings := c.findings
	c.findings = nil
	return findings
}
