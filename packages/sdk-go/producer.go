package annals

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"time"
)

// producerSize is the number of bytes of the file, which is written in one piece.
const producerSize = 512

var producerFile = regexp.MustCompile(`^(.+)-([0-9a-f]{12})(?:~[0-9a-f]{12})?\.producer$`)

// producer has the numbers of a producer: one more for each accepted event, kept in a file of the spool's
// folder over restarts. It must never give one number to two events, and leave out none. A nil one gives no
// numbers.
type producer struct {
	dir, name string
	clock     Clock

	mu    sync.Mutex
	state producerState
	path  string
	file  *os.File
	id    string
	// after is the last number of the process before, until an event has said it.
	after *int64
}

type producerState struct {
	N       int64 `json:"n"`
	Dropped int64 `json:"dropped"`
	spoolProcess
}

// producerNumber is context.producer of an event.
type producerNumber struct {
	ID      string `json:"id"`
	N       int64  `json:"n"`
	Dropped int64  `json:"dropped"`
	After   *int64 `json:"after,omitempty"`
}

func newProducer(dir, name string, clock Clock) *producer {
	return &producer{dir: dir, name: name, clock: clock, state: producerState{spoolProcess: thisProcess()}}
}

// in is the event with its number, if it has one.
func (n *producerNumber) in(event NewEvent) NewEvent {
	if n != nil {
		event.Context = merged(event.Context, map[string]any{"producer": n})
	}
	return event
}

// next is what the next event has, if it is accepted. Nil without a producer, and if the disk cannot keep
// its numbers.
func (p *producer) next() (*producerNumber, error) {
	if p == nil {
		return nil, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.file == nil || !isThere(p.path) {
		if err := p.open(); err != nil {
			return nil, err
		}
	}
	number := &producerNumber{ID: p.id, N: p.state.N + 1, Dropped: p.state.Dropped, After: p.after}
	if p.after != nil {
		// A process that was killed may have given one number more than it has noted.
		number.N++
	}
	return number, nil
}

func (p *producer) accept(number *producerNumber) error {
	if number == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state.N, p.after = number.N, nil
	return p.write()
}

func (p *producer) drop(events int) error {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state.Dropped += int64(events)
	if p.file == nil {
		return nil
	}
	return p.write()
}

// touch tells other processes that this one lives.
func (p *producer) touch() error {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.touchAt(p.clock.Now())
}

// close tells other processes that they may continue the numbers.
func (p *producer) close() error {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.file == nil {
		return nil
	}
	err := errors.Join(p.touchAt(time.Unix(0, 0)), p.file.Close())
	p.file = nil
	return err
}

func (p *producer) touchAt(now time.Time) error {
	if p.file == nil {
		return nil
	}
	return os.Chtimes(p.path, now, now)
}

// open continues the numbers of a process that is gone, or begins new ones.
func (p *producer) open() error {
	if p.file != nil {
		_ = p.file.Close()
	}
	p.file = nil
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		return err
	}
	names, err := namesIn(p.dir)
	if err != nil {
		return err
	}
	own, flags := randomDigits(), os.O_RDWR
	isClaimed := false
	for _, name := range names {
		if isClaimed = p.claim(name, own); isClaimed {
			break
		}
	}
	if !isClaimed {
		p.id = p.name + "-" + own
		p.state.N, p.after = 0, nil
		p.path = filepath.Join(p.dir, p.id+".producer")
		flags |= os.O_CREATE | os.O_EXCL
	}
	if p.file, err = os.OpenFile(p.path, flags, 0o600); err != nil {
		p.file = nil
		return err
	}
	return p.write()
}

// claim says whether the file has numbers of this name that are now this process's: the rename decides.
func (p *producer) claim(file, own string) bool {
	found := producerFile.FindStringSubmatch(file)
	if found == nil || found[1] != p.name {
		return false
	}
	path := filepath.Join(p.dir, file)
	text, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	var state producerState
	info, err := os.Stat(path)
	// Another process was faster, or it is being made.
	if err != nil || json.Unmarshal(text, &state) != nil || !state.isGone(info.ModTime(), p.clock.Now()) {
		return false
	}
	to := filepath.Join(p.dir, fmt.Sprintf("%s-%s~%s.producer", p.name, found[2], own))
	if os.Rename(path, to) != nil {
		return false
	}
	p.path, p.id = to, p.name+"-"+found[2]
	p.state.N, p.after = state.N, Ptr(state.N)
	p.state.Dropped += state.Dropped
	return true
}

func (p *producer) write() error {
	text, err := json.Marshal(p.state)
	if err != nil {
		return err
	}
	if _, err := p.file.WriteAt([]byte(fmt.Sprintf("%-*s\n", producerSize-1, text)), 0); err != nil {
		return err
	}
	return p.touchAt(p.clock.Now())
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
