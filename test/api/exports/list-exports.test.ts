// GET /v1/exports lists the exports of the caller's account, newest first, page by page, each once
// (docs/exports.md).

import { newClient } from "@annals/testing";
import { describe, expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";
import { exported, newExporter } from "../../system/exports-client.ts";

const stack = inject("stack");
const EXPORTS = 5;
const { client } = await newExporter(stack, [{ action: "a" }]);
/** Newest first. */
const ids: string[] = [];
/** Equal ones would be one. */
const another = () => exported(client, { filter: { before_sequence: 10 + ids.length } });
for (let made = 0; made < EXPORTS; made += 1) ids.unshift((await another()).data.id);

const idsOf = (body: { data: { id: string }[] }) => body.data.map(({ id }) => id);

describe("200", () => {
  test("newest first, each as GET shows it", async () => {
    const { status, body } = await client.get("/v1/exports");
    expect(status).toBe(200);
    expect(idsOf(body)).toEqual(ids);
    expect(body).toMatchObject({ has_more: false, next_cursor: null });
    const { body: one } = await client.get(`/v1/exports/${ids[0]}`);
    expect(body.data[0]).toEqual(one.data);
  });

  test("pages, each export once, new ones in between not shown", async () => {
    const seen: string[] = [];
    let path = "/v1/exports?limit=2";
    for (;;) {
      const { body } = await client.get(path);
      seen.push(...idsOf(body));
      expect(body.has_more).toBe(body.next_cursor !== null);
      if (!body.has_more) break;
      path = `/v1/exports?limit=2&cursor=${body.next_cursor}`;
      if (seen.length === 2) ids.unshift((await another()).data.id);
    }
    expect(seen).toEqual(ids.slice(1));
  });

  test("an account without exports", async () => {
    const { client: other } = await newClient(stack);
    const { body } = await other.get("/v1/exports");
    expect(body).toEqual({ data: [], has_more: false, next_cursor: null });
  });
});

describe("422", () => {
  test.each([
    ["limit=0", "limit"],
    ["limit=101", "limit"],
    ["limit=x", "limit"],
    ["cursor=", "cursor"],
    ["cursor=MS4y", "cursor"],
    [
      `cursor=${Buffer.from("1.2026-01-01T00:00:00.000000Z.evt_1").toString("base64url")}`,
      "cursor",
    ],
    ["status=completed", "status"],
  ])("%s", async (query, field) => {
    const answer = await client.get(`/v1/exports?${query}`);
    expectRefused(answer, "validation_error", { field });
  });
});
