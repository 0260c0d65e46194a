// Guarantee: DuckDB and pyarrow read from a Parquet export with proofs the events that verify, and the
// queries of the documentation run. It needs Python with both.

import { spawnSync } from "node:child_process";
import { hash } from "node:crypto";
import { mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { chainOf } from "./made-export.ts";
import { parquetOf, verifyBytes } from "./made-parquet.ts";
import { pythonReaders } from "./python-readers.ts";

const PARTS = Array.from({ length: 40 }, (_, n) => ({ n, text: "é€😀\u{feff}", number: n / 7 }));
const made = chainOf("acct_1", PARTS);
const valid = parquetOf(made);
const readers = await pythonReaders();

test("DuckDB and pyarrow read the same events, and the queries of the page run", async () => {
  expect(await verifyBytes(valid)).toMatchObject({ events: 40 });
  if (readers === undefined) return;
  using folder = mkdtempDisposableSync(join(tmpdir(), "annals-duckdb-"));
  const file = join(folder.path, "export.parquet");
  writeFileSync(file, valid);
  const page = readFileSync(new URL("../../docs/exports.md", import.meta.url), "utf8");
  const [, blocks = ""] = page.split("### DuckDB\n");
  const sql = /```sql\n(.*?)```/s.exec(blocks)?.[1] ?? "";
  const queries = sql
    .split(";\n")
    .map((query) => query.trim().replaceAll("export.parquet", file))
    .filter((query) => query !== "");
  const script = join(import.meta.dirname, "query_parquet.py");
  const { stdout, stderr } = spawnSync(readers.command, [script, file, ...queries], {
    encoding: "utf8",
    env: { ...process.env, ...readers.environment },
  });
  expect(stderr).toBe("");
  const found = JSON.parse(stdout);
  expect(found).toMatchObject({
    rows: 40,
    time: "timestamp[us, tz=UTC]",
    summary: [40, 820, 1, 40],
    metadata: made.lines.map((line) => /"metadata":(\{.*?\}),"hash"/.exec(line)?.[1]),
    hashes: hash("sha256", made.places.map((place) => place.hash).join("")),
    entries: {
      "annals.chain": "acct_1",
      "annals.event_count": "40",
      "annals.last_hash": made.places.at(-1)?.hash,
    },
  });
  expect(queries.length).toBeGreaterThan(2);
  expect(found.queries).toHaveLength(queries.length);
});
