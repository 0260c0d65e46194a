package annals

import (
	"context"
	"maps"
)

// Tracker takes events: a Client, and what stands in for one.
type Tracker interface {
	Track(ctx context.Context, event NewEvent) bool
}

var _ Tracker = (*Client)(nil)

type enrichKey struct{}

// Enrich returns a context that completes each event which is tracked with it. The function gets the
// context of Track, which may have more than this one, and runs in the caller's goroutine. It must not
// change the maps of the event, but may replace them.
func Enrich(ctx context.Context, with func(ctx context.Context, event *NewEvent)) context.Context {
	before, _ := ctx.Value(enrichKey{}).(func(context.Context, *NewEvent))
	both := func(ctx context.Context, event *NewEvent) {
		with(ctx, event)
		if before != nil {
			before(ctx, event)
		}
	}
	return context.WithValue(ctx, enrichKey{}, both)
}

// WithActor returns a context whose events have this actor, unless they name their own.
func WithActor(ctx context.Context, actor Actor) context.Context {
	return Enrich(ctx, func(_ context.Context, event *NewEvent) {
		if event.Actor == nil {
			event.Actor = &actor
		}
	})
}

// WithContext returns a context whose events have these members of their context, unless they have them.
func WithContext(ctx context.Context, members map[string]any) context.Context {
	return Enrich(ctx, func(_ context.Context, event *NewEvent) {
		event.Context = merged(members, event.Context)
	})
}

// merged has the members of both, those of the second one first.
func merged(members, first map[string]any) map[string]any {
	all := make(map[string]any, len(members)+len(first))
	maps.Copy(all, members)
	maps.Copy(all, first)
	return all
}

// Enriched completes an event with what its context gives, as Track does. It is for what takes events in
// place of a client. It never panics.
func Enriched(ctx context.Context, event NewEvent) (complete NewEvent) {
	with, _ := ctx.Value(enrichKey{}).(func(context.Context, *NewEvent))
	complete = event
	if with == nil {
		return complete
	}
	defer func() { _ = recover() }()
	with(ctx, &complete)
	return complete
}
