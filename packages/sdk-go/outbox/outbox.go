// Package outbox adds events to the application's own transaction, over database/sql and PostgreSQL. Rolled
// back: never recorded. Committed: recorded once.
package outbox

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	mathrand "math/rand/v2"
	"strconv"
	"strings"
	"time"

	annals "github.com/OWNER/annals/packages/sdk-go"
)

const (
	keyLifetime = 23 * time.Hour
	errorLength = 1_000

	// warnFirst and warnEach are attempts without success that are logged: a wrong key does not stay unnoticed.
	warnFirst = 5
	warnEach  = 10

	defaultBatchEvents = 500
	defaultBatchBytes  = 1_000_000
	defaultPoll        = time.Second
)

// BatchStorer is what of a client the outbox needs.
type BatchStorer interface {
	StoreBatch(ctx context.Context, events []json.RawMessage, idempotencyKey string) error
}

// Options are the settings of an outbox. The zero value has the defaults.
type Options struct {
	// Producer numbers the committed events in context.producer, so that annals-verify --producers finds
	// missing ones.
	Producer string
	// BatchEvents and BatchBytes bound a batch: at most 1,000 and 4 MB, by default 500 and 1,000,000.
	BatchEvents, BatchBytes int
	// Poll is how long Run waits when there is nothing to send, by default a second.
	Poll time.Duration
	// OnDrop is called when events were refused or are unconfirmed, and moved. By default it is logged.
	OnDrop func(annals.Drop)
	// OnRetry is called for each failed attempt, of the service or of the database, that is repeated. By
	// default every tenth is logged, from the fifth on.
	OnRetry func(annals.Retry)
	// Logger takes what no callback is set for; by default slog.Default().
	Logger *slog.Logger
}

// Outbox sends what is committed. Several processes may run one each: one batch is in flight. It is for one
// goroutine.
type Outbox struct {
	client  BatchStorer
	db      *sql.DB
	options Options
	// most is halved while the service refuses batches without naming an event.
	most int
}

// New makes an outbox. db is the database with the tables of Schema.
func New(client BatchStorer, db *sql.DB, options Options) *Outbox {
	if options.BatchEvents <= 0 {
		options.BatchEvents = defaultBatchEvents
	}
	if options.BatchBytes <= 0 {
		options.BatchBytes = defaultBatchBytes
	}
	if options.Poll <= 0 {
		options.Poll = defaultPoll
	}
	if options.Logger == nil {
		options.Logger = slog.Default()
	}
	return &Outbox{client: client, db: db, options: options, most: options.BatchEvents}
}

// Execer is a transaction of database/sql that the caller has begun, and commits or rolls back.
type Execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// Add adds an event to a transaction. It fails if the event is no JSON.
func Add(ctx context.Context, transaction Execer, event annals.NewEvent) error {
	statement, text, err := Insert(ctx, event)
	if err != nil {
		return err
	}
	_, err = transaction.ExecContext(ctx, statement, text)
	return err
}

// Insert is the statement of Add with its one argument, for a driver that has another interface.
func Insert(ctx context.Context, event annals.NewEvent) (statement, argument string, err error) {
	event = annals.Enriched(ctx, event)
	if event.OccurredAt == "" {
		event.OccurredAt = time.Now().UTC().Format("2006-01-02T15:04:05.000000Z")
	}
	text, err := json.Marshal(event)
	return insertEvent, string(text), err
}

// Run sends what is committed, until the context ends. It then returns nil.
func (o *Outbox) Run(ctx context.Context) error {
	for attempt := 1; ctx.Err() == nil; {
		isSent, err := o.SendBatch(ctx)
		switch {
		case err != nil && ctx.Err() == nil:
			wait(ctx, o.delay(err, attempt))
			attempt++
			continue
		case err == nil && !isSent:
			wait(ctx, o.options.Poll)
		}
		attempt = 1
	}
	return nil
}

// SendBatch sends one batch until it has an outcome, or the context ends. False if there is none to send.
func (o *Outbox) SendBatch(ctx context.Context) (bool, error) {
	batch, err := o.mark(ctx)
	if err != nil || batch == nil {
		return false, err
	}
	isUnknown := !batch.isNew
	for attempt := 1; ctx.Err() == nil; attempt++ {
		if isUnknown && time.Since(timeOf(batch.id)) > keyLifetime {
			return true, o.move(ctx, batch, batch.rows, annals.DropUnconfirmed, nil)
		}
		failure := o.client.StoreBatch(ctx, textsOf(batch.rows), batch.id)
		if failure == nil {
			o.most = o.options.BatchEvents
			return true, deleteBatch(ctx, o.db, batch.id)
		}
		if annals.IsType(failure, annals.ValidationError) {
			return true, o.keepRefused(ctx, batch, failure)
		}
		// Nothing of it is stored, so its rows need not wait for this relay.
		if hadNoEffect(failure) && !isUnknown {
			isUnmarked, err := unmarkOwn(ctx, o.db, batch)
			if err != nil {
				return true, err
			}
			if isUnmarked {
				return true, failure
			}
		}
		isUnknown = true
		wait(ctx, o.delay(failure, attempt))
		if ctx.Err() == nil {
			if err := touchBatch(ctx, o.db, batch.id); err != nil {
				return true, err
			}
		}
	}
	return true, ctx.Err()
}

func (o *Outbox) mark(ctx context.Context) (*marked, error) {
	hasRows, err := hasRows(ctx, o.db)
	if err != nil || !hasRows {
		return nil, err
	}
	transaction, err := o.db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = transaction.Rollback() }()
	id := fmt.Sprintf("%d-%s", time.Now().UnixMilli(), rand.Text())
	batch, err := mark(ctx, transaction, id, o.most, o.options.BatchBytes)
	if err != nil || batch == nil {
		return nil, err
	}
	if o.options.Producer != "" && batch.isNew {
		if err := number(ctx, transaction, o.options.Producer, batch.rows); err != nil {
			return nil, err
		}
	}
	return batch, transaction.Commit()
}

// keepRefused moves the rows at fault of a refused batch, of which nothing is stored. The others go in
// another one.
func (o *Outbox) keepRefused(ctx context.Context, batch *marked, refusal error) error {
	var own *annals.Error
	named := map[int]bool{}
	if errors.As(refusal, &own) {
		named = own.NamedEvents()
	}
	var faulty []row
	for index, each := range batch.rows {
		if named[index] || len(batch.rows) == 1 {
			faulty = append(faulty, each)
		}
	}
	if len(faulty) > 0 {
		return o.move(ctx, batch, faulty, annals.DropRefused, refusal)
	}
	o.most = (len(batch.rows) + 1) / 2
	return unmark(ctx, o.db, batch.id)
}

func (o *Outbox) move(
	ctx context.Context, batch *marked, rows []row, reason annals.DropReason, failure error,
) error {
	why := "no response"
	if failure != nil {
		why = failure.Error()
	}
	why = strings.ToValidUTF8(why[:min(len(why), errorLength)], "")
	if err := o.refuse(ctx, batch, rows, string(reason), why); err != nil {
		return err
	}
	drop := annals.Drop{Reason: reason, Err: failure}
	for _, each := range rows {
		var event annals.NewEvent
		_ = json.Unmarshal(each.event, &event)
		drop.Events = append(drop.Events, event)
	}
	o.tell(func() { o.dropped(drop) })
	return nil
}

// refuse moves and counts in one transaction: what is dropped must never look lost.
func (o *Outbox) refuse(ctx context.Context, batch *marked, rows []row, reason, why string) error {
	transaction, err := o.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = transaction.Rollback() }()
	if err := refuse(ctx, transaction, batch.id, rows, reason, why); err != nil {
		return err
	}
	if o.options.Producer != "" {
		if err := countDropped(ctx, transaction, o.options.Producer, len(rows)); err != nil {
			return err
		}
	}
	return transaction.Commit()
}

func (o *Outbox) dropped(drop annals.Drop) {
	if o.options.OnDrop != nil {
		o.options.OnDrop(drop)
		return
	}
	o.options.Logger.Error(
		"annals: events were moved to annals_outbox_refused", "reason", string(drop.Reason), "events", len(drop.Events),
	)
}

func (o *Outbox) delay(err error, attempt int) time.Duration {
	delay := annals.RetryDelay(err, attempt, mathrand.Float64())
	if o.options.OnRetry != nil {
		o.tell(func() { o.options.OnRetry(annals.Retry{Err: err, Attempt: attempt, Delay: delay}) })
	} else if attempt%warnEach == warnFirst {
		o.options.Logger.Warn("annals: the outbox waits, attempts fail", "error", err.Error())
	}
	return delay
}

// tell calls a callback of the application, whose panic does not stop the sending.
func (o *Outbox) tell(callback func()) {
	defer func() {
		if thrown := recover(); thrown != nil {
			o.options.Logger.Error("annals: a callback panicked", "panic", fmt.Sprint(thrown))
		}
	}()
	callback()
}

func hadNoEffect(err error) bool {
	var own *annals.Error
	return errors.As(err, &own) && own.HadNoEffect()
}

// timeOf is the time of the first attempt, with which the id of a batch begins.
func timeOf(batch string) time.Time {
	at, _, _ := strings.Cut(batch, "-")
	ms, _ := strconv.ParseInt(at, 10, 64)
	return time.UnixMilli(ms)
}

func textsOf(rows []row) []json.RawMessage {
	texts := make([]json.RawMessage, len(rows))
	for index, each := range rows {
		texts[index] = each.event
	}
	return texts
}

func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
