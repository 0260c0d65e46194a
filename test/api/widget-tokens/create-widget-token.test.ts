// POST /v1/widget-tokens creates a token that reads what it was made for, until it ends, and is shown once
// (docs/interface.md).

import { newClient, newKey, ownerOf } from "@annals/testing";
import { afterAll, describe, expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";

const stack = inject("stack");
const { client, accountId, keyId } = await newClient(stack);
const owner = ownerOf(stack.databaseUrl);
const PATH = "/v1/widget-tokens";
const MAX_LIVE = 10_000;
/** Of one key. */
const SHARE = 2_500;
const MAX_FILTER_BYTES = 8_192;
afterAll(() => owner.close());

/** A filter of 20 values that has this many bytes as JSON. */
function filterOf(bytes: number) {
  const owls = (member: string, count: number) =>
    Array.from({ length: count }, (_, n) => `${member}${n}`.padEnd(212, "\u{1f989}"));
  const filter = { actor_id: owls("a", 10), target_id: owls("t", 9), action: "x" };
  const left = bytes - Buffer.byteLength(JSON.stringify(filter));
  return { ...filter, action: "x".repeat(1 + left) };
}

const secondsBetween = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 1_000;

describe("201", () => {
  test("of an empty body: all events, no part, for an hour, from no other origin, for no viewer", async () => {
    const { status, body } = await client.post(PATH, {});
    expect(status).toBe(201);
    const { data } = body;
    expect(data).toMatchObject({ filter: {}, parts: [], origins: [], viewer: null });
    expect(data.token).toMatch(/^annals_wt_[0-9A-Za-z]{46}$/);
    expect(data.token_prefix).toBe(`${data.token.slice(0, 14)}...${data.token.slice(-2)}`);
    expect(data.id).toMatch(/^wtok_[0-9a-z]{26}$/);
    expect(secondsBetween(data.created_at, data.expires_at)).toBe(3_600);
  });

  test("of all members: as they were sent, parts in their order and each once", async () => {
    const sent = {
      filter: {
        action: "invoice.*",
        occurred_from: "2026-01-01T01:00:00+01:00",
        after_sequence: 0,
      },
      expires_in: 60,
      viewer: { id: "u_7", name: "Ada" },
    };
    const { status, body } = await client.post(PATH, {
      ...sent,
      parts: ["metadata", "actor.meta", "metadata"],
      origins: ["https://a.example", "http://localhost:5173", "https://a.example"],
    });
    expect(status).toBe(201);
    const { expires_in: _, ...shown } = sent;
    expect(body.data).toMatchObject({
      ...shown,
      parts: ["actor.meta", "metadata"],
      origins: ["https://a.example", "http://localhost:5173"],
    });
    expect(secondsBetween(body.data.created_at, body.data.expires_at)).toBe(60);
  });

  test.each([60, 86_400])("for %i seconds", async (seconds) => {
    expect((await client.post(PATH, { expires_in: seconds })).status).toBe(201);
  });

  test("of the largest filter, with which its events are read", async () => {
    const { body } = await client.post(PATH, { filter: filterOf(MAX_FILTER_BYTES) });
    const widget = client.as(body.data.token);
    expect((await widget.get("/v1/widget/events")).body.data).toEqual([]);
    expectRefused(
      await client.post(PATH, { filter: filterOf(MAX_FILTER_BYTES + 1) }),
      "validation_error",
      { field: "filter", message: "filter: must have at most 8192 bytes" },
    );
  });

  test("of 20 origins, and of a viewer with the longest id and name", async () => {
    const origins = Array.from({ length: 20 }, (_, n) => `https://h${n}.example:8443`);
    const viewer = { id: "🦉".repeat(255), name: "n".repeat(255) };
    expect((await client.post(PATH, { origins, viewer })).status).toBe(201);
  });

  test("the token is nowhere in the database, only its hash", async () => {
    const { body } = await client.post(PATH, {});
    const rows = await owner.query(
      "SELECT * FROM keys.widget_tokens WHERE account_id = $1 AND id = $2",
      [accountId, body.data.id],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ created_by: keyId });
    expect(JSON.stringify(rows)).not.toContain(body.data.token.slice(10));
  });
});

describe("403", () => {
  test("plan_limit_exceeded: the account has 10,000 live tokens; ended ones do not count", async () => {
    const full = await newClient(stack);
    const revoked = await newKey(stack.databaseUrl, full.accountId);
    // Ended, of a revoked key, and one less than the limit that are live.
    await owner.query(
      "UPDATE keys.api_keys SET revoked_at = 'now' WHERE account_id = $1 AND id = $2",
      [full.accountId, revoked.keyId],
    );
    await fill(full.accountId, full.keyId, { count: 10, hours: -1, name: "ended" });
    await fill(full.accountId, revoked.keyId, { count: 10, hours: 1, name: "revoked" });
    for (let n = 0; n < MAX_LIVE / SHARE - 1; n += 1) {
      const { keyId: other } = await newKey(stack.databaseUrl, full.accountId);
      await fill(full.accountId, other, { count: SHARE, hours: 1, name: `live ${n} ` });
    }
    await fill(full.accountId, full.keyId, { count: SHARE - 1, hours: 1, name: "live" });
    const last = await full.client.post(PATH, {});
    expect(last.status).toBe(201);
    expectRefused(await full.client.post(PATH, {}), "plan_limit_exceeded", {
      message: /allows 10000 live/,
    });
    expect((await full.client.delete(`${PATH}/${last.body.data.id}`)).status).toBe(204);
    expect((await full.client.post(PATH, {})).status).toBe(201);
  });

  test("plan_limit_exceeded: a key has made its quarter; other keys go on", async () => {
    const full = await newClient(stack);
    const other = await newKey(stack.databaseUrl, full.accountId);
    await fill(full.accountId, full.keyId, { count: SHARE - 1, hours: 1, name: "share" });
    expect((await full.client.post(PATH, {})).status).toBe(201);
    expectRefused(await full.client.post(PATH, {}), "plan_limit_exceeded", {
      message: /^One key can have at most 2500 of the account's 10000 live widget tokens\./,
    });
    expect((await full.client.as(other.key).post(PATH, {})).status).toBe(201);
    const { widget_tokens, widget_tokens_of_key } = (await full.client.get("/v1/usage")).body.data;
    expect(widget_tokens).toEqual({ used: SHARE + 1, limit: MAX_LIVE });
    expect(widget_tokens_of_key).toEqual({ used: SHARE, limit: SHARE });
  });

  async function fill(
    account: string,
    key: string,
    { count, hours, name }: { count: number; hours: number; name: string },
  ): Promise<void> {
    await owner.query(
      `INSERT INTO keys.widget_tokens (account_id, id, token_prefix, secret_sha256, filter, filter_json, parts,
         origins, created_by, created_at, expires_at)
       SELECT $1, $5 || n, '', sha256(($1 || $5 || n)::bytea), '', '{}', '{}', '{}', $2, '2026',
         to_char(now() AT TIME ZONE 'UTC' + make_interval(hours => $4), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
       FROM generate_series(1, $3) AS n`,
      [account, key, count, hours, name],
    );
  }
});

describe("422", () => {
  const ORIGIN = /must be an origin as browsers send it, such as/;

  test.each<[object, string, RegExp?]>([
    [{ expires_in: 59 }, "expires_in"],
    [{ expires_in: 86_401 }, "expires_in"],
    [{ expires_in: 60.5 }, "expires_in"],
    [{ expires_in: "60" }, "expires_in"],
    [{ parts: ["actor"] }, "parts[0]"],
    [{ parts: "diff" }, "parts"],
    [{ filter: { actor: "u_1" } }, "filter.actor"],
    [{ filter: { action: "" } }, "filter.action"],
    [{ filter: { actor_id: "a".repeat(257) } }, "filter.actor_id"],
    [{ filter: { actor_id: ["a", "a".repeat(257)] } }, "filter.actor_id[1]"],
    [{ filter: { action: 1 } }, "filter.action", /^filter\.action: must be a string or an array$/],
    [{ filter: { occurred_from: "yesterday" } }, "filter.occurred_from"],
    [{ filter: { occurred_to: "2026-01-31T09:30:00" } }, "filter.occurred_to"],
    [{ filter: { after_sequence: -1 } }, "filter.after_sequence"],
    [{ filter: { cursor: "x" } }, "filter.cursor"],
    [{ filter: { order: "asc" } }, "filter.order"],
    [{ filter: [] }, "filter"],
    [{ origins: Array.from({ length: 21 }, (_, n) => `https://h${n}.example`) }, "origins"],
    [{ origins: ["*"] }, "origins[0]", ORIGIN],
    [{ origins: ["null"] }, "origins[0]", ORIGIN],
    [
      { origins: ["https://a.example", "https://a.example/"] },
      "origins[1]",
      /such as https:\/\/a\.example$/,
    ],
    [{ origins: ["https://A.example"] }, "origins[0]", /such as https:\/\/a\.example$/],
    [{ origins: ["https://a.example:443"] }, "origins[0]", /such as https:\/\/a\.example$/],
    [{ origins: ["https://u:p@a.example"] }, "origins[0]", ORIGIN],
    [{ origins: ["ftp://a.example"] }, "origins[0]", ORIGIN],
    [{ origins: ["https://*.example"] }, "origins[0]", ORIGIN],
    [{ viewer: {} }, "viewer.id"],
    [{ viewer: { id: "" } }, "viewer.id"],
    [{ viewer: { id: "a\nb" } }, "viewer.id"],
    [{ viewer: { id: "a".repeat(256) } }, "viewer.id"],
    [{ viewer: { id: "a", name: "\u2028" } }, "viewer.name"],
    [{ viewer: { id: "a", role: "x" } }, "viewer.role"],
    [{ name: "x" }, "name"],
  ])("%j", async (body, field, message) => {
    const answer = await client.post(PATH, body);
    expectRefused(answer, "validation_error", { field, ...(message && { message }) });
  });
});
