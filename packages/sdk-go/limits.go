package annals

import (
	"context"
	"sync"
)

const (
	defaultMaxEvents = 10_000
	defaultMaxBytes  = 32 << 20
)

// Limits is the bound of what Track buffers, of one client or of several that share it.
type Limits struct {
	maxEvents, maxBytes int

	mu            sync.Mutex
	events, bytes int
	// waiting is closed when there is space again; nil while nobody waits.
	waiting chan struct{}
}

// NewLimits makes a bound; 0 stands for 10,000 events and 32 MiB of JSON.
func NewLimits(maxEvents, maxBytes int) *Limits {
	if maxEvents <= 0 {
		maxEvents = defaultMaxEvents
	}
	if maxBytes <= 0 {
		maxBytes = defaultMaxBytes
	}
	return &Limits{maxEvents: maxEvents, maxBytes: maxBytes}
}

// add counts an event. False if there is no space for it.
func (l *Limits) add(bytes int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.events >= l.maxEvents || l.bytes+bytes > l.maxBytes {
		return false
	}
	l.events++
	l.bytes += bytes
	return true
}

// remove stops counting events that are stored or dropped.
func (l *Limits) remove(events, bytes int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events -= events
	l.bytes -= bytes
	if l.waiting != nil && l.hasSpace() {
		close(l.waiting)
		l.waiting = nil
	}
}

// ready returns while at most half is used.
func (l *Limits) ready(ctx context.Context) error {
	l.mu.Lock()
	if l.hasSpace() {
		l.mu.Unlock()
		return nil
	}
	if l.waiting == nil {
		l.waiting = make(chan struct{})
	}
	waiting := l.waiting
	l.mu.Unlock()
	select {
	case <-waiting:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *Limits) hasSpace() bool {
	return l.events <= l.maxEvents/2 && l.bytes <= l.maxBytes/2
}
