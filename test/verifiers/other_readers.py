"""Reads files with pandas, pyarrow and DuckDB, and prints as JSON what rows each finds. Called by other-readers.test.ts.

python3 other_readers.py FILE...

A row is its sequence number, action, actor's id, target's id and hash. A reader that fails has a text in place of rows.
"""
import json
import sys

import duckdb
import pandas
import pyarrow.parquet

COLUMNS = ("sequence_number", "action", "actor_id", "target_id", "hash")


def row(values):
    return [int(values[0]), *("" if value is None or value != value else str(value) for value in values[1:])]


def rows_of_frame(frame):
    return [row(values) for values in frame[list(COLUMNS)].itertuples(index=False) if str(values[0]) != ""]


def rows_of_events(events):
    return [row([event["sequence_number"], event["action"], event["actor"].get("id"), event["target"].get("id"),
                 event["hash"]]) for event in events]


def rows_of_json(lines):
    values = [json.loads(line) for line in lines]
    return rows_of_events(value.get("event", value) for value in values if "manifest" not in value)


def duck(path):
    source = {"csv": "read_csv('%s', all_varchar=true)", "quet": "read_parquet('%s')"}[path.rsplit(".", 1)[1][-4:]]
    number = "CAST(sequence_number AS BIGINT)"
    query = "SELECT %s FROM %s WHERE %s >= 1" % (", ".join(COLUMNS), source % path, number)
    return [row(values) for values in duckdb.sql(query).fetchall()]


def duck_json(path):
    """DuckDB as a splitter of lines and frames alone: what is in them is read as text."""
    query = "SELECT json FROM read_json_objects('%s', format='newline_delimited')" % path
    return rows_of_json(text for (text,) in duckdb.sql(query).fetchall())


def arrow(path):
    return [row([values[name] for name in COLUMNS]) for values in pyarrow.parquet.read_table(path).to_pylist()]


READERS = {
    ".parquet": {"pandas": lambda path: rows_of_frame(pandas.read_parquet(path).reset_index()), "pyarrow": arrow,
                 "DuckDB": duck},
    ".csv": {"pandas": lambda path: rows_of_frame(pandas.read_csv(path, dtype=str, keep_default_na=False)),
             "DuckDB": duck},
    ".jsonl": {"pandas": lambda path: rows_of_events(pandas.read_json(path, lines=True)["event"].dropna()),
               "DuckDB": duck_json},
    ".zst": {"DuckDB": duck_json},
}


def read(path):
    found = {}
    for name, reader in READERS["." + path.rsplit(".", 1)[1]].items():
        try:
            found[name] = reader(path)
        except Exception as error:  # whatever a reader makes of a file is an answer
            found[name] = "%s: %s" % (type(error).__name__, str(error)[:200])
    return found


print(json.dumps([read(path) for path in sys.argv[1:]]))
