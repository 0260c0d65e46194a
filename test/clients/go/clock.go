package main

import (
	"context"
	"sync"
	"time"
)

const start = "2026-01-31T09:30:00Z"

// driverClock moves only when a command moves it, from one wait of the client to the next.
type driverClock struct {
	mu    sync.Mutex
	now   time.Time
	shown time.Time
	waits map[*wait]bool
}

type wait struct {
	ctx context.Context
	due time.Time
	end chan struct{}
}

// newClock makes a clock. One that is paused ends waits, but shows no other time.
func newClock(now string, isPaused bool) (*driverClock, error) {
	if now == "" {
		now = start
	}
	at, err := time.Parse(time.RFC3339, now)
	clock := &driverClock{now: at, waits: map[*wait]bool{}}
	if isPaused {
		clock.shown = at
	}
	return clock, err
}

func (c *driverClock) time() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *driverClock) set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}

func (c *driverClock) Now() time.Time {
	if !c.shown.IsZero() {
		return c.shown
	}
	return c.time()
}

func (c *driverClock) Wait(ctx context.Context, d time.Duration) {
	c.until(ctx, d)()
}

// until begins a wait; what it returns ends with it.
func (c *driverClock) until(ctx context.Context, d time.Duration) func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	one := &wait{ctx: ctx, due: c.now.Add(d), end: make(chan struct{})}
	c.waits[one] = true
	return func() {
		select {
		case <-one.end:
		case <-ctx.Done():
			c.mu.Lock()
			defer c.mu.Unlock()
			delete(c.waits, one)
		}
	}
}

// limit is a context that ends by this clock. It has a deadline, so that no other limit is set.
func (c *driverClock) limit(d time.Duration) (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.Background())
	over := c.until(ctx, d)
	go func() {
		over()
		cancel()
	}()
	return limited{ctx, c.time().Add(d)}, cancel
}

type limited struct {
	context.Context
	deadline time.Time
}

func (l limited) Deadline() (time.Time, bool) { return l.deadline, true }

// isWaitedFor counts no wait whose context has ended: it is over, though its goroutine may not know.
func (c *driverClock) isWaitedFor() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.first() != nil
}

func (c *driverClock) first() *wait {
	var first *wait
	for one := range c.waits {
		if one.ctx.Err() == nil && (first == nil || one.due.Before(first.due)) {
			first = one
		}
	}
	return first
}

// step moves to the first wait that is due until then, and ends it. False if none is.
func (c *driverClock) step(until time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	first := c.first()
	if first == nil || first.due.After(until) {
		c.now = until
		return false
	}
	if first.due.After(c.now) {
		c.now = first.due
	}
	delete(c.waits, first)
	close(first.end)
	return true
}
