// Verifies a Parquet export in constant memory, a row group at a time, and reads each byte once. Called by
// verify-file.ts. It must never take a file as valid in which a query would see another value than the one
// that was hashed.

import { Erasures } from "@annals/event";
import { BadLine } from "./bad-line.ts";
import { BodyDigest } from "./body-digest.ts";
import { ChainWalk } from "./chain-walk.ts";
import { checkEvent } from "./check-line.ts";
import { checkedEvent } from "./checked-event.ts";
import { conclude } from "./conclude.ts";
import { NotChecked } from "./evidence/evidence-fault.ts";
import { readColumn } from "./parquet-column.ts";
import { MAGIC, readFooter } from "./parquet-footer.ts";
import type { Group } from "./parquet-groups.ts";
import { type Cell, COLUMNS, readRow, type Row } from "./parquet-row.ts";
import type { Report, Source, VerifyOptions } from "./report.ts";

/** Rejects with BadLine naming the first row that is not valid, from 1. */
export async function verifyParquet(
  source: Source,
  { onProgress, sha256 }: VerifyOptions = {},
): Promise<Report> {
  const { bytes: footer, groups, manifest } = await readFooter(source);
  const walk = new ChainWalk(manifest);
  const erasures = new Erasures();
  const digest = new BodyDigest(manifest.sizeBytes);
  digest.update(MAGIC);
  let line = 0;
  for (const group of groups()) {
    const bytes = await source.read(digest.bytes, digest.bytes + group.bytes);
    digest.update(bytes);
    for (const row of rowsOf(bytes, group, line + 1)) {
      line += 1;
      try {
        const event = readRow(row);
        checkEvent(event, manifest.chain);
        const checked = checkedEvent(event);
        walk.take(checked);
        erasures.take(checked);
      } catch (error) {
        throw error instanceof BadLine ? error.at(line) : error;
      }
    }
    onProgress?.(digest.bytes, source.size);
  }
  digest.update(footer);
  return conclude({ format: "parquet", source, sha256 }, manifest, {
    walk,
    erasures,
    digest,
    line,
  });
}

/** Throws BadLine for a row group that cannot be read, at its first row. */
function* rowsOf(bytes: Buffer, { chunks, rows }: Group, line: number): Generator<Row> {
  let from = 0;
  const columns = COLUMNS.map((column, number): readonly [string, readonly Cell[]] => {
    const chunk = chunks[number];
    if (chunk === undefined) throw new Error("a row group without a column");
    const own = bytes.subarray(from, (from += chunk.bytes));
    try {
      return [column.name, readColumn(own, column, chunk)];
    } catch (error) {
      if (error instanceof NotChecked) throw error;
      const { message } = error as Error;
      throw new BadLine(
        `the column ${column.name} of its row group cannot be read: ${message}`,
        line,
      );
    }
  });
  for (let row = 0; row < rows; row += 1)
    yield Object.fromEntries(columns.map(([name, cells]) => [name, cells[row]]));
}
