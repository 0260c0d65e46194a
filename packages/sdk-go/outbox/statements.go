package outbox

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

// Schema is for a migration of the application. The SDKs for TypeScript and Python have the same tables.
const Schema = `CREATE TABLE annals_outbox (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  event json NOT NULL,
  batch text,
  claimed_at timestamptz
);
CREATE INDEX annals_outbox_batch ON annals_outbox (batch) WHERE batch IS NOT NULL;
CREATE TABLE annals_outbox_refused (
  id bigint PRIMARY KEY,
  event json NOT NULL,
  reason text NOT NULL,
  error text NOT NULL,
  refused_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE annals_outbox_producers (
  id text PRIMARY KEY,
  n bigint NOT NULL,
  dropped bigint NOT NULL
);`

const insertEvent = "INSERT INTO annals_outbox (event) VALUES ($1::text::json)"

// marked is a batch.
type marked struct {
	id string
	// claimedAt is a text, so that it compares equal to what the table has.
	claimedAt string
	// isNew: this relay made the batch, and so no other can have sent it.
	isNew bool
	rows  []row
}

type row struct {
	id    int64
	event json.RawMessage
}

func hasRows(ctx context.Context, db *sql.DB) (bool, error) {
	var one int
	err := db.QueryRowContext(ctx, "SELECT 1 FROM annals_outbox LIMIT 1").Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// mark marks the next rows as a batch, or takes over one that its relay has not touched for a minute. Nil if
// there is none, or another relay sends one.
func mark(ctx context.Context, transaction *sql.Tx, id string, maxEvents, maxBytes int) (*marked, error) {
	// Of relays that come at once one decides. The lock ends with the transaction, whatever pools
	// connections.
	lock := "SELECT pg_advisory_xact_lock(hashtext('annals_outbox'))"
	if _, err := transaction.ExecContext(ctx, lock); err != nil {
		return nil, err
	}
	var before string
	var isLeft bool
	err := transaction.QueryRowContext(ctx, `SELECT batch, claimed_at < clock_timestamp() - interval '60 seconds'
		FROM annals_outbox WHERE batch IS NOT NULL LIMIT 1`).Scan(&before, &isLeft)
	isNew := errors.Is(err, sql.ErrNoRows)
	switch {
	case isNew:
		err = markNext(ctx, transaction, id, maxEvents, maxBytes)
	case err == nil && isLeft:
		id, err = before, touchBatch(ctx, transaction, before)
	case err == nil:
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	batch := &marked{id: id, isNew: isNew}
	if err := batch.read(ctx, transaction); err != nil || len(batch.rows) == 0 {
		return nil, err
	}
	return batch, nil
}

func markNext(ctx context.Context, transaction *sql.Tx, id string, maxEvents, maxBytes int) error {
	_, err := transaction.ExecContext(ctx, `UPDATE annals_outbox
		SET batch = $1::text, claimed_at = statement_timestamp()
		WHERE id IN (
			SELECT id FROM (
				SELECT id, row_number() OVER w AS events, sum(octet_length(event::text)) OVER w AS bytes
				FROM (SELECT id, event FROM annals_outbox ORDER BY id LIMIT $2::int) AS next
				WINDOW w AS (ORDER BY id)
			) AS counted
			WHERE events = 1 OR bytes <= $3::bigint
		)`, id, maxEvents, maxBytes)
	return err
}

// read reads the rows. Another relay may have sent them all before.
func (m *marked) read(ctx context.Context, transaction *sql.Tx) error {
	rows, err := transaction.QueryContext(ctx, `SELECT id, event::text, claimed_at::text FROM annals_outbox
		WHERE batch = $1::text ORDER BY annals_outbox.id`, m.id)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var each row
		var text string
		if err := rows.Scan(&each.id, &text, &m.claimedAt); err != nil {
			return err
		}
		each.event = json.RawMessage(text)
		m.rows = append(m.rows, each)
	}
	return rows.Err()
}

// touchBatch keeps other relays from taking a batch over.
func touchBatch(ctx context.Context, db Execer, id string) error {
	_, err := db.ExecContext(ctx,
		"UPDATE annals_outbox SET claimed_at = statement_timestamp() WHERE batch = $1::text", id)
	return err
}

func deleteBatch(ctx context.Context, db Execer, id string) error {
	_, err := db.ExecContext(ctx, "DELETE FROM annals_outbox WHERE batch = $1::text", id)
	return err
}

// unmark: nothing of the batch is stored, so its rows may go under another key.
func unmark(ctx context.Context, db Execer, id string) error {
	_, err := db.ExecContext(ctx,
		"UPDATE annals_outbox SET batch = NULL, claimed_at = NULL WHERE batch = $1::text", id)
	return err
}

// unmarkOwn unmarks a batch if no other relay has taken it over.
func unmarkOwn(ctx context.Context, db Execer, batch *marked) (bool, error) {
	result, err := db.ExecContext(ctx, `UPDATE annals_outbox SET batch = NULL, claimed_at = NULL
		WHERE batch = $1::text AND claimed_at = $2::text::timestamptz`, batch.id, batch.claimedAt)
	if err != nil {
		return false, err
	}
	count, err := result.RowsAffected()
	return count > 0, err
}

// refuse moves rows of a batch to the table of refused ones, and unmarks the others, in one statement.
func refuse(ctx context.Context, db Execer, id string, rows []row, reason, why string) error {
	ids := make([]string, len(rows))
	for index, each := range rows {
		ids[index] = strconv.FormatInt(each.id, 10)
	}
	_, err := db.ExecContext(ctx, `WITH moved AS (
			DELETE FROM annals_outbox WHERE batch = $1::text AND id = ANY($2::text::bigint[])
			RETURNING id, event
		), kept AS (
			INSERT INTO annals_outbox_refused (id, event, reason, error)
			SELECT id, event, $3::text, $4::text FROM moved
		)
		UPDATE annals_outbox SET batch = NULL, claimed_at = NULL
		WHERE batch = $1::text AND NOT id = ANY($2::text::bigint[])`,
		id, "{"+strings.Join(ids, ",")+"}", reason, why)
	return err
}

// number numbers rows that have no number yet, in the transaction that makes their first batch.
func number(ctx context.Context, transaction *sql.Tx, producer string, rows []row) error {
	_, err := transaction.ExecContext(ctx, `INSERT INTO annals_outbox_producers (id, n, dropped)
		VALUES ($1::text, 0, 0) ON CONFLICT (id) DO NOTHING`, producer)
	if err != nil {
		return err
	}
	var n, dropped int64
	err = transaction.QueryRowContext(ctx, `SELECT n, dropped FROM annals_outbox_producers
		WHERE id = $1::text FOR UPDATE`, producer).Scan(&n, &dropped)
	if err != nil {
		return err
	}
	type numbered struct {
		ID    int64  `json:"id"`
		Event string `json:"event"`
	}
	changed := []numbered{}
	for index, each := range rows {
		text, isNumbered, err := withNumber(each.event, producer, n+1, dropped)
		if err != nil {
			return err
		}
		// After a refusal it goes in another batch, and keeps its number.
		if isNumbered {
			continue
		}
		n++
		rows[index].event = text
		changed = append(changed, numbered{each.id, string(text)})
	}
	text, err := json.Marshal(changed)
	if err != nil {
		return err
	}
	_, err = transaction.ExecContext(ctx, `UPDATE annals_outbox AS o SET event = numbered.event::json
		FROM json_to_recordset($1::text::json) AS numbered (id bigint, event text)
		WHERE o.id = numbered.id`, string(text))
	if err != nil {
		return err
	}
	_, err = transaction.ExecContext(ctx,
		"UPDATE annals_outbox_producers SET n = $2::bigint WHERE id = $1::text", producer, n)
	return err
}

// withNumber adds a number to an event, unless it has one of this producer.
func withNumber(event json.RawMessage, producer string, n, dropped int64) (json.RawMessage, bool, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(event, &members); err != nil {
		return nil, false, err
	}
	within := map[string]json.RawMessage{}
	if text, isThere := members["context"]; isThere {
		if err := json.Unmarshal(text, &within); err != nil {
			return nil, false, err
		}
	}
	var known struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(within["producer"], &known) == nil && known.ID == producer {
		return nil, true, nil
	}
	given, err := json.Marshal(struct {
		ID      string `json:"id"`
		N       int64  `json:"n"`
		Dropped int64  `json:"dropped"`
	}{producer, n, dropped})
	if err != nil {
		return nil, false, err
	}
	within["producer"] = given
	if members["context"], err = json.Marshal(within); err != nil {
		return nil, false, err
	}
	text, err := json.Marshal(members)
	return text, false, err
}

func countDropped(ctx context.Context, db Execer, producer string, events int) error {
	_, err := db.ExecContext(ctx,
		"UPDATE annals_outbox_producers SET dropped = dropped + $2::bigint WHERE id = $1::text", producer, events)
	return err
}
