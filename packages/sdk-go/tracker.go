package annals

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"
)

const (
	closeTimeout = 10 * time.Second
	timeLayout   = "2006-01-02T15:04:05.000000Z"
)

// tracker is the buffer of Track: a bounded queue of events, sent in batches by size and by time, one batch
// after the other, so that events are stored in the order in which they were tracked. It must never lose an
// event without naming it to OnDrop. Its goroutine runs while it has events.
type tracker struct {
	delivery *delivery
	options  TrackingOptions
	clock    Clock
	abort    context.CancelFunc

	mu      sync.Mutex
	queue   [][]byte
	queued  int // bytes of the queue
	events  int
	tracked int
	settled int
	// hurryTo: events up to this one do not wait for others.
	hurryTo  int
	waiters  []waiter
	isClosed bool
	// endWait ends the wait for more events; nil while there is none.
	endWait context.CancelFunc
	// ended is closed when the goroutine ends; nil while none runs.
	ended chan struct{}
}

type waiter struct {
	count int
	done  chan struct{}
}

type sendBatch func(ctx context.Context, body []byte, key string) error

func newTracker(send sendBatch, clock Clock, random func() float64, options TrackingOptions) *tracker {
	options = options.withDefaults()
	ctx, abort := context.WithCancel(context.Background())
	t := &tracker{options: options, clock: clock, abort: abort}
	t.delivery = &delivery{
		ctx: ctx, send: send, clock: clock, random: random, options: options, waiting: t.buffered,
	}
	return t
}

// buffered counts the events that are neither stored nor dropped.
func (t *tracker) buffered() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.events
}

func (t *tracker) track(event NewEvent) bool {
	// The time of the event, and not that of its arrival.
	if event.OccurredAt == "" {
		event.OccurredAt = t.clock.Now().UTC().Format(timeLayout)
	}
	text, err := jsonOf(event)
	reason := DropUnserializable
	if err == nil {
		reason = t.add(text)
	}
	if reason == "" {
		return true
	}
	t.delivery.report(Drop{Reason: reason, Events: []NewEvent{event}})
	return false
}

// add takes an event, or says why it does not.
func (t *tracker) add(text []byte) DropReason {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.isClosed {
		return DropClosed
	}
	if !t.options.Limits.add(len(text)) {
		return DropFull
	}
	t.queue = append(t.queue, text)
	t.queued += len(text)
	t.events++
	t.tracked++
	if t.endWait != nil && t.isBatchReady() {
		t.endWait()
	}
	if t.ended == nil {
		t.ended = make(chan struct{})
		go t.run()
	}
	return ""
}

func (t *tracker) ready(ctx context.Context) error { return t.options.Limits.ready(ctx) }

// flush returns when every event tracked so far is stored or dropped.
func (t *tracker) flush(ctx context.Context) error {
	t.mu.Lock()
	target := t.tracked
	t.hurryTo = target
	if t.endWait != nil {
		t.endWait()
	}
	if t.settled >= target {
		t.mu.Unlock()
		return nil
	}
	done := make(chan struct{})
	t.waiters = append(t.waiters, waiter{count: target, done: done})
	t.mu.Unlock()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		t.mu.Lock()
		defer t.mu.Unlock()
		t.waiters = slices.DeleteFunc(t.waiters, func(w waiter) bool { return w.done == done })
		return context.Cause(ctx)
	}
}

// close takes no more events, stores what is buffered, and drops what is not stored when the context ends.
func (t *tracker) close(ctx context.Context) error {
	t.mu.Lock()
	t.isClosed = true
	t.mu.Unlock()
	err := within(ctx, t.clock, t.flush)
	t.abort()
	t.mu.Lock()
	ended := t.ended
	t.mu.Unlock()
	if ended != nil {
		<-ended
	}
	return err
}

// within flushes until the context ends, or the time of Close if the context has no deadline.
func within(ctx context.Context, clock Clock, flush func(ctx context.Context) error) error {
	if _, isLimited := ctx.Deadline(); isLimited {
		return flush(ctx)
	}
	limited, cancel := context.WithCancelCause(ctx)
	var timing sync.WaitGroup
	timing.Add(1)
	go func() {
		defer timing.Done()
		clock.Wait(limited, closeTimeout)
		cancel(context.DeadlineExceeded)
	}()
	err := flush(limited)
	cancel(nil)
	timing.Wait()
	return err
}

// run sends batches until the queue is empty.
func (t *tracker) run() {
	t.delivery.progress()
	for {
		items := t.nextBatch()
		if items == nil {
			return
		}
		t.send(items)
	}
}

// nextBatch waits until a batch is complete. Nil ends the goroutine.
func (t *tracker) nextBatch() [][]byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.queue) == 0 {
		close(t.ended)
		t.ended = nil
		return nil
	}
	isHurried := t.settled < t.hurryTo || t.delivery.ctx.Err() != nil
	if !isHurried && !t.isBatchReady() {
		waiting, end := context.WithCancel(t.delivery.ctx)
		t.endWait = end
		t.mu.Unlock()
		t.clock.Wait(waiting, t.options.MaxWait)
		t.mu.Lock()
		t.endWait = nil
		end()
	}
	return t.takeBatch()
}

func (t *tracker) isBatchReady() bool {
	return len(t.queue) >= t.options.BatchEvents || t.queued >= t.options.BatchBytes
}

func (t *tracker) takeBatch() [][]byte {
	bytes, count := 0, 0
	for _, text := range t.queue {
		isFull := count >= t.options.BatchEvents || bytes+len(text) > t.options.BatchBytes
		if count > 0 && isFull {
			break
		}
		bytes += len(text)
		count++
	}
	items := slices.Clone(t.queue[:count])
	// The rest of the queue would keep what was sent in memory.
	clear(t.queue[:count])
	t.queue = t.queue[count:]
	t.queued -= bytes
	if len(t.queue) == 0 {
		t.queue = nil
	}
	return items
}

func (t *tracker) send(items [][]byte) {
	result := t.delivery.deliver(batch{key: newKey(), texts: items})
	switch result.kind {
	case outcomeStored:
		t.settle(items)
	case outcomeRefused:
		t.sendValid(items, result)
	default:
		t.drop(items, DropReason(result.kind), result.err)
	}
}

// sendValid drops the events at fault of a refused batch, of which nothing is stored, and sends the others.
func (t *tracker) sendValid(items [][]byte, refusal outcome) {
	var refused, valid [][]byte
	for index, text := range items {
		if refusal.faulty[index] || len(items) == 1 {
			refused = append(refused, text)
		} else {
			valid = append(valid, text)
		}
	}
	if len(refused) > 0 {
		t.drop(refused, DropRefused, refusal.err)
		if len(valid) > 0 {
			t.send(valid)
		}
		return
	}
	half := (len(items) + 1) / 2
	t.send(items[:half])
	t.send(items[half:])
}

func (t *tracker) drop(items [][]byte, reason DropReason, err error) {
	t.delivery.report(Drop{Reason: reason, Events: eventsOf(items), Err: err})
	t.settle(items)
}

func eventsOf(texts [][]byte) []NewEvent {
	events := make([]NewEvent, len(texts))
	for index, text := range texts {
		_ = json.Unmarshal(text, &events[index])
	}
	return events
}

func (t *tracker) settle(items [][]byte) {
	t.delivery.progress()
	bytes := 0
	for _, text := range items {
		bytes += len(text)
	}
	t.options.Limits.remove(len(items), bytes)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.events -= len(items)
	t.settled += len(items)
	t.waiters = slices.DeleteFunc(t.waiters, func(w waiter) bool {
		isDone := w.count <= t.settled
		if isDone {
			close(w.done)
		}
		return isDone
	})
}
