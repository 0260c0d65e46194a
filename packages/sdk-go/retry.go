package annals

import (
	"errors"
	"time"
)

const (
	firstDelay = 250 * time.Millisecond
	maxDelay   = 10 * time.Second
	// spread is the time over which retried calls come back after the Retry-After that they share.
	spread = time.Second
	// unknownFrom is the first status of responses that leave open whether the request had its effect.
	unknownFrom = 500
)

// isTemporary says whether the same request may succeed later. A plan's limit lasts for the month.
func isTemporary(err error) bool {
	return IsType(err, ConnectionError, TimeoutError, ServerError, RateLimitExceeded)
}

// isRefused says whether the request certainly had no effect: it was never written, or refused.
func isRefused(err error) bool {
	var own *Error
	return errors.As(err, &own) && own.HadNoEffect()
}

// RetryDelay is how long to wait before the next attempt: backoff with jitter, and never before Retry-After.
// attempt counts from 1, random is from 0 to 1.
func RetryDelay(err error, attempt int, random float64) time.Duration {
	var own *Error
	if errors.As(err, &own) && own.hasRetryAfter {
		return own.RetryAfter + time.Duration(random*float64(spread))
	}
	backoff := maxDelay
	// Later attempts would overflow the shift.
	if attempt < 10 {
		backoff = min(maxDelay, firstDelay<<(attempt-1))
	}
	return time.Duration(float64(backoff) * (0.5 + random/2))
}
