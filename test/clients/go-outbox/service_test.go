package outbox_test

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	annals "github.com/OWNER/annals/packages/sdk-go"
	"github.com/OWNER/annals/packages/sdk-go/outbox"
	_ "github.com/lib/pq"
)

// service keeps the actions and the key of each request.
type service struct {
	*httptest.Server
	mu        sync.Mutex
	sent      []string
	keys      []string
	producers []map[string]any
}

// serve answers the nth request, from 1 on, with the actions of its events.
func serve(t *testing.T, answer func(w http.ResponseWriter, r *http.Request, actions []string, n int)) *service {
	t.Helper()
	if _, err := db.Exec("TRUNCATE annals_outbox, annals_outbox_refused, annals_outbox_producers"); err != nil {
		t.Fatal(err)
	}
	s := &service{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var reader io.Reader = r.Body
		if r.Header.Get("Content-Encoding") == "gzip" {
			reader, _ = gzip.NewReader(r.Body)
		}
		var body struct{ Events []annals.NewEvent }
		_ = json.NewDecoder(reader).Decode(&body)
		actions := []string{}
		s.mu.Lock()
		for _, event := range body.Events {
			actions = append(actions, event.Action)
			if producer, isThere := event.Context["producer"].(map[string]any); isThere {
				s.producers = append(s.producers, producer)
			}
		}
		s.sent = append(s.sent, strings.Join(actions, " "))
		s.keys = append(s.keys, r.Header.Get("Idempotency-Key"))
		n := len(s.sent)
		s.mu.Unlock()
		answer(w, r, actions, n)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *service) all() ([]string, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	keys := slices.Compact(slices.Sorted(slices.Values(s.keys)))
	return slices.Clone(s.sent), len(keys)
}

func stores(w http.ResponseWriter, _ *http.Request, _ []string, _ int) {
	w.WriteHeader(http.StatusCreated)
	fmt.Fprint(w, `{"data":[]}`)
}

// refuses an action, by name or without one.
func refuses(bad string, isNamed bool) func(http.ResponseWriter, *http.Request, []string, int) {
	return func(w http.ResponseWriter, r *http.Request, actions []string, n int) {
		at := slices.Index(actions, bad)
		if at < 0 {
			stores(w, r, actions, n)
			return
		}
		w.WriteHeader(http.StatusUnprocessableEntity)
		details := "[]"
		if isNamed {
			details = fmt.Sprintf(`[{"field":"events[%d].x","message":"is bad"}]`, at)
		}
		fmt.Fprintf(w, `{"error":{"type":"validation_error","message":"m","details":%s}}`, details)
	}
}

func outboxOf(t *testing.T, url string, options outbox.Options) *outbox.Outbox {
	t.Helper()
	client, err := annals.New(annals.Options{BaseURL: url, APIKey: "k"})
	if err != nil {
		t.Fatal(err)
	}
	options.Poll = 5 * time.Millisecond
	if options.OnDrop == nil {
		options.OnDrop = func(annals.Drop) {}
	}
	return outbox.New(client, db, options)
}

// transact adds events in one transaction, which is committed or rolled back.
func transact(t *testing.T, isCommitted bool, actions ...string) {
	t.Helper()
	transaction, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	for _, action := range actions {
		if err := outbox.Add(ctx, transaction, annals.NewEvent{Action: action}); err != nil {
			t.Fatal(err)
		}
	}
	end := transaction.Rollback
	if isCommitted {
		end = transaction.Commit
	}
	if err := end(); err != nil {
		t.Fatal(err)
	}
}

// drain sends until nothing is left.
func drain(t *testing.T, o *outbox.Outbox) {
	t.Helper()
	for {
		isSent, err := o.SendBatch(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if !isSent {
			return
		}
	}
}

func equal(t *testing.T, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
}

// refusedRows are those of annals_outbox_refused, with their reasons.
func refusedRows(t *testing.T) []string {
	t.Helper()
	rows, err := db.Query("SELECT event->>'action', reason FROM annals_outbox_refused ORDER BY id")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var action, reason string
		if err := rows.Scan(&action, &reason); err != nil {
			t.Fatal(err)
		}
		all = append(all, action+" "+reason)
	}
	return all
}

func execute(t *testing.T, statement string, args ...any) {
	t.Helper()
	if _, err := db.Exec(statement, args...); err != nil {
		t.Fatal(err)
	}
}
