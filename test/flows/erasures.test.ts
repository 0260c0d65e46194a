// Guarantee: an erasure over two ledgers, while the account appends, ends with one record for each erased
// event and none for another. The chain stays valid, and a bundle of evidence made afterwards is accepted by
// both verifiers and holds no erased value.

import { eventually, type HttpClient, newClient } from "@annals/testing";
import { verifyEvidence } from "annals-verify";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { untilCovered } from "../system/covered.ts";
import { exported } from "../system/exports-client.ts";
import { hasPython } from "../system/programs.ts";
import { shared } from "../system/shared-systems.ts";
import { reasonOf, verdict } from "../verifiers/python-evidence.ts";

const EVENTS = 1_000;
const ENDED_WITHIN_MS = 60_000;
const SECRET = "ada@example.com";

let client: HttpClient;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "annals-erasures-"));
  ({ client } = await newClient(await shared("webhooks")));
});

afterAll(async () => {
  client.close();
  await rm(folder, { recursive: true });
});

/** Events of one person and of another in turn. */
async function append(count: number): Promise<void> {
  const events = Array.from({ length: count }, (_, at) => ({
    action: "user.login",
    actor: at % 2 === 0 ? { id: SECRET } : { id: "u_2" },
    metadata: at % 2 === 0 ? { email: SECRET } : {},
  }));
  expect((await client.post("/v1/events/batch", { events })).status).toBe(201);
}

const completed = (id: string) =>
  eventually(
    "the erasure is completed",
    async () => {
      const { data } = (await client.get(`/v1/erasures/${id}`)).body;
      return data.status === "completed" && data;
    },
    ENDED_WITHIN_MS,
  );

test("an erasure under appends, and the evidence of it", async () => {
  await append(EVENTS);
  const asked = { actor_id: SECRET, parts: ["actor", "metadata"], reference: "case 7" };
  const { id } = (await client.post("/v1/erasures", asked)).body.data;
  let isAppending = true;
  const appending = (async () => {
    while (isAppending) {
      const event = { action: "user.logout", actor: { id: "u_2" } };
      expect((await client.post("/v1/events", event)).status).toBe(201);
    }
  })();
  const erasure = await completed(id);
  isAppending = false;
  await appending;
  expect(erasure).toMatchObject({ erased: EVENTS / 2, held: 0, up_to_sequence: EVENTS });

  const records = (await client.get("/v1/events?action=annals.erasure&limit=100")).body.data;
  expect(records).toHaveLength(EVENTS / 2 / 250);
  const verified = (await client.get("/v1/verify")).body.data;
  expect(verified).toMatchObject({ valid: true });

  await untilCovered(client, verified.to_sequence);
  const { content } = await exported(client, { format: "evidence" });
  const bytes = content.bytes ?? Buffer.alloc(0);
  expect(bytes.includes(SECRET)).toBe(false);
  const { text } = await client.get("/log/vkey");
  const logs = text.trimEnd().split("\n");
  const lines = logs.map((vkey) => `log ${vkey}\n`);
  const policy = Buffer.from(`${lines.join("")}quorum none\n`);
  const path = join(folder, "evidence.tar");
  await writeFile(path, bytes);
  expect(await verifyEvidence(path, { policy })).toMatchObject({ events: verified.to_sequence });
  if (hasPython) expect(reasonOf(verdict(bytes, { policy }))).toBe("valid");
});
