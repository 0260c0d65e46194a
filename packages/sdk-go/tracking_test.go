package annals_test

import (
	"context"
	"encoding/json"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	annals "github.com/OWNER/annals/packages/sdk-go"
)

// drops collects what a client says.
type drops struct {
	mu      sync.Mutex
	reasons []annals.DropReason
}

func (d *drops) take(drop annals.Drop) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for range drop.Events {
		d.reasons = append(d.reasons, drop.Reason)
	}
}

func (d *drops) all() []annals.DropReason {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.reasons)
}

func actionsIn(t *testing.T, requests []received) []string {
	t.Helper()
	var actions []string
	for _, one := range requests {
		var body struct{ Events []annals.NewEvent }
		if err := json.Unmarshal([]byte(one.body), &body); err != nil {
			t.Fatal(err)
		}
		for _, event := range body.Events {
			actions = append(actions, event.Action)
		}
	}
	return actions
}

func TestEventsOfManyGoroutinesAreStoredOnce(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, _ *http.Request, n int) {
		if n%3 == 0 {
			panic(http.ErrAbortHandler)
		}
		stored(w)
	})
	client := clientOf(t, server.URL, func(o *annals.Options) { o.Tracking.BatchEvents = 7 })
	var all sync.WaitGroup
	for range 8 {
		all.Add(1)
		go func() {
			defer all.Done()
			for range 100 {
				client.Track(ctx, annals.NewEvent{Action: "a"})
			}
		}()
	}
	all.Wait()
	closed(t, client)
	byKey := map[string]int{}
	for _, one := range server.received() {
		byKey[one.header.Get("Idempotency-Key")] = len(actionsIn(t, []received{one}))
	}
	sum := 0
	for _, count := range byKey {
		sum += count
	}
	if sum != 800 || client.Buffered() != 0 {
		t.Errorf("%d events, %d buffered", sum, client.Buffered())
	}
}

func TestNoGoroutineIsLeftAndNothingRunsWhileIdle(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { stored(w) })
	transport := &http.Transport{}
	before := runtime.NumGoroutine()
	var clients []*annals.Client
	for range 100 {
		clients = append(clients, clientOf(t, server.URL, func(o *annals.Options) { o.Transport = transport }))
	}
	if now := runtime.NumGoroutine(); now > before {
		t.Errorf("100 clients without events run %d goroutines", now-before)
	}
	for _, client := range clients {
		client.Track(ctx, annals.NewEvent{Action: "a"})
		if err := client.Flush(ctx); err != nil {
			t.Fatal(err)
		}
	}
	for _, client := range clients[:50] {
		closed(t, client)
	}
	transport.CloseIdleConnections()
	server.CloseClientConnections()
	for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(deadline) {
			stacks := make([]byte, 1<<16)
			t.Fatalf("%s", stacks[:runtime.Stack(stacks, true)])
		}
	}
}

func TestClientsShareABound(t *testing.T) {
	release := make(chan struct{})
	server := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		<-release
		stored(w)
	})
	limits, told := annals.NewLimits(3, 0), &drops{}
	share := func(o *annals.Options) { o.Tracking.Limits, o.Tracking.OnDrop = limits, told.take }
	one, other := clientOf(t, server.URL, share), clientOf(t, server.URL, share)
	for range 2 {
		one.Track(ctx, annals.NewEvent{Action: "a"})
		other.Track(ctx, annals.NewEvent{Action: "b"})
	}
	if got := told.all(); !slices.Equal(got, []annals.DropReason{annals.DropFull}) {
		t.Error(got)
	}
	close(release)
	if err := one.Ready(ctx); err != nil {
		t.Error(err)
	}
	for _, client := range []*annals.Client{one, other} {
		closed(t, client)
	}
}

func TestACallbackThatPanicsChangesNothing(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, _ *http.Request, n int) {
		if n == 1 {
			fail(w, http.StatusUnprocessableEntity, "validation_error")
			return
		}
		stored(w)
	})
	client := clientOf(t, server.URL, func(o *annals.Options) {
		o.Tracking.OnDrop = func(annals.Drop) { panic("of a test") }
	})
	with := annals.Enrich(ctx, func(context.Context, *annals.NewEvent) { panic("of a test") })
	for _, action := range []string{"a", "b"} {
		if !client.Track(with, annals.NewEvent{Action: action}) {
			t.Errorf("%s is dropped", action)
		}
		if err := client.Flush(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if got := actionsIn(t, server.received()); !slices.Equal(got, []string{"a", "b"}) {
		t.Error(got)
	}
	if client.Track(ctx, annals.NewEvent{Action: "c", Metadata: map[string]any{"f": func() {}}}) {
		t.Error("a function has no JSON")
	}
	closed(t, client)
}

func TestTheContextOfATrackedEventGivesItsActorAndDoesNotCancelIt(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { stored(w) })
	client := clientOf(t, server.URL, nil)
	ended, cancel := context.WithCancel(ctx)
	ended = annals.WithActor(ended, annals.Actor{Type: "user", ID: "outer"})
	ended = annals.WithContext(ended, map[string]any{"region": "eu", "ip": "1.2.3.4"})
	cancel()
	client.Track(ended, annals.NewEvent{Action: "a", Context: map[string]any{"region": "us"}})
	inner := annals.WithActor(ended, annals.Actor{ID: "inner"})
	client.Track(inner, annals.NewEvent{Action: "b"})
	client.Track(inner, annals.NewEvent{Action: "c", Actor: &annals.Actor{ID: "own"}})
	closed(t, client)
	// The clock waits for no other events, so there are one to three batches.
	var events []annals.NewEvent
	for _, request := range server.received() {
		var body struct{ Events []annals.NewEvent }
		if err := json.Unmarshal([]byte(request.body), &body); err != nil {
			t.Fatal(err)
		}
		events = append(events, body.Events...)
	}
	var ids []string
	for _, event := range events {
		ids = append(ids, event.Actor.ID)
	}
	if !slices.Equal(ids, []string{"outer", "inner", "own"}) {
		t.Fatal(ids)
	}
	if got := events[0].Context; got["region"] != "us" || got["ip"] != "1.2.3.4" {
		t.Error(got)
	}
	if at := events[0].OccurredAt; !strings.HasSuffix(at, "Z") || len(at) != len("2026-01-31T09:30:00.000000Z") {
		t.Error(at)
	}
}

func TestAKeyThatCannotBeHadIsAskedForAgain(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { stored(w) })
	asked := 0
	client := clientOf(t, server.URL, func(o *annals.Options) {
		o.APIKey, o.APIKeyFunc = "", func(context.Context) (string, error) {
			if asked++; asked < 3 {
				panic("of a test")
			}
			return "k", nil
		}
	})
	client.Track(ctx, annals.NewEvent{Action: "a"})
	closed(t, client)
	if len(server.received()) != 1 || asked != 3 {
		t.Errorf("asked %d times", asked)
	}
}

func TestCloseEndsWithItsContextAndNamesWhatIsLeft(t *testing.T) {
	server := serve(t, func(_ http.ResponseWriter, r *http.Request, _ int) { <-r.Context().Done() })
	told := &drops{}
	client := clientOf(t, server.URL, func(o *annals.Options) {
		o.Tracking.OnDrop, o.Tracking.BatchEvents = told.take, 1
	})
	client.Track(ctx, annals.NewEvent{Action: "a"})
	client.Track(ctx, annals.NewEvent{Action: "b"})
	for len(server.received()) == 0 {
		runtime.Gosched()
	}
	ended, cancel := context.WithTimeout(ctx, time.Millisecond)
	defer cancel()
	if err := client.Close(ended); err == nil {
		t.Error("the time was over")
	}
	want := []annals.DropReason{annals.DropUnconfirmed, annals.DropClosed}
	if got := told.all(); !slices.Equal(got, want) {
		t.Error(got)
	}
}
