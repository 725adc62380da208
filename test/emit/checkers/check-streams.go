// Checks streams with generated packages: one request in JSON a line in, the findings a line out.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

type request struct {
	Package string
	Profile string
	Events  []string
	Window  int
	Streams int
}

// The functions that answer the requests for each package. The file of each package adds one.
var answers = map[string]func(request) any{}

func main() {
	input := json.NewDecoder(bufio.NewReader(os.Stdin))
	output := bufio.NewWriter(os.Stdout)
	defer output.Flush()
	for input.More() {
		var next request
		if err := input.Decode(&next); err != nil {
			panic(err)
		}
		line, err := json.Marshal(answers[next.Package](next))
		if err != nil {
			panic(err)
		}
		fmt.Fprintln(output, string(line))
	}
}
