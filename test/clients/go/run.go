package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"sync"
	"time"

	annals "github.com/OWNER/annals/packages/sdk-go"
)

// poll is how often to look whether the client waits for its clock.
const poll = 200 * time.Microsecond

// run is what one open has made.
type run struct {
	fault   string
	clock   *driverClock
	spool   *annals.Spool
	clients []*annals.Client
	tracked int

	mu       sync.Mutex
	asked    int
	drops    []answer
	warnings []answer
	problems []string
}

func newRun(open openCommand) (*run, error) {
	clock, err := newClock(open.Now, open.Fault == "clock-paused")
	if err != nil {
		return nil, err
	}
	r := &run{fault: open.Fault, clock: clock, drops: []answer{}, warnings: []answer{}, problems: []string{}}
	if r.spool, err = r.newSpool(open); err != nil {
		return nil, err
	}
	count := 1
	if r.fault == "no-order" {
		count = 2
	}
	for range count {
		client, err := annals.New(r.options(open))
		if err != nil {
			return nil, err
		}
		r.clients = append(r.clients, client)
	}
	return r, nil
}

// newSpool is nil without a folder.
func (r *run) newSpool(open openCommand) (*annals.Spool, error) {
	if open.Spool == "" || r.fault == "no-spool" {
		return nil, nil
	}
	dir, err := spoiled(open.Spool, r.fault, r.clock.time())
	if err != nil {
		return nil, err
	}
	options := annals.SpoolOptions{MaxBytes: open.MaxBytes, Producer: open.Producer, OnProblem: r.failed}
	if r.fault == "no-bound" {
		options.MaxBytes = 0
	}
	if r.fault == "numbers-before-acceptance" {
		options.Producer = ""
	}
	return annals.NewSpool(dir, options)
}

func (r *run) failed(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.problems = append(r.problems, codeOf(err))
}

func (r *run) options(open openCommand) annals.Options {
	tracking := annals.TrackingOptions{
		Spool:       r.spool,
		OnDrop:      r.dropped,
		OnStall:     r.stalled,
		BatchEvents: open.BatchEvents,
		BatchBytes:  open.BatchBytes,
		MaxEvents:   open.MaxEvents,
		MaxWait:     time.Duration(open.MaxWaitMs) * time.Millisecond,
	}
	options := annals.Options{
		BaseURL:   open.BaseURL,
		Timeout:   time.Duration(open.TimeoutMs) * time.Millisecond,
		Tracking:  faultyTracking(r.fault, tracking),
		Transport: faultyTransport{r.fault, http.DefaultTransport},
		Clock:     r.clock,
		Random:    func() float64 { return 0 },
	}
	// A process that is killed at once must have left its key, which a function says a moment later.
	if r.spool != nil {
		options.APIKey = open.Keys[0]
	} else {
		options.APIKeyFunc = func(context.Context) (string, error) { return r.key(open.Keys), nil }
	}
	return options
}

func (r *run) key(keys []string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := min(r.asked, len(keys)-1)
	r.asked++
	if r.fault == "key-kept" {
		at = 0
	}
	return keys[at]
}

// dropped shows an error by its type and status.
func (r *run) dropped(drop annals.Drop) {
	actions := []string{}
	for _, event := range drop.Events {
		actions = append(actions, event.Action)
	}
	shown := answer{"reason": drop.Reason, "actions": actions, "type": nil, "status": nil}
	var failure *annals.Error
	if errors.As(drop.Err, &failure) {
		shown["type"] = failure.Type
		if failure.Status != 0 {
			shown["status"] = failure.Status
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.drops = append(r.drops, shown)
}

func (r *run) stalled(stall annals.Stall) {
	shown := answer{"type": stall.Type, "status": stall.Status, "waiting": stall.Waiting}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.warnings = append(r.warnings, shown)
}

// handle runs a command, whose beginning comes before that of the next one.
func (r *run) handle(one command, respond func(answer, error)) {
	switch one.Command {
	case "track":
		tracked, err := r.track(one)
		respond(answer{"tracked": tracked}, err)
	case "drops":
		respond(r.told())
	case "disk":
		respond(nil, r.fillDisk(one.Full))
	case "verify":
		valid, err := r.verify(one)
		respond(answer{"valid": valid}, err)
	case "ready":
		r.begin(one, respond, r.fault == "ready-at-once", (*annals.Client).Ready)
	case "flush":
		r.begin(one, respond, false, (*annals.Client).Flush)
	case "close":
		r.begin(one, respond, r.fault == "no-close", (*annals.Client).Close)
	case "advance":
		go func() {
			r.advance(time.Duration(one.Ms)*time.Millisecond, one.AtOnce)
			respond(nil, nil)
		}()
	default:
		respond(nil, fmt.Errorf("no such command: %s", one.Command))
	}
}

func (r *run) told() (answer, error) {
	var kept any
	if r.spool != nil {
		stats, err := r.spool.Stats()
		if err != nil {
			return nil, err
		}
		kept = stats
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return answer{
		"drops": slices.Clone(r.drops), "warnings": slices.Clone(r.warnings),
		"problems": slices.Clone(r.problems), "kept": kept,
	}, nil
}

// begin returns when each call waits, or is done.
func (r *run) begin(
	one command, respond func(answer, error), isLeftOut bool,
	call func(*annals.Client, context.Context) error,
) {
	if isLeftOut {
		respond(nil, nil)
		return
	}
	var done sync.WaitGroup
	for _, client := range r.clients {
		var ctx context.Context = context.Background()
		end := func() {}
		if one.Command == "close" {
			ctx, end = r.clock.limit(time.Duration(one.Ms) * time.Millisecond)
		}
		begun := newBegun(ctx)
		done.Add(1)
		go func() {
			defer done.Done()
			// That the time was over is seen in what is dropped.
			_ = call(client, begun)
			end()
			begun.mark()
		}()
		<-begun.begun
	}
	go func() {
		done.Wait()
		respond(nil, nil)
	}()
}

// begunContext knows when a call waits: it asks for Done then.
type begunContext struct {
	context.Context
	once  sync.Once
	begun chan struct{}
}

func newBegun(ctx context.Context) *begunContext {
	return &begunContext{Context: ctx, begun: make(chan struct{})}
}

func (c *begunContext) mark() { c.once.Do(func() { close(c.begun) }) }

func (c *begunContext) Done() <-chan struct{} {
	c.mark()
	return c.Context.Done()
}

func (r *run) track(one command) (bool, error) {
	var event annals.NewEvent
	if err := json.Unmarshal(one.Event, &event); err != nil {
		return false, err
	}
	if one.NotANumber {
		event.Metadata = map[string]any{"value": math.NaN()}
	}
	if one.NotANumber && r.fault == "nan-as-null" {
		event.Metadata = map[string]any{"value": nil}
	}
	client := r.clients[r.tracked%len(r.clients)]
	r.tracked++
	if r.fault == "numbers-before-acceptance" {
		producer := map[string]any{"id": "billing-000000000000", "n": r.tracked, "dropped": 0}
		event.Context = map[string]any{"producer": producer}
	}
	return client.Track(context.Background(), event), nil
}

// settled: the client waits for its clock or has nothing to send, and not for the network.
func (r *run) settled() {
	for {
		buffered := 0
		for _, client := range r.clients {
			buffered += client.Buffered()
		}
		if buffered == 0 || r.clock.isWaitedFor() {
			return
		}
		time.Sleep(poll)
	}
}

func (r *run) advance(d time.Duration, isAtOnce bool) {
	r.settled()
	until := r.clock.time().Add(d)
	if isAtOnce {
		r.clock.set(until)
	}
	for r.clock.step(until) {
		r.settled()
	}
}
