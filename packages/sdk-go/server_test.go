package annals_test

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	annals "github.com/OWNER/annals/packages/sdk-go"
)

// received is one request of the client.
type received struct {
	method, path, body string
	header             http.Header
}

// scripted is a server whose answers a test writes. It keeps every request.
type scripted struct {
	*httptest.Server
	mu       sync.Mutex
	requests []received
}

// serve starts a server that answers the nth request, from 1 on.
func serve(t *testing.T, answer func(w http.ResponseWriter, r *http.Request, n int)) *scripted {
	t.Helper()
	s := &scripted{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var reader io.Reader = r.Body
		if r.Header.Get("Content-Encoding") == "gzip" {
			reader, _ = gzip.NewReader(r.Body)
		}
		body, _ := io.ReadAll(reader)
		s.mu.Lock()
		s.requests = append(s.requests, received{r.Method, r.URL.String(), string(body), r.Header})
		n := len(s.requests)
		s.mu.Unlock()
		answer(w, r, n)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *scripted) received() []received {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]received(nil), s.requests...)
}

func fail(w http.ResponseWriter, status int, kind string) {
	w.Header().Set("X-Request-Id", "req_1")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"error":{"type":%q,"message":"of a test","details":[{"field":"action","message":"is bad"}]}}`, kind)
}

func stored(w http.ResponseWriter) {
	w.WriteHeader(http.StatusCreated)
	fmt.Fprint(w, `{"data":[]}`)
}

// hurried is a clock that waits for nothing.
type hurried struct{}

func (hurried) Now() time.Time                      { return time.Now() }
func (hurried) Wait(context.Context, time.Duration) {}

// counted counts the waits of a client.
type counted struct {
	hurried
	count atomic.Int32
}

func (c *counted) Wait(context.Context, time.Duration) { c.count.Add(1) }

// closed stores all that is buffered. The clock would not leave it the 10 seconds.
func closed(t *testing.T, client *annals.Client) {
	t.Helper()
	limited, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := client.Close(limited); err != nil {
		t.Error(err)
	}
}

func clientOf(t *testing.T, url string, change func(*annals.Options)) *annals.Client {
	t.Helper()
	transport := &http.Transport{}
	options := annals.Options{BaseURL: url, APIKey: "key_secret", Transport: transport, Clock: hurried{}}
	options.Tracking.Logger = slog.New(slog.DiscardHandler)
	if change != nil {
		change(&options)
	}
	client, err := annals.New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(transport.CloseIdleConnections)
	return client
}
