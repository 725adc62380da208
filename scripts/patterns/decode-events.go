// Prints the milliseconds that the decoding of each line of the input takes, the least of three times.
package main

import (
	"bufio"
	"fmt"
	"os"
	"time"

	events "accrete.test/attack/v1/go"
)

func main() {
	input := bufio.NewScanner(os.Stdin)
	input.Buffer(nil, 1<<24)
	for input.Scan() {
		line := append([]byte(nil), input.Bytes()...)
		least := time.Hour
		for i := 0; i < 3; i++ {
			start := time.Now()
			events.DecodeEvent(line)
			least = min(least, time.Since(start))
		}
		fmt.Println(least.Seconds() * 1000)
	}
}
