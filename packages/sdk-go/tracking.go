package annals

import (
	"fmt"
	"log/slog"
	"time"
)

// DropReason says why events were dropped.
type DropReason string

const (
	// DropFull: they came while the buffer was full.
	DropFull DropReason = "full"
	// DropRefused: the service found them invalid.
	DropRefused DropReason = "refused"
	// DropUnserializable: they cannot be written as JSON, such as NaN.
	DropUnserializable DropReason = "unserializable"
	// DropQuota: the plan's events are used up for more than 23 hours.
	DropQuota DropReason = "quota"
	// DropClosed: they came after Close, or were not sent in its time.
	DropClosed DropReason = "closed"
	// DropUnconfirmed: they were sent, no response came in time, and they may be stored.
	DropUnconfirmed DropReason = "unconfirmed"
	// DropDamaged: their file on disk was changed.
	DropDamaged DropReason = "damaged"
)

// Drop names events that are not stored.
type Drop struct {
	Reason DropReason
	Events []NewEvent
	// Err is the last failure; nil if there was none.
	Err error
}

// Retry is a failed attempt that will be repeated.
type Retry struct {
	Err     error
	Attempt int
	Delay   time.Duration
}

// Stall says that nothing was stored or dropped for a while, because attempts fail.
type Stall struct {
	// Type and Status are those of the last failure, such as authentication_error and 401.
	Type   ErrorType
	Status int
	// Waiting counts the events that are neither stored nor dropped.
	Waiting int
}

// TrackingOptions are the settings of Track. The zero value has the defaults. Callbacks run in the goroutine
// that sends, or in that of Track: they must not wait for Flush, Ready or Close.
type TrackingOptions struct {
	// Spool: events wait on disk, and outlive the process. MaxEvents, MaxBytes and Limits have no effect then.
	Spool *Spool
	// OnDrop is called for each dropped event. By default count and reason are logged as an error.
	OnDrop func(Drop)
	// OnRetry is called for each failed attempt that will be repeated.
	OnRetry func(Retry)
	// OnStall is called after 10 seconds without progress, and then each minute. By default it is logged as
	// a warning.
	OnStall func(Stall)
	// MaxEvents and MaxBytes are the buffer's bound, by default 10,000 events and 32 MiB of JSON.
	MaxEvents, MaxBytes int
	// Limits is a bound that several clients share, in place of the two above.
	Limits *Limits
	// BatchEvents and BatchBytes: a batch is sent once it has this many, at most 1,000 and 4 MB, by default
	// 500 and 1,000,000.
	BatchEvents, BatchBytes int
	// MaxWait is the longest that an event waits for others, by default a second.
	MaxWait time.Duration
	// Logger takes what no callback is set for; by default slog.Default().
	Logger *slog.Logger
}

const (
	defaultBatchEvents = 500
	defaultBatchBytes  = 1_000_000
	defaultMaxWait     = time.Second
)

func (o TrackingOptions) withDefaults() TrackingOptions {
	if o.BatchEvents <= 0 {
		o.BatchEvents = defaultBatchEvents
	}
	if o.BatchBytes <= 0 {
		o.BatchBytes = defaultBatchBytes
	}
	if o.MaxWait <= 0 {
		o.MaxWait = defaultMaxWait
	}
	if o.Limits == nil {
		o.Limits = NewLimits(o.MaxEvents, o.MaxBytes)
	}
	if o.OnDrop == nil {
		o.OnDrop = o.logDrop
	}
	if o.OnStall == nil {
		o.OnStall = o.logStall
	}
	return o
}

func (o TrackingOptions) logger() *slog.Logger {
	if o.Logger == nil {
		return slog.Default()
	}
	return o.Logger
}

func (o TrackingOptions) logDrop(drop Drop) {
	args := []any{"reason", string(drop.Reason), "events", len(drop.Events)}
	if drop.Err != nil {
		args = append(args, "error", drop.Err.Error())
	}
	o.logger().Error("annals: events were dropped", args...)
}

func (o TrackingOptions) logStall(stall Stall) {
	o.logger().Warn(
		"annals: events are waiting to be sent, attempts fail",
		"type", string(stall.Type), "status", stall.Status, "waiting", stall.Waiting,
	)
}

// tell calls a callback of the application, whose panic does not stop the sending.
func (o TrackingOptions) tell(callback func()) {
	defer func() {
		if thrown := recover(); thrown != nil {
			defer func() { _ = recover() }()
			o.logger().Error("annals: a callback panicked", "panic", fmt.Sprint(thrown))
		}
	}()
	callback()
}
