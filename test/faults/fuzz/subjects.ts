// Gives an operation an account of its own with what its requests may name: events, keys, webhooks with
// deliveries, exports. Called by fuzz.test.ts. It must never give one operation what another changes.

import { ANY_KEY, type Permission, SCOPES, WIDGET } from "@annals/contract";
import {
  type Answer,
  eventually,
  HttpClient,
  markDelivered,
  newAccount,
  newKey,
  ownerOf,
} from "@annals/testing";
import { putArchive } from "../../api/archives/archive-rows.ts";
import { untilCovered } from "../../system/covered.ts";
import type { Known } from "./request.ts";

/** Small, since every verification and every export of the fuzzer reads it whole. */
const EVENTS = 20;
const EXPORTS = 3;
const ERASURES = 3;
const COVERED = 300;
/** As many as the numbers that the fuzzer mostly tries. */
const REPLAYED = 101;
/** Of those that are deleted one each is wanted; more than this is not needed. */
const MAX_DELETED = 900;
/** The limit of an account whose plan names none. */
const MAX_SINKS = 10;
/** The limit of the role mappings of an account, and of its workloads. */
const MAX_TRUSTED = 200;
/** Fields that a plan allows which does not say it. */
const MAX_FIELDS = 8;
const MAX_SEARCHES = 90;
const MAPPING = { provider: "okta", group: "fuzzed", role: "viewer" };
const WORKLOAD = { name: "fuzzed", issuer: "cluster", subject: "fuzzed", scopes: ["events:read"] };
const MADE_AT_A_TIME = 16;
const READY_WITHIN_MS = 60_000;
/** A name that no DNS server knows: a delivery fails at once. */
const NOWHERE = "https://receiver.invalid/";

export interface Subject {
  readonly name: string;
  readonly method: string;
  /** Below /v1. */
  readonly path: string;
  readonly scope: Permission;
}

/** `deletions` is how many requests may each delete something. */
export async function knownTo(
  { method, path, scope }: Subject,
  system: {
    readonly baseUrl: string;
    readonly databaseUrl: string;
    readonly dataDir: string;
    readonly deletions: number;
  },
): Promise<Known> {
  const { accountId, key } = await newAccount(system.databaseUrl);
  const others = SCOPES.filter((one) => one !== scope);
  const weak = await newKey(system.databaseUrl, accountId, others);
  const old = await newKey(system.databaseUrl, accountId);
  const client = new HttpClient(system.baseUrl, key);
  const keys =
    scope === WIDGET
      ? { good: await token(client), weak: key, revoked: await revokedToken(client) }
      : {
          good: key,
          weak: scope === ANY_KEY ? await token(client) : weak.key,
          revoked: old.key,
        };
  expectStatus(204, await client.delete(`/v1/api-keys/${old.keyId}`));
  const count = method === "DELETE" ? Math.min(system.deletions, MAX_DELETED) : 1;
  const isArchive = path.startsWith("/archives");
  const things = isArchive
    ? await archives(system, accountId)
    : await thingsOf({ method, path }, client, count);
  // Else every request would get the same refusal.
  if (path.endsWith("/replay")) await markDelivered(system.databaseUrl, accountId);
  client.close();
  return { ids: [], cursors: [], ...things, keys };
}

/** What an operation under `path` is about. */
async function thingsOf(
  { method, path }: Pick<Subject, "method" | "path">,
  client: HttpClient,
  count: number,
): Promise<Partial<Known>> {
  const [, noun] = path.split("/");
  switch (noun) {
    case "events":
      return path.endsWith("/batch") ? {} : await events(client);
    case "verify":
      return events(client);
    case "exports":
      return method === "DELETE"
        ? {
            ids: await many(
              client,
              "/v1/exports",
              (n) => ({ filter: { before_sequence: n + 9 } }),
              count,
            ),
          }
        : exportsOf(client);
    case "log":
      return log(client, path);
    case "retention":
    case "usage":
    case "widget":
      return events(client);
    case "erasures":
      return erasures(client);
    case "holds":
      return holds(client, count);
    case "widget-tokens":
      return { ids: await many(client, "/v1/widget-tokens", {}, count) };
    case "role-mappings":
      return {
        ids: await many(client, "/v1/role-mappings", MAPPING, Math.min(count, MAX_TRUSTED)),
      };
    case "workloads":
      return { ids: await many(client, "/v1/workloads", WORKLOAD, Math.min(count, MAX_TRUSTED)) };
    case "search":
      return {
        ids: await many(
          client,
          "/v1/search/fields",
          (n) => ({ path: `context.n_${n}`, type: "string" }),
          Math.min(count, MAX_FIELDS),
        ),
      };
    case "searches":
      return {
        ids: await many(client, "/v1/searches", { name: "fuzzed" }, Math.min(count, MAX_SEARCHES)),
      };
    case "sinks":
      await events(client);
      return { ids: method === "POST" && path === "/sinks" ? [] : await sinks(client, count) };
    case "webhooks":
      if (path.includes("/deliveries")) return deliveries(client);
      if (path.endsWith("/replay")) await events(client, REPLAYED);
      return { ids: await webhooks(client, count) };
    default:
      return { ids: await many(client, "/v1/api-keys", { name: "fuzzed" }, count) };
  }
}

/** No month of the test ends, so the files are put where the export service has them. */
async function archives(
  { databaseUrl, dataDir }: { readonly databaseUrl: string; readonly dataDir: string },
  accountId: string,
): Promise<Partial<Known>> {
  const owner = ownerOf(databaseUrl);
  const ids = ["arc_1", "arc_2"].map((id) => `${id}${accountId.slice("acct_".length)}`);
  for (const [index, id] of ids.entries())
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await putArchive({ owner, dataDir, accountId, id, from: index + 1 });
  await owner.close();
  return { ids };
}

async function token(client: HttpClient): Promise<string> {
  return (await newToken(client)).token;
}

async function revokedToken(client: HttpClient): Promise<string> {
  const { id, token: revoked } = await newToken(client);
  expectStatus(204, await client.delete(`/v1/widget-tokens/${id}`));
  return revoked;
}

async function newToken(client: HttpClient): Promise<{ id: string; token: string }> {
  const answer = await client.post("/v1/widget-tokens", { expires_in: 86_400, parts: ["diff"] });
  expectStatus(201, answer);
  return answer.body.data;
}

async function events(client: HttpClient, length = EVENTS): Promise<Partial<Known>> {
  const batch = Array.from({ length }, (_, n) => ({
    action: `fuzz.${n % 3}`,
    actor: { id: `u_${n % 2}`, type: "user" },
    metadata: { n },
  }));
  const stored = await client.post("/v1/events/batch", { events: batch });
  expectStatus(201, stored);
  const page = await client.get("/v1/events?limit=5");
  return {
    ids: stored.body.data.map(({ id }: { id: string }) => id),
    cursors: [page.body.next_cursor],
  };
}

async function exportsOf(client: HttpClient): Promise<Partial<Known>> {
  await events(client);
  const ids: string[] = [];
  for (let n = 0; n < EXPORTS; n += 1) {
    const body = { format: n === 1 ? "csv" : "jsonl", include_proofs: n === 2 };
    ids.push((await client.post("/v1/exports", body)).body.data.id);
  }
  for (const id of ids) {
    await eventually(
      "the export is completed",
      async () => (await client.get(`/v1/exports/${id}`)).body.data.status === "completed",
      READY_WITHIN_MS,
    );
  }
  const page = await client.get("/v1/exports?limit=1");
  return { ids, cursors: [page.body.next_cursor] };
}

/** Few, because an account has few open ones: one that was cancelled can be cancelled again. */
async function erasures(client: HttpClient): Promise<Partial<Known>> {
  const known = await events(client);
  const selector = (n: number) => ({ actor_id: `u_${n}`, parts: ["actor"] });
  const ids = await many(client, "/v1/erasures", selector, ERASURES);
  const page = await client.get("/v1/erasures?limit=1");
  return { ...known, ids, cursors: [page.body.next_cursor] };
}

async function holds(client: HttpClient, count: number): Promise<Partial<Known>> {
  await events(client);
  const range = (n: number) => ({ from_sequence: n + 1 });
  const ids = await many(client, "/v1/holds", range, Math.max(count, 2));
  const page = await client.get("/v1/holds?limit=1");
  return { ids, cursors: [page.body.next_cursor] };
}

/** More events than a tile has. All of them are covered. */
async function log(client: HttpClient, path: string): Promise<Partial<Known>> {
  await events(client, COVERED);
  await untilCovered(client, COVERED);
  if (path.includes("/entries/")) return { ids: ["000", "000.p/7"] };
  return { ids: ["0", "000", "000.p/7"] };
}

const webhooks = (client: HttpClient, count: number): Promise<string[]> =>
  many(client, "/v1/webhooks", { url: NOWHERE, events: ["*"] }, count);

/** At most as many as the plan allows. */
const sinks = (client: HttpClient, count: number): Promise<string[]> =>
  many(
    client,
    "/v1/sinks",
    { type: "http", config: { url: NOWHERE }, active: false },
    Math.min(count, MAX_SINKS),
  );

async function deliveries(client: HttpClient): Promise<Partial<Known>> {
  const [id = ""] = await webhooks(client, 1);
  await client.post("/v1/events/batch", { events: [{ action: "a" }, { action: "b" }] });
  const page = await eventually(
    "two deliveries were attempted",
    async () => {
      const { body } = await client.get(`/v1/webhooks/${id}/deliveries?limit=1`);
      return body.next_cursor ? body : undefined;
    },
    READY_WITHIN_MS,
  );
  return { ids: [id, page.data[0].id], cursors: [page.next_cursor] };
}

/** Makes `count` things by POST, a few at a time, and resolves to their ids. */
async function many(
  client: HttpClient,
  path: string,
  body: object | ((n: number) => object),
  count: number,
): Promise<string[]> {
  const ids: string[] = [];
  let left = count;
  const make = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const answer = await client.post(path, typeof body === "function" ? body(left) : body);
      expectStatus(201, answer);
      ids.push(answer.body.data.id);
    }
  };
  await Promise.all(Array.from({ length: MADE_AT_A_TIME }, make));
  return ids;
}

function expectStatus(status: number, answer: Answer): void {
  if (answer.status !== status) throw new Error(`${answer.status} ${answer.text}`);
}
