package annals

import (
	"context"
	"time"
)

// Clock is the time for retries and for the buffer of Track. Tests give one that they control.
type Clock interface {
	Now() time.Time
	// Wait returns after this time, or as soon as the context ends.
	Wait(ctx context.Context, d time.Duration)
}

type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (systemClock) Wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
