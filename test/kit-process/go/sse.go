package main

import (
	"bytes"
	"encoding/json"
	"strings"
)

// sseParser reads server-sent events from bytes that are cut anywhere.
type sseParser struct {
	rest []byte
	name string
	data []string
}

// push returns the events of the frames that the bytes complete.
func (p *sseParser) push(more []byte) []json.RawMessage {
	if bug == "decodes each chunk of bytes separately" {
		more = bytes.ToValidUTF8(more, []byte("\uFFFD"))
	}
	p.rest = append(p.rest, more...)
	events := []json.RawMessage{}
	for {
		line, rest, isWhole := bytes.Cut(p.rest, []byte("\n"))
		if !isWhole {
			return events
		}
		p.rest = rest
		if bug != "splits lines at line feeds only" {
			line = bytes.TrimSuffix(line, []byte("\r"))
		}
		if len(line) == 0 {
			events = append(events, p.endFrame()...)
		} else {
			p.pushLine(string(line))
		}
	}
}

func (p *sseParser) pushLine(line string) {
	field, value, _ := strings.Cut(line, ":")
	value = strings.TrimPrefix(value, " ")
	switch field {
	case "event":
		p.name = value
	case "data":
		p.data = append(p.data, value)
	}
}

// endFrame returns the event of the frame, if there is one.
func (p *sseParser) endFrame() []json.RawMessage {
	name, data := p.name, p.data
	p.name, p.data = "", nil
	isIgnored := bug == "listens to unnamed events only" && name != ""
	if len(data) == 0 || isIgnored {
		return nil
	}
	if bug == "uses only the last data line of a frame" {
		data = data[len(data)-1:]
	}
	return []json.RawMessage{unwrap(json.RawMessage(strings.Join(data, "\n")))}
}

// unwrap returns the event in a wrapper, or the value itself.
func unwrap(value json.RawMessage) json.RawMessage {
	var wrapper struct {
		Object string
		Data   json.RawMessage
	}
	if err := json.Unmarshal(value, &wrapper); err != nil {
		panic(err)
	}
	if wrapper.Object == "event" && bug != "treats the wrapper as an event" {
		return wrapper.Data
	}
	return value
}
