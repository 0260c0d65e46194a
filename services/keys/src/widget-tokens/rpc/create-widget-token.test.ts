// Guarantee: widget tokens that wait to be stored count with what was asked for. With a real PostgreSQL.

import { systemClock } from "@annals/contract";
import { CreateWidgetTokenRequestSchema } from "@annals/proto/keys";
import { bytesWaiting } from "@annals/testing";
import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { UNLIMITED_PLANS } from "../../accounts/rules/plan.ts";
import { migratedDatabase, POOL_SIZE, storeKey } from "../../testing/database.ts";
import { createWidgetToken } from "./create-widget-token.ts";

test("a token that waits counts with its filter and its origins", async () => {
  const { service: pool } = await migratedDatabase();
  const { accountId, keyId } = await storeKey(pool);
  const handle = createWidgetToken({
    clock: systemClock(),
    database: pool,
    prefix: "annals",
    plans: UNLIMITED_PLANS,
    random: randomBytes,
  });
  const action = "a".repeat(10_000);
  const request = create(CreateWidgetTokenRequestSchema, {
    accountId,
    filterJson: JSON.stringify({ action }),
    origins: [`https://${"o".repeat(10_000)}`],
    expiresInS: 60,
  });
  const context = { values: { get: () => ({ keyId }) } } as unknown as HandlerContext;
  const waited = { pool, connections: POOL_SIZE, accountId };
  const bytes = await bytesWaiting(waited, async () => handle(request, context));
  // A text has two bytes for each character.
  expect(bytes).toBeGreaterThan(4 * action.length);
  expect(bytes).toBeLessThan(4.1 * action.length);
});
