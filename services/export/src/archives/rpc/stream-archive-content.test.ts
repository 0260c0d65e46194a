// Guarantee: a download of an archive goes on only with the file that it began with: one that an erasure has
// written anew is not found. Each stream is recorded. With a real PostgreSQL and a real directory.

import { systemClock } from "@annals/contract";
import { ArchiveContent, StreamArchiveContentRequestSchema } from "@annals/proto/exports";
import { create } from "@bufbuild/protobuf";
import { createContextValues, type HandlerContext } from "@connectrpc/connect";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { directoryStorage } from "../../storage/directory-storage.ts";
import { ACCOUNT, TestExports } from "../../testing/test-exports.ts";
import { streamArchiveContent } from "./stream-archive-content.ts";

let exports: TestExports;

beforeAll(async () => {
  exports = await TestExports.open(inject("stack").databaseUrl);
  const folder = join(exports.directory, "archive", ACCOUNT, "2026-01-1-3");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "events.4.jsonl.zst"), "0123456789");
  await exports.database.query(
    `INSERT INTO exports.archives (account_id, from_sequence, to_sequence, id, month, head_sequence, head_hash, created_at,
       status, lease_token, records_through, written_at, file_token, text_bytes, text_sha256, events_bytes, events_sha256,
       evidence_bytes, evidence_sha256)
     VALUES ($1, 1, 3, 'arc_1', '2026-01', 3, '', '', 'completed', 4, 3, '', 4, 20, 't', 10, 'a', 5, 'b')`,
    [ACCOUNT],
  );
});
afterAll(() => exports.close());

async function read(given: { sha256?: string; offset?: bigint; id?: string; content?: number }) {
  const handle = streamArchiveContent({
    clock: systemClock(),
    database: exports.pool,
    storage: directoryStorage(exports.directory),
  });
  const request = create(StreamArchiveContentRequestSchema, {
    accountId: ACCOUNT,
    id: "arc_1",
    content: ArchiveContent.EVENTS,
    sha256: "a",
    ...given,
  });
  const context = { values: createContextValues(), signal: new AbortController().signal };
  const chunks: Uint8Array[] = [];
  for await (const { chunk } of handle(request, context as HandlerContext))
    if (chunk !== undefined) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const recorded = async () => {
  const rows = await exports.database.query<{ event: string }>(
    "SELECT event FROM exports.audit_outbox ORDER BY number",
  );
  return rows.map(({ event }) => JSON.parse(event).metadata);
};

test("from any offset, and each stream is recorded", async () => {
  expect(await read({})).toBe("0123456789");
  expect(await read({ offset: 4n })).toBe("456789");
  expect(await read({ offset: 10n })).toBe("");
  expect(await recorded()).toEqual([
    { content: "events", offset: "0" },
    { content: "events", offset: "4" },
  ]);
});

test.each([
  ["another digest", { sha256: "b" }, /written anew/],
  ["an offset behind the end", { offset: 11n }, /offset/],
  ["an offset before the beginning", { offset: -1n }, /offset/],
  ["another archive", { id: "arc_2" }, /arc_2/],
  ["another file", { content: 0 }, /content/],
])("%s is refused", async (_, given, message) => {
  await expect(read(given)).rejects.toThrow(message);
});
