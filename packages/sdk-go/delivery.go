package annals

import (
	"bytes"
	"context"
	"errors"
	"time"
)

const (
	// keyLifetime: the service remembers a key for 24 hours from the first attempt that it stored.
	keyLifetime = 23 * time.Hour
	// stalledAfter is the time without progress until the first warning, warnAgain that until the others.
	stalledAfter = 10 * time.Second
	warnAgain    = time.Minute
)

type batch struct {
	key string
	// texts are the events as JSON.
	texts [][]byte
	// unknownSince is when the first attempt began after which the batch may be stored, if there was one.
	unknownSince time.Time
	// isPatient: it waits for the next month of the plan.
	isPatient bool
	// onFirst is called before an attempt, with its time, as long as no earlier one may have stored the
	// batch; onRefused after such an attempt if it certainly had no effect. Both may be nil. An error ends
	// the delivery.
	onFirst   func(began time.Time) error
	onRefused func() error
}

type outcomeKind string

const (
	outcomeStored      outcomeKind = "stored"
	outcomeRefused     outcomeKind = "refused"
	outcomeQuota       outcomeKind = "quota"
	outcomeClosed      outcomeKind = "closed"
	outcomeUnconfirmed outcomeKind = "unconfirmed"
	// outcomeFailed: a function of the batch failed.
	outcomeFailed outcomeKind = "failed"
)

type outcome struct {
	kind outcomeKind
	err  error
	// faulty has the indexes of the events that were named, after a refusal.
	faulty map[int]bool
	// isOver: it is unconfirmed at the end of its key's life, and not because the client was closed.
	isOver bool
}

// delivery sends one batch until it has an outcome: attempts under one idempotency key, backoff, warnings
// without progress. It must never send a batch again under another key, and never after the service may
// have forgotten its key. One goroutine uses it at a time.
type delivery struct {
	// ctx ends when the client is closed.
	ctx context.Context
	// send stores a batch, in one attempt.
	send    func(ctx context.Context, body []byte, key string) error
	clock   Clock
	random  func() float64
	options TrackingOptions
	// waiting counts the events that are neither stored nor dropped.
	waiting func() int

	warnAt time.Time
}

// progress starts the time until the next warning again.
func (d *delivery) progress() { d.warnAt = d.clock.Now().Add(stalledAfter) }

func (d *delivery) deliver(b batch) outcome {
	body := bodyOf(b.texts)
	unknownSince := b.unknownSince
	// err is the last failure, and not that the client was closed.
	var err error
	for attempt := 1; d.ctx.Err() == nil; attempt++ {
		began := d.clock.Now()
		if isOver(began, unknownSince) {
			return outcome{kind: outcomeUnconfirmed, err: err, isOver: true}
		}
		if unknownSince.IsZero() && b.onFirst != nil {
			if err := b.onFirst(began); err != nil {
				return outcome{kind: outcomeFailed, err: err}
			}
		}
		failure := d.send(d.ctx, body, b.key)
		if failure == nil {
			return outcome{kind: outcomeStored}
		}
		if !isRefused(failure) && unknownSince.IsZero() {
			unknownSince = began
		}
		if d.ctx.Err() == nil || IsType(failure) {
			err = failure
		}
		if result := d.outcomeOf(b, failure, attempt, unknownSince); result != nil {
			return *result
		}
	}
	if unknownSince.IsZero() {
		return outcome{kind: outcomeClosed, err: err}
	}
	return outcome{kind: outcomeUnconfirmed, err: err}
}

// outcomeOf is what a failed attempt decides. Nil: the batch is sent again, and the time for that has come.
func (d *delivery) outcomeOf(b batch, err error, attempt int, unknownSince time.Time) *outcome {
	if IsType(err, ValidationError) {
		return &outcome{kind: outcomeRefused, err: err, faulty: namedIn(err)}
	}
	isUnknown := !unknownSince.IsZero()
	if !isUnknown && b.onRefused != nil {
		if err := b.onRefused(); err != nil {
			return &outcome{kind: outcomeFailed, err: err}
		}
	}
	delay := RetryDelay(err, attempt, d.random())
	isQuota := IsType(err, PlanLimitExceeded) && delay > keyLifetime
	if isQuota && !isUnknown && !b.isPatient {
		return &outcome{kind: outcomeQuota, err: err}
	}
	if isOver(d.clock.Now().Add(delay), unknownSince) {
		return &outcome{kind: outcomeUnconfirmed, err: err, isOver: true}
	}
	d.waitToRetry(delay, err, attempt)
	return nil
}

// repeat makes a call until it succeeds. False once the client is closed.
func (d *delivery) repeat(call func(ctx context.Context) error) bool {
	for attempt := 1; d.ctx.Err() == nil; attempt++ {
		err := call(d.ctx)
		if err == nil {
			return true
		}
		d.waitToRetry(RetryDelay(err, attempt, d.random()), err, attempt)
	}
	return false
}

func (d *delivery) report(drop Drop) {
	d.options.tell(func() { d.options.OnDrop(drop) })
}

// waitToRetry warns on the way if there is no progress, so that a wrong key or address does not stay
// unnoticed.
func (d *delivery) waitToRetry(delay time.Duration, err error, attempt int) {
	if d.ctx.Err() != nil {
		return
	}
	if d.options.OnRetry != nil {
		d.options.tell(func() { d.options.OnRetry(Retry{Err: err, Attempt: attempt, Delay: delay}) })
	}
	until := d.clock.Now().Add(delay)
	for now := d.clock.Now(); now.Before(until) && d.ctx.Err() == nil; now = d.clock.Now() {
		if !now.Before(d.warnAt) {
			d.warnAt = now.Add(warnAgain)
			d.warn(err)
		}
		next := until
		if d.warnAt.Before(next) {
			next = d.warnAt
		}
		d.clock.Wait(d.ctx, next.Sub(now))
	}
}

func (d *delivery) warn(err error) {
	stall := Stall{Waiting: d.waiting()}
	var own *Error
	if errors.As(err, &own) {
		stall.Type, stall.Status = own.Type, own.Status
	}
	d.options.tell(func() { d.options.OnStall(stall) })
}

func bodyOf(texts [][]byte) []byte {
	var body bytes.Buffer
	body.WriteString(`{"events":[`)
	body.Write(bytes.Join(texts, []byte(",")))
	body.WriteString("]}")
	return body.Bytes()
}

// isOver compares the time of day: a machine that sleeps stops the other clock.
func isOver(now, unknownSince time.Time) bool {
	return !unknownSince.IsZero() && now.Round(0).Sub(unknownSince.Round(0)) > keyLifetime
}

func namedIn(err error) map[int]bool {
	var own *Error
	if !errors.As(err, &own) {
		return nil
	}
	return own.NamedEvents()
}
