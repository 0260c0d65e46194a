// GET /v1/archives/{id}/evidence gives the file, byte for byte what `sha256` and `size_bytes` say, to its own
// account alone, and each download is recorded (docs/lifecycle.md).

import { newClient, ownerOf } from "@annals/testing";
import { hash } from "node:crypto";
import { afterAll, describe, expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";
import { putArchive } from "./archive-rows.ts";

const stack = inject("stack");
const owner = ownerOf(stack.databaseUrl);
const { accountId, client, key } = await newClient(stack);
const id = "arc_evidence1";
const { evidence: file } = await putArchive({ ...stack, owner, accountId, id });
const PATH = `/v1/archives/${id}/evidence`;

afterAll(() => owner.close());

describe("200", () => {
  test("the file", async () => {
    const answer = await fetch(`${stack.baseUrl}${PATH}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "application/x-tar",
      "content-length": String(file.length),
      "content-disposition": `attachment; filename="${id}.tar"`,
    });
    expect(bytes.equals(file)).toBe(true);
    const { data } = (await client.get("/v1/archives")).body;
    expect(data[0].evidence.sha256).toBe(hash("sha256", bytes));
  });
});

describe("404", () => {
  test.each(["arc_none", "exp_1", "x"])("%s", async (unknown) => {
    expectRefused(await client.get(`/v1/archives/${unknown}/evidence`), "not_found");
  });

  test("an archive of another account", async () => {
    const other = await newClient(stack);
    expectRefused(await other.client.get(PATH), "not_found");
  });

  test("one that is being written", async () => {
    await owner.query(
      `INSERT INTO exports.archives (account_id, from_sequence, to_sequence, id, month, head_sequence, head_hash, created_at,
         due_at, records_through)
       VALUES ($1, 2, 2, 'arc_wevidence', '2026-01', 2, '', '', now() + interval '1 hour', 2)`,
      [accountId],
    );
    expectRefused(await client.get("/v1/archives/arc_wevidence/evidence"), "not_found");
  });
});

describe("422", () => {
  test("a parameter", async () => {
    expectRefused(await client.get(`${PATH}?offset=1`), "validation_error", { field: "offset" });
  });
});
