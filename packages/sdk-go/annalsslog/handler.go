// Package annalsslog records log lines that are marked as audit.
//
//	logger := slog.New(annalsslog.NewHandler(client, slog.Default().Handler()))
//	logger.InfoContext(ctx, "invoice.update", annalsslog.Audit(annals.NewEvent{}))
package annalsslog

import (
	"context"
	"log/slog"
	"time"

	annals "github.com/OWNER/annals/packages/sdk-go"
)

const (
	key        = "audit"
	timeLayout = "2006-01-02T15:04:05.000000Z"
)

// Audit marks a line as an event. Its message is the action, and its time that of the event, unless the
// event has its own.
func Audit(event annals.NewEvent) slog.Attr { return slog.Any(key, event) }

// Handler tracks the lines that are marked, and hands all lines on.
type Handler struct {
	tracker annals.Tracker
	next    slog.Handler
}

// NewHandler makes a handler. next gets every line, without the event; nil if nothing does.
func NewHandler(tracker annals.Tracker, next slog.Handler) *Handler {
	if next == nil {
		next = slog.DiscardHandler
	}
	return &Handler{tracker: tracker, next: next}
}

// Enabled: a line that is marked is recorded from Info on, whatever next takes.
func (h *Handler) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelInfo || h.next.Enabled(ctx, level)
}

// Handle tracks the event of a line. Whether it was taken is said by the client.
func (h *Handler) Handle(ctx context.Context, record slog.Record) error {
	rest := slog.NewRecord(record.Time, record.Level, record.Message, record.PC)
	record.Attrs(func(attr slog.Attr) bool {
		event, isEvent := attr.Value.Any().(annals.NewEvent)
		if attr.Key != key || !isEvent {
			rest.AddAttrs(attr)
			return true
		}
		h.tracker.Track(ctx, completed(event, record))
		return true
	})
	if !h.next.Enabled(ctx, record.Level) {
		return nil
	}
	return h.next.Handle(ctx, rest)
}

func completed(event annals.NewEvent, record slog.Record) annals.NewEvent {
	if event.Action == "" {
		event.Action = record.Message
	}
	if event.OccurredAt == "" && !record.Time.IsZero() {
		event.OccurredAt = record.Time.In(time.UTC).Format(timeLayout)
	}
	return event
}

// WithAttrs adds attributes for next alone: a mark belongs to one line.
func (h *Handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &Handler{tracker: h.tracker, next: h.next.WithAttrs(attrs)}
}

// WithGroup begins a group for next alone.
func (h *Handler) WithGroup(name string) slog.Handler {
	return &Handler{tracker: h.tracker, next: h.next.WithGroup(name)}
}
