package events

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"testing"
)

// The vectors that accrete generate --emit vectors writes beside this package.
const vectorsFile = "../stream-vectors.jsonl"

func TestStreamVectors(t *testing.T) {
	text, err := os.ReadFile(vectorsFile)
	if err != nil {
		t.Skipf("%s is absent: generate it with --emit vectors", vectorsFile)
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, len(text)+1)
	for lines.Scan() {
		var vector struct {
			ID             string
			Events         []json.RawMessage
			Reader, Writer []Finding
		}
		if err := json.Unmarshal(lines.Bytes(), &vector); err != nil {
			t.Fatal(err)
		}
		compareFindings(t, vector.ID, ProfileReader, vector.Events, vector.Reader)
		compareFindings(t, vector.ID, ProfileWriter, vector.Events, vector.Writer)
	}
}

func compareFindings(t *testing.T, id string, profile Profile, events []json.RawMessage, expected []Finding) {
	t.Helper()
	checker := NewStreamChecker(profile)
	var found []Finding
	for _, event := range events {
		findings, err := checker.Check(event)
		if err != nil {
			t.Fatal(id, err)
		}
		found = append(found, findings...)
	}
	found = append(found, checker.End()...)
	for i, finding := range found {
		if finding.Hint == "" {
			t.Errorf("%s: %s has no hint", id, finding.Rule)
		}
		// Vectors do not repeat the hints.
		finding.Hint = ""
		if i >= len(expected) || finding != expected[i] {
			t.Fatalf("%s (%s): unexpected finding %+v", id, profile, finding)
		}
	}
	if len(found) < len(expected) {
		t.Fatalf("%s (%s): no finding %+v", id, profile, expected[len(found)])
	}
}
