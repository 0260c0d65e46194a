package annals

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

const (
	claimEvery = 30 * time.Second
	// diskRetry is the time after a file could not be read or renamed.
	diskRetry = time.Second
)

// spoolTracker tracks with a spool: each event is on disk before Track returns, and batches are sent from
// there, those of earlier processes first. It must never lose an accepted event without naming it.
type spoolTracker struct {
	spool     *Spool
	options   TrackingOptions
	clock     Clock
	delivery  *delivery
	abort     context.CancelFunc
	apiKey    func(ctx context.Context) (string, error)
	accountID func(ctx context.Context) (string, error)
	producer  *producer

	mu  sync.Mutex
	own *ownFolder
	// others are folders of others, and those that this process has lost with events in memory.
	others     []*spoolFolder
	isClaimDue bool
	tracked    int
	settled    int
	// bytes are those of all files, counted again after each batch, and keptBytes those of files for a
	// person that this process has written.
	bytes, keptBytes int
	hurryTo          int
	waiters          []spoolWaiter
	isClosed         bool
	isLearning       bool
	endWait          context.CancelFunc
	// ended is closed when the goroutine ends; nil while none runs.
	ended chan struct{}
	// background is what else runs.
	background sync.WaitGroup
}

type spoolWaiter struct {
	isDone func() bool
	done   chan struct{}
}

func (s *Spool) open(t *transport, client Options) (*spoolTracker, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tracker != nil {
		return nil, errors.New("annals: a spool is for one client")
	}
	options, staticKey := client.Tracking.withDefaults(), ""
	if client.APIKeyFunc == nil {
		staticKey = client.APIKey
	}
	ctx, abort := context.WithCancel(context.Background())
	tracker := &spoolTracker{
		spool: s, options: options, clock: t.clock, abort: abort, apiKey: t.apiKey,
		accountID: t.accountID, isClaimDue: true,
	}
	if s.options.Producer != "" {
		tracker.producer = newProducer(s.dir, s.options.Producer, t.clock)
	}
	tracker.delivery = &delivery{
		ctx: ctx, send: t.sendBatch, clock: t.clock, random: t.random, options: options,
		waiting: tracker.buffered,
	}
	tracker.own = newOwnFolder(s, t.clock, &tracker.mu)
	tracker.own.isFull, tracker.own.problem, tracker.own.onLost = tracker.isFull, tracker.problem, tracker.lose
	// A process that is killed at once has left its key, so that the next one may claim its folder.
	if staticKey != "" {
		tracker.own.owner.Key = keyDigest(staticKey)
	}
	s.tracker = tracker
	tracker.background.Add(1)
	go tracker.keepHouse()
	tracker.mu.Lock()
	defer tracker.mu.Unlock()
	tracker.start()
	return tracker, nil
}

// tick is another function in tests.
var tick = func(every time.Duration) (<-chan time.Time, func()) {
	ticker := time.NewTicker(every)
	return ticker.C, ticker.Stop
}

// keepHouse tells other processes that this one lives, and looks for what others have left.
func (s *spoolTracker) keepHouse() {
	defer s.background.Done()
	touching, stopTouching := tick(touchEvery)
	defer stopTouching()
	claiming, stopClaiming := tick(claimEvery)
	defer stopClaiming()
	for {
		select {
		case <-touching:
			s.touch()
		case <-claiming:
			s.mu.Lock()
			s.isClaimDue = true
			s.start()
			s.mu.Unlock()
		case <-s.delivery.ctx.Done():
			return
		}
	}
}

func (s *spoolTracker) problem(err error) { s.spool.problem(s.options, err) }

func (s *spoolTracker) buffered() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sum(func(e *spoolEntry) int { return e.events })
}

func (s *spoolTracker) track(event NewEvent) bool {
	if event.OccurredAt == "" {
		event.OccurredAt = s.clock.Now().UTC().Format(timeLayout)
	}
	reason, problems := s.take(event)
	for _, problem := range problems {
		s.problem(problem)
	}
	if reason == "" {
		return true
	}
	s.report(Drop{Reason: reason, Events: []NewEvent{event}})
	return false
}

// take accepts an event, or says why it does not. Its problems are told without the lock.
func (s *spoolTracker) take(event NewEvent) (reason DropReason, problems []error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	// What is told while the lock is held would wait for it.
	own := s.own
	own.problem = func(err error) { problems = append(problems, err) }
	defer func() { own.problem = s.problem }()
	if s.isClosed {
		return DropClosed, nil
	}
	number, err := s.producer.next()
	if err != nil {
		problems = append(problems, err)
	}
	text, err := jsonOf(number.in(event))
	if err != nil {
		return DropUnserializable, problems
	}
	line := lineOf(text)
	if s.bytes+len(line) > s.spool.options.MaxBytes || !own.append(line) {
		return DropFull, problems
	}
	if err := s.producer.accept(number); err != nil {
		problems = append(problems, err)
	}
	s.tracked++
	s.bytes += len(line)
	if last := own.last(); last != nil && s.isFull(last) && s.endWait != nil {
		s.endWait()
	}
	s.start()
	return "", problems
}

func (s *spoolTracker) report(drop Drop) {
	if err := s.producer.drop(len(drop.Events)); err != nil {
		s.problem(err)
	}
	s.delivery.report(drop)
}

func (s *spoolTracker) ready(ctx context.Context) error {
	return s.until(ctx, func() bool { return s.bytes <= s.spool.options.MaxBytes/2 }, false)
}

func (s *spoolTracker) flush(ctx context.Context) error {
	target := -1
	return s.until(ctx, func() bool {
		if target < 0 {
			target = s.tracked
		}
		// Folders of other processes are looked for first.
		return !s.isClaimDue && s.settled >= target && len(s.others) == 0
	}, true)
}

// until waits for a condition, which is asked for with the lock.
func (s *spoolTracker) until(ctx context.Context, isDone func() bool, isHurried bool) error {
	s.mu.Lock()
	if isHurried {
		s.hurryTo = s.tracked
		if s.endWait != nil {
			s.endWait()
		}
	}
	s.start()
	if isDone() {
		s.mu.Unlock()
		return nil
	}
	done := make(chan struct{})
	s.waiters = append(s.waiters, spoolWaiter{isDone, done})
	s.mu.Unlock()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		s.mu.Lock()
		defer s.mu.Unlock()
		s.waiters = slices.DeleteFunc(s.waiters, func(w spoolWaiter) bool { return w.done == done })
		return context.Cause(ctx)
	}
}

// start runs the goroutine, with the lock.
func (s *spoolTracker) start() {
	if s.ended == nil && s.delivery.ctx.Err() == nil {
		s.ended = make(chan struct{})
		go s.run(s.ended)
	}
}

func (s *spoolTracker) touch() {
	s.mu.Lock()
	var errs []error
	if s.sum(func(e *spoolEntry) int { return e.events }) > 0 {
		errs = append(errs, s.own.touch())
	}
	for _, folder := range s.others {
		if folder.exists() {
			errs = append(errs, folder.touch(s.clock.Now()))
		}
	}
	s.mu.Unlock()
	if err := errors.Join(append(errs, s.producer.touch())...); err != nil {
		s.problem(err)
	}
}

// tellWaiters counts the bytes again, and ends waits, with the lock.
func (s *spoolTracker) tellWaiters() {
	s.bytes = s.keptBytes + s.sum(func(e *spoolEntry) int { return e.bytes })
	s.waiters = slices.DeleteFunc(s.waiters, func(w spoolWaiter) bool {
		isDone := w.isDone()
		if isDone {
			close(w.done)
		}
		return isDone
	})
}

func (s *spoolTracker) isFull(e *spoolEntry) bool {
	return e.events >= s.options.BatchEvents || e.bytes >= s.options.BatchBytes
}

func (s *spoolTracker) sum(count func(*spoolEntry) int) int {
	sum := 0
	for _, folder := range append(slices.Clone(s.others), s.own.folder) {
		for _, e := range folder.entries {
			sum += count(e)
		}
	}
	return sum
}
