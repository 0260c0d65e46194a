package annals

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httptrace"
	"sync/atomic"
	"time"
)

// attempt makes one request. Its errors are of type *Error.
func (t *transport) attempt(ctx context.Context, one *request, reading read) error {
	limited, cancel := context.WithCancel(ctx)
	var isLate atomic.Bool
	timer := time.AfterFunc(one.timeout, func() {
		isLate.Store(true)
		cancel()
	})
	defer timer.Stop()
	var written writing
	response, err := t.request(httptrace.WithClientTrace(limited, written.trace()), one)
	if err != nil {
		cancel()
		return asError(err, isLate.Load(), one.timeout, written.isNothing(err))
	}
	if response.StatusCode < 200 || response.StatusCode > 299 {
		defer cancel()
		defer response.Body.Close()
		// A status without a body, or with a broken one, says enough.
		body, _ := io.ReadAll(io.LimitReader(response.Body, maxErrorBody))
		return errorOf(response, body, t.clock.Now())
	}
	opened := &openBody{ReadCloser: response.Body, end: cancel}
	response.Body = opened
	err = reading(response)
	if response.Body != nil {
		_ = opened.Close()
	}
	if err != nil {
		return asError(err, isLate.Load(), one.timeout, false)
	}
	return nil
}

// openBody ends the context of its request when it is closed.
type openBody struct {
	io.ReadCloser
	end context.CancelFunc
}

func (b *openBody) Close() error {
	defer b.end()
	return b.ReadCloser.Close()
}

// key asks the application's function within the time of the attempt.
func (t *transport) key(ctx context.Context) (string, error) {
	type answer struct {
		key string
		err error
	}
	answers := make(chan answer, 1)
	go func() {
		var given answer
		defer func() { answers <- given }()
		defer func() {
			if thrown := recover(); thrown != nil {
				given.err = fmt.Errorf("the function of the API key panicked: %v", thrown)
			}
		}()
		given.key, given.err = t.apiKey(ctx)
	}()
	select {
	case given := <-answers:
		if given.err == nil && !isVisible(given.key) {
			// net/http would refuse it, too, but as if the request may have been written.
			return "", errors.New("the API key has a character that a header cannot have, such as a line break")
		}
		return given.key, given.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// isVisible says whether a text has the characters of ASCII that are printed, and no others.
func isVisible(text string) bool {
	for _, letter := range []byte(text) {
		if letter < ' ' || letter > '~' {
			return false
		}
	}
	return true
}

// noKey is a failure before the request was made.
type noKey struct{ error }

func (n noKey) Unwrap() error { return n.error }

// writing knows whether anything of a request was written.
type writing struct{ isAsked, isWritten atomic.Bool }

func (w *writing) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GetConn:      func(string) { w.isAsked.Store(true) },
		WroteHeaders: func() { w.isWritten.Store(true) },
	}
}

// isNothing believes a round tripper that reports nothing only where its error says so.
func (w *writing) isNothing(err error) bool {
	if _, isBefore := err.(noKey); isBefore {
		return true
	}
	if w.isAsked.Load() {
		return !w.isWritten.Load()
	}
	var failed *net.OpError
	return errors.As(err, &failed) && failed.Op == "dial"
}

func asError(err error, isLate bool, timeout time.Duration, isUnsent bool) *Error {
	if isLate {
		message := fmt.Sprintf("no response within %s", timeout)
		return &Error{Type: TimeoutError, Message: message, Unsent: isUnsent, cause: err}
	}
	message := "no response: " + err.Error()
	return &Error{Type: ConnectionError, Message: message, Unsent: isUnsent, cause: err}
}
