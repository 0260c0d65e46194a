// Package outbox_test tests the outbox of the Go SDK over PostgreSQL: an event that is added to a transaction
// is stored once if it is committed, and never if it is rolled back, though relays end, responses are lost
// and events refused. DATABASE_URL names a database of the test's own. Run by test/clients/go-outbox.test.ts.
package outbox_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	annals "github.com/OWNER/annals/packages/sdk-go"
	"github.com/OWNER/annals/packages/sdk-go/outbox"
	_ "github.com/lib/pq"
)

var (
	ctx = context.Background()
	db  *sql.DB
)

func TestMain(m *testing.M) {
	var err error
	if db, err = sql.Open("postgres", os.Getenv("DATABASE_URL")); err != nil {
		panic(err)
	}
	if _, err := db.Exec(outbox.Schema); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func TestWhatIsCommittedIsRecordedOnceAndWhatIsRolledBackNever(t *testing.T) {
	server := serve(t, stores)
	transact(t, true, "a1", "a2")
	transact(t, false, "b1")
	transact(t, true, "a3")
	drain(t, outboxOf(t, server.URL, outbox.Options{}))
	sent, _ := server.all()
	equal(t, sent, []string{"a1 a2 a3"})
}

// The control of the test above.
func TestInsertedOutsideOfTheTransactionWhatIsRolledBackIsRecorded(t *testing.T) {
	server := serve(t, stores)
	transaction, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	if err := outbox.Add(ctx, db, annals.NewEvent{Action: "b1"}); err != nil {
		t.Fatal(err)
	}
	if err := transaction.Rollback(); err != nil {
		t.Fatal(err)
	}
	drain(t, outboxOf(t, server.URL, outbox.Options{}))
	sent, _ := server.all()
	equal(t, sent, []string{"b1"})
}

func TestAnEventThatIsNoJSONFailsItsTransaction(t *testing.T) {
	event := annals.NewEvent{Action: "a", Metadata: map[string]any{"value": math.NaN()}}
	if err := outbox.Add(ctx, db, event); err == nil {
		t.Error("NaN is JSON")
	}
}

func TestTheContextGivesTheActor(t *testing.T) {
	serve(t, stores)
	as := annals.WithActor(ctx, annals.Actor{ID: "u_1"})
	if err := outbox.Add(as, db, annals.NewEvent{Action: "a"}); err != nil {
		t.Fatal(err)
	}
	var id string
	if err := db.QueryRow("SELECT event->'actor'->>'id' FROM annals_outbox").Scan(&id); err != nil || id != "u_1" {
		t.Error(id, err)
	}
}

func TestALostResponseTheSameRowsUnderTheSameKey(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request, actions []string, n int) {
		if n == 1 {
			transact(t, true, "a3")
		}
		if n < 3 {
			panic(http.ErrAbortHandler)
		}
		stores(w, r, actions, n)
	})
	transact(t, true, "a1", "a2")
	drain(t, outboxOf(t, server.URL, outbox.Options{}))
	sent, keys := server.all()
	equal(t, sent, []string{"a1 a2", "a1 a2", "a1 a2", "a3"})
	if keys != 2 {
		t.Errorf("%d keys", keys)
	}
}

func TestAfterAMinuteAnotherRelaySendsTheBatchOfOneThatEnded(t *testing.T) {
	arrived := make(chan bool, 1)
	server := serve(t, func(w http.ResponseWriter, r *http.Request, actions []string, n int) {
		if n == 1 {
			arrived <- true
			<-r.Context().Done()
			return
		}
		stores(w, r, actions, n)
	})
	transact(t, true, "a1")
	ending, end := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		_, err := outboxOf(t, server.URL, outbox.Options{}).SendBatch(ending)
		ended <- err
	}()
	<-arrived
	transact(t, true, "a2")
	next := outboxOf(t, server.URL, outbox.Options{})
	if isSent, err := next.SendBatch(ctx); isSent || err != nil {
		t.Errorf("two batches are in flight: %v", err)
	}
	end()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	execute(t, "UPDATE annals_outbox SET claimed_at = now() - interval '61 s' WHERE batch IS NOT NULL")
	drain(t, next)
	sent, keys := server.all()
	equal(t, sent, []string{"a1", "a1", "a2"})
	if keys != 2 {
		t.Errorf("%d keys", keys)
	}
}

func TestInAnOutageRowsWaitWithoutABatch(t *testing.T) {
	server := serve(t, stores)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nowhere := "http://" + listener.Addr().String()
	listener.Close()
	transact(t, true, "a1")
	if _, err := outboxOf(t, nowhere, outbox.Options{}).SendBatch(ctx); !annals.IsType(err, annals.ConnectionError) {
		t.Error(err)
	}
	var batch sql.NullString
	if err := db.QueryRow("SELECT batch FROM annals_outbox").Scan(&batch); err != nil || batch.Valid {
		t.Error(batch, err)
	}
	drain(t, outboxOf(t, server.URL, outbox.Options{}))
	sent, _ := server.all()
	equal(t, sent, []string{"a1"})
}

func TestRefusedRowsAreMovedAndTheOthersSent(t *testing.T) {
	server := serve(t, refuses("a2", true))
	var reasons []string
	onDrop := func(drop annals.Drop) { reasons = append(reasons, string(drop.Reason)+" "+drop.Events[0].Action) }
	transact(t, true, "a1", "a2", "a3")
	drain(t, outboxOf(t, server.URL, outbox.Options{OnDrop: onDrop}))
	sent, _ := server.all()
	equal(t, sent, []string{"a1 a2 a3", "a1 a3"})
	equal(t, refusedRows(t), []string{"a2 refused"})
	equal(t, reasons, []string{"refused a2"})
}

func TestARefusedRowThatIsNotCountedAsDroppedStays(t *testing.T) {
	server := serve(t, refuses("a2", true))
	alter := func(what string) {
		if _, err := db.Exec("ALTER TABLE annals_outbox_producers " + what); err != nil {
			t.Fatal(err)
		}
	}
	transact(t, true, "a2")
	alter("ADD CONSTRAINT none CHECK (dropped = 0)")
	defer alter("DROP CONSTRAINT none")
	_, err := outboxOf(t, server.URL, outbox.Options{Producer: "billing"}).SendBatch(t.Context())
	if err == nil {
		t.Fatal("the row was moved")
	}
	equal(t, refusedRows(t), nil)
}

func TestARefusalWithoutANameIsHalved(t *testing.T) {
	server := serve(t, refuses("a3", false))
	transact(t, true, "a1", "a2", "a3", "a4")
	drain(t, outboxOf(t, server.URL, outbox.Options{}))
	equal(t, refusedRows(t), []string{"a3 refused"})
}

func TestABatchThatStaysUnknownIsMoved(t *testing.T) {
	server := serve(t, stores)
	transact(t, true, "a1")
	old := fmt.Sprintf("%d-x", time.Now().Add(-24*time.Hour).UnixMilli())
	execute(t, "UPDATE annals_outbox SET batch = $1, claimed_at = '2026-01-01'", old)
	drain(t, outboxOf(t, server.URL, outbox.Options{}))
	sent, _ := server.all()
	equal(t, sent, []string{})
	equal(t, refusedRows(t), []string{"a1 unconfirmed"})
}

func TestBatchesHaveAtMostAsManyRowsAndBytes(t *testing.T) {
	server := serve(t, stores)
	transact(t, true, "a1", "a2", "a3")
	for _, action := range []string{"b1", "b2"} {
		metadata := map[string]any{"text": strings.Repeat("x", 250)}
		if err := outbox.Add(ctx, db, annals.NewEvent{Action: action, Metadata: metadata}); err != nil {
			t.Fatal(err)
		}
	}
	drain(t, outboxOf(t, server.URL, outbox.Options{BatchEvents: 2, BatchBytes: 300}))
	sent, _ := server.all()
	equal(t, sent, []string{"a1 a2", "a3", "b1", "b2"})
}

func TestTwoRelaysSendEachEventOnceAndInOrder(t *testing.T) {
	server := serve(t, stores)
	ending, end := context.WithCancel(ctx)
	var running sync.WaitGroup
	for range 2 {
		running.Add(1)
		go func() {
			defer running.Done()
			_ = outboxOf(t, server.URL, outbox.Options{BatchEvents: 3}).Run(ending)
		}()
	}
	var actions []string
	for number := range 20 {
		actions = append(actions, fmt.Sprint("a", number))
		transact(t, true, actions[number])
	}
	for count := 1; count > 0; {
		if err := db.QueryRow("SELECT count(*) FROM annals_outbox").Scan(&count); err != nil {
			t.Fatal(err)
		}
	}
	end()
	running.Wait()
	sent, _ := server.all()
	equal(t, strings.Fields(strings.Join(sent, " ")), actions)
}

func TestWithAProducerEachCommittedEventHasOneNumberMore(t *testing.T) {
	server := serve(t, refuses("a2", true))
	transact(t, true, "a1", "a2", "a3")
	transact(t, false, "b1")
	drain(t, outboxOf(t, server.URL, outbox.Options{Producer: "billing"}))
	transact(t, true, "a<4")
	drain(t, outboxOf(t, server.URL, outbox.Options{Producer: "billing"}))
	var numbers []string
	// The first request had three events, and was refused.
	for _, producer := range server.producers[3:] {
		numbers = append(numbers, fmt.Sprint(producer["id"], producer["n"], producer["dropped"]))
	}
	equal(t, numbers, []string{"billing1 0", "billing3 0", "billing4 1"})
}
