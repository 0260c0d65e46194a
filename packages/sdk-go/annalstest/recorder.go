// Package annalstest collects events for assertions in tests of applications.
package annalstest

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	annals "github.com/OWNER/annals/packages/sdk-go"
)

// Recorder stands in for a client: it takes events, and sends nothing. The zero value is ready.
type Recorder struct {
	mu     sync.Mutex
	events []annals.NewEvent
}

var _ annals.Tracker = (*Recorder)(nil)

// Track keeps an event as the service would get it. False for one that a client would not take.
func (r *Recorder) Track(ctx context.Context, event annals.NewEvent) bool {
	text, err := json.Marshal(annals.Enriched(ctx, event))
	if err != nil {
		return false
	}
	var kept annals.NewEvent
	if json.Unmarshal(text, &kept) != nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, kept)
	return true
}

// Events are what was tracked, in order.
func (r *Recorder) Events() []annals.NewEvent {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.events)
}

// Actions are the actions of what was tracked, in order.
func (r *Recorder) Actions() []string {
	actions := []string{}
	for _, event := range r.Events() {
		actions = append(actions, event.Action)
	}
	return actions
}

// Reset forgets what was tracked.
func (r *Recorder) Reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = nil
}
