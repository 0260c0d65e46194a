"""Reads a Parquet export with DuckDB and pyarrow, and prints what they find as JSON. Called by parquet-readers.test.ts.

python3 query_parquet.py export.parquet [SQL]...
"""

import hashlib
import json
import sys

import duckdb
import pyarrow.parquet

path, *queries = sys.argv[1:]
table = pyarrow.parquet.read_table(path)
rows = table.to_pylist()
connection = duckdb.connect()
source = f"read_parquet('{path}')"
summary = connection.execute(
    f"SELECT count(*), sum(sequence_number), min(sequence_number), max(sequence_number) FROM {source}"
).fetchall()[0]
hashes = connection.execute(f"SELECT hash FROM {source} ORDER BY sequence_number").fetchall()
entries = pyarrow.parquet.read_metadata(path).metadata
print(
    json.dumps(
        {
            "rows": table.num_rows,
            "columns": table.schema.names,
            "time": str(table.schema.field("occurred_at").type),
            "summary": summary,
            "metadata": [row["metadata"] for row in rows],
            "hashes": hashlib.sha256("".join(h for (h,) in hashes).encode()).hexdigest(),
            "entries": {k.decode(): v.decode() for k, v in entries.items() if k.startswith(b"annals.")},
            "queries": [len(connection.execute(query).fetchall()) for query in queries],
        }
    )
)
