// The driver of the Go SDK for test/clients: reads commands from stdin, a line each, and writes a response
// for each, as test/clients/README.md describes. A fault can be switched on, so that tests show that a case
// can fail.
package main

import (
	"bufio"
	"encoding/json"
	"os"
	"sync"
)

type command struct {
	openCommand
	ID         int             `json:"id"`
	Command    string          `json:"command"`
	Event      json.RawMessage `json:"event"`
	NotANumber bool            `json:"not_a_number"`
	Ms         int64           `json:"ms"`
	AtOnce     bool            `json:"at_once"`
	Full       bool            `json:"full"`
	Pages      json.RawMessage `json:"pages"`
	Webhook    *webhook        `json:"webhook"`
}

type openCommand struct {
	BaseURL     string   `json:"base_url"`
	Keys        []string `json:"keys"`
	BatchEvents int      `json:"batch_events"`
	BatchBytes  int      `json:"batch_bytes"`
	MaxEvents   int      `json:"max_events"`
	MaxWaitMs   int64    `json:"max_wait_ms"`
	TimeoutMs   int64    `json:"timeout_ms"`
	Spool       string   `json:"spool"`
	MaxBytes    int      `json:"max_bytes"`
	Producer    string   `json:"producer"`
	Now         string   `json:"now"`
	Fault       string   `json:"fault"`
}

type answer map[string]any

// output writes one response at a time.
type output struct {
	mu sync.Mutex
}

func (o *output) respond(id int, members answer, err error) {
	if members == nil {
		members = answer{}
	}
	if err != nil {
		members["error"] = err.Error()
	}
	members["id"] = id
	line, _ := json.Marshal(members)
	o.mu.Lock()
	defer o.mu.Unlock()
	_, _ = os.Stdout.Write(append(line, '\n'))
}

func main() {
	var out output
	var current *run
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var one command
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			panic(err)
		}
		if one.Command == "open" {
			opened, err := newRun(one.openCommand)
			if err == nil {
				current = opened
			}
			out.respond(one.ID, nil, err)
			continue
		}
		current.handle(one, func(members answer, err error) { out.respond(one.ID, members, err) })
	}
}
