// Guarantee: exports that wait to be queued count with what was asked for. With a real PostgreSQL.

import { systemClock } from "@annals/contract";
import { CreateExportRequestSchema, ExportFormat } from "@annals/proto/exports";
import { EventFilterSchema } from "@annals/proto/ledger";
import { bytesWaiting } from "@annals/testing";
import { create } from "@bufbuild/protobuf";
import { createContextValues, type HandlerContext } from "@connectrpc/connect";
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { ACCOUNT, POOL_SIZE, TestExports } from "../../testing/test-exports.ts";
import { createExport } from "./create-export.ts";

let exports: TestExports;

beforeAll(async () => {
  exports = await TestExports.open(inject("stack").databaseUrl);
});
afterAll(() => exports.close());

test("a filter that waits counts twice: as it was sent, and as it is applied", async () => {
  const { pool } = exports;
  const handle = createExport({
    clock: systemClock(),
    database: pool,
    ledger: {
      listEvents: async () => ({ events: [] }) as never,
      readCheckpoint: async () => ({}) as never,
    },
    random: randomBytes,
    limits: { maxUnderWayPerAccount: 1, maxKeptPerAccount: 1, maxBytesPerAccount: 1 },
    wake: () => {},
  });
  const action = "a".repeat(100_000);
  const request = create(CreateExportRequestSchema, {
    accountId: ACCOUNT,
    format: ExportFormat.JSONL,
    filter: create(EventFilterSchema, { actions: [action] }),
    filterJson: JSON.stringify({ action }),
  });
  const context = { values: createContextValues(), signal: new AbortController().signal };
  const waited = { pool, connections: POOL_SIZE, accountId: ACCOUNT };
  const asked = async () => handle(request, context as HandlerContext);
  const bytes = await bytesWaiting(waited, asked);
  // A text has two bytes for each character.
  expect(bytes).toBeGreaterThan(3 * action.length);
  expect(bytes).toBeLessThan(3.1 * action.length);
});
