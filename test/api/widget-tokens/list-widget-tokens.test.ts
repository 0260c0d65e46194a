// GET /v1/widget-tokens lists the widget tokens of the caller's account that are live, newest first, page by
// page, each once, of a key without keys:manage those it made, and never a token itself
// (docs/interface.md).

import { newClient, newKey, ownerOf } from "@annals/testing";
import { afterAll, describe, expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";
import { newToken } from "../../system/widget-client.ts";

const stack = inject("stack");
const { client, accountId } = await newClient(stack);
const owner = ownerOf(stack.databaseUrl);
const PATH = "/v1/widget-tokens";
afterAll(() => owner.close());
/** Newest first. */
const ids: string[] = [];
for (let made = 0; made < 5; made += 1) ids.unshift((await newToken(client)).id);

const idsOf = (body: { data: { id: string }[] }) => body.data.map(({ id }) => id);

describe("200", () => {
  test("newest first, as they were created, without the token", async () => {
    const { client: other } = await newClient(stack);
    const sent = { filter: { action: "a" }, parts: ["diff"], viewer: { id: "u" } };
    const created = await other.post(PATH, { ...sent, origins: ["https://a.example"] });
    const { token, ...shown } = created.body.data;
    const { body, text } = await other.get(PATH);
    expect(body).toEqual({ data: [shown], has_more: false, next_cursor: null });
    expect(text).not.toContain(token.slice(14, -2));
    expect(idsOf((await client.get(PATH)).body)).toEqual(ids);
  });

  test("pages, each token once, new ones in between not shown", async () => {
    const seen: string[] = [];
    let path = `${PATH}?limit=2`;
    for (;;) {
      const { body } = await client.get(path);
      seen.push(...idsOf(body));
      expect(body.has_more).toBe(body.next_cursor !== null);
      if (!body.has_more) break;
      path = `${PATH}?limit=2&cursor=${body.next_cursor}`;
      if (seen.length === 2) ids.unshift((await newToken(client)).id);
    }
    expect(seen).toEqual(ids.slice(1));
  });

  test("of a key without keys:manage those that it made, page by page; of one with it all", async () => {
    const all = await newClient(stack);
    const first = await newToken(all.client);
    const key = await newKey(stack.databaseUrl, all.accountId, ["events:read"]);
    const reader = all.client.as(key.key);
    expect((await reader.get(PATH)).body.data).toEqual([]);
    const own = [await newToken(reader), await newToken(reader)].map(({ id }) => id).toReversed();
    const last = await newToken(all.client);
    expect(idsOf((await reader.get(PATH)).body)).toEqual(own);
    const { body } = await reader.get(`${PATH}?limit=1`);
    expect([idsOf(body), body.has_more]).toEqual([own.slice(0, 1), true]);
    const { body: next } = await reader.get(`${PATH}?limit=1&cursor=${body.next_cursor}`);
    expect([idsOf(next), next.has_more]).toEqual([own.slice(1), false]);
    expect(idsOf((await all.client.get(PATH)).body)).toEqual([last.id, ...own, first.id]);
  });

  test("neither revoked ones, nor expired ones, nor those of a revoked key", async () => {
    const { client: other } = await newClient(stack);
    const [revoked, expired, live] = [
      await newToken(other),
      await newToken(other),
      await newToken(other),
    ];
    await other.delete(`${PATH}/${revoked.id}`);
    await owner.query("UPDATE keys.widget_tokens SET expires_at = created_at WHERE id = $1", [
      expired.id,
    ]);
    expect(idsOf((await other.get(PATH)).body)).toEqual([live.id]);
    const second = await newKey(stack.databaseUrl, accountId);
    const { id } = await newToken(client.as(second.key));
    expect(idsOf((await client.get(PATH)).body)).toContain(id);
    expect((await client.delete(`/v1/api-keys/${second.keyId}`)).status).toBe(204);
    expect(idsOf((await client.get(PATH)).body)).not.toContain(id);
  });
});

describe("422", () => {
  test.each([
    ["limit=0", "limit"],
    ["limit=101", "limit"],
    ["cursor=", "cursor"],
    ["cursor=MS4y", "cursor"],
    [
      `cursor=${Buffer.from("1.2026-01-01T00:00:00.000000Z.exp_1").toString("base64url")}`,
      "cursor",
    ],
    ["viewer=u", "viewer"],
  ])("%s", async (query, field) => {
    expectRefused(await client.get(`${PATH}?${query}`), "validation_error", { field });
  });
});
