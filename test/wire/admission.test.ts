// Guarantee: a caller of a service, a gateway that was taken over included, acts for an account only with
// a statement of the keys service that names this account and the scope, made within the last minute. Nothing
// else is answered, and nothing of it is stored.

import { HttpClient, newAccount, newKey, ownerOf, type TestAccount } from "@annals/testing";
import {
  ANY_KEY,
  parseKeyFile,
  type Permission,
  type Scope,
  SCOPES,
  WIDGET,
  formatMicros,
  systemClock,
} from "@annals/contract";
import { ExportsService } from "@annals/proto/exports";
import { WebhooksService } from "@annals/proto/webhooks";
import { AdmissionSigner } from "@annals/rpc";
import type { DescMethod } from "@bufbuild/protobuf";
import { type Client, status } from "@grpc/grpc-js";
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NEEDED } from "./needed.ts";
import {
  admission,
  call,
  collect,
  endpointsOf,
  filesOf,
  KeysService,
  LedgerService,
  stockClient,
} from "../system/services.ts";
import { shared, type SharedSystem } from "../system/shared-systems.ts";

let stack: SharedSystem;
let owner: ReturnType<typeof ownerOf>;
let account: TestAccount;
/** Another key of the account: the one that calls may delete. */
let spare: TestAccount;
let other: TestAccount;
/** Keys and widget tokens of the account that calls do not use up, by what they may do. */
const secrets = new Map<string, Promise<string>>();
const clients = new Map<string, Client>();
const clientOf = (service: string): Client => clients.get(service) ?? expect.fail(`no ${service}`);
/** Signs as `keys` does, at another time or with another secret. */
let signerAt: (secondsAgo: number, id?: string) => Promise<AdmissionSigner>;

beforeAll(async () => {
  stack = await shared("one");
  owner = ownerOf(stack.databaseUrl);
  for (const endpoint of endpointsOf(stack)) {
    clients.set(endpoint.process.service, stockClient(endpoint, filesOf(stack, "gateway")));
  }
  account = await newAccount(stack.databaseUrl);
  spare = await newKey(stack.databaseUrl, account.accountId);
  other = await newAccount(stack.databaseUrl);
  signerAt = async (secondsAgo, id) => {
    const file = await readFile(join(stack.dataDir, "admission-secret"), "utf8");
    const text = id === undefined ? file : `${id}:${randomBytes(32).toString("base64")}`;
    const clock = { nowMicros: () => (Date.now() - secondsAgo * 1_000) * 1_000 };
    return new AdmissionSigner({ secrets: parseKeyFile(text), clock });
  };
});
afterAll(async () => {
  for (const client of clients.values()) client.close();
  await owner?.close();
});

/** The gRPC status of one call for the account, or of the one append that it carries. */
async function statusOf(service: string, method: DescMethod, statement: string): Promise<status> {
  const { accountId } = account;
  const eventsJson = Buffer.from('[{"action":"taken.over"}]');
  const request = {
    accountId,
    id: spare.keyId,
    name: "taken over",
    scopes: ["verify"],
    filterJson: "{}",
    expiresInS: 60,
    url: "https://receiver.example/",
    events: ["*"],
    ...(method.input.field["appends"] && {
      appends: [{ accountId, receivedAt: systemClock().nowText(), eventsJson }],
      admissions: statement === "" ? [] : [statement],
    }),
  };
  const known = Object.entries(request).filter(([name]) => method.input.field[name]);
  const client = clientOf(service);
  try {
    const message = Object.fromEntries(known);
    const answered =
      method.methodKind === "unary"
        ? [await call(client, method, message, statement)]
        : await collect(client, method, message, { statement });
    const refused = JSON.stringify(answered, (_, value: unknown) =>
      typeof value === "bigint" ? String(value) : value,
    ).includes("admission of");
    return refused ? status.PERMISSION_DENIED : status.OK;
  } catch (error) {
    return (error as { code: status }).code;
  }
}

/** Rows of everything that the calls above could have made. */
async function stored(): Promise<number> {
  const own = ["keys.api_keys", "keys.widget_tokens"];
  const tables = [...own, "ledger.events", "exports.jobs", "webhooks.webhooks"];
  const counts = tables.map((table) => `(SELECT count(*) FROM ${table} WHERE account_id = $1)`);
  const text = `SELECT ${counts.join(" + ")} AS rows`;
  const [row] = await owner.query<{ rows: string }>(text, [account.accountId]);
  return Number(row?.rows);
}

test("the table here has every RPC of every service", () => {
  const services = [KeysService, LedgerService, ExportsService, WebhooksService];
  const methods: DescMethod[] = services.flatMap((service) => service.methods);
  expect(NEEDED.map(([, method]) => method)).toStrictEqual(methods);
});

const FOR_CLIENTS = NEEDED.filter((row) => row[2] !== undefined);

/** The call is refused, and nothing of it is stored. */
async function expectRefused(service: string, method: DescMethod, statement: string) {
  const before = await stored();
  expect(await statusOf(service, method, statement)).toBe(status.PERMISSION_DENIED);
  expect(await stored()).toBe(before);
}

test.each(FOR_CLIENTS)("%s %s is refused without a statement", (service, method) =>
  expectRefused(service, method, ""),
);

describe.each(FOR_CLIENTS)("%s %s", (service, method, scope) => {
  const expectDenied = (statement: string) => expectRefused(service, method, statement);
  const subject = () => ({ accountId: account.accountId, keyId: "key_1", scopes: [...SCOPES] });

  test("is refused with a statement of another account", async () => {
    await expectDenied(await admission(clientOf("keys"), other.key));
  });

  test("is refused with a statement that has expired", async () => {
    await expectDenied((await signerAt(75)).issue(subject()));
  });

  test("is refused with a changed statement", async () => {
    const genuine = await admission(clientOf("keys"), account.key);
    const bytes = Buffer.from(genuine, "base64url");
    for (const at of [5, bytes.length >> 1, bytes.length - 1]) {
      await expectDenied(Buffer.from(bytes.with(at, (bytes[at] ?? 0) ^ 1)).toString("base64url"));
    }
    // For another account, with the rest of a genuine one.
    const changed = bytes.toString("latin1").replace(account.accountId, "acct_".padEnd(31, "0"));
    await expectDenied(Buffer.from(changed, "latin1").toString("base64url"));
  });

  test("is refused with a key that lacks the scope, or with a widget token", async () => {
    const others = SCOPES.filter((each) => each !== scope);
    const lacking = scope === ANY_KEY ? await secretWith(WIDGET) : await keyOf(others);
    await expectDenied(await admission(clientOf("keys"), lacking));
  });

  test("is refused with a statement of another secret, of an id that is known or not", async () => {
    const [id = ""] = (await readFile(join(stack.dataDir, "admission-secret"), "utf8")).split(":");
    await expectDenied((await signerAt(0, id)).issue(subject()));
    await expectDenied((await signerAt(0, "unknown")).issue(subject()));
  });

  test("is answered with a statement of the account's key, or of its token", async () => {
    const key = await secretWith(scope ?? "verify");
    const code = await statusOf(service, method, await admission(clientOf("keys"), key));
    expect([status.OK, status.NOT_FOUND, status.INVALID_ARGUMENT]).toContain(code);
  });
});

/** A key with this scope alone, or a widget token. */
function secretWith(scope: Permission): Promise<string> {
  if (scope === WIDGET) return once("a widget token", () => newToken({}));
  return keyOf(scope === ANY_KEY ? ["verify"] : [scope]);
}

const keyOf = (scopes: readonly Scope[]): Promise<string> =>
  once(scopes.join(), async () => {
    const { key } = await newKey(stack.databaseUrl, account.accountId, scopes);
    return key;
  });

/** The secret of that name; `make` makes it when it is asked for first. */
function once(name: string, make: () => Promise<string>): Promise<string> {
  const secret = secrets.get(name) ?? make();
  secrets.set(name, secret);
  return secret;
}

async function newToken(body: object): Promise<string> {
  const client = new HttpClient(stack.baseUrls[0] ?? "", account.key);
  const answer = await client.post("/v1/widget-tokens", body);
  client.close();
  return answer.body.data.token;
}

test("the statement of a widget token shows what its token shows, whatever a gateway asks with it", async () => {
  const { accountId, key } = account;
  const client = new HttpClient(stack.baseUrls[0] ?? "", key);
  const secret = { context: { ip: "SECRET" }, metadata: { m: "SECRET" } };
  const events = ["seen", "unseen"].map((action) => ({
    action,
    actor: { meta: secret },
    ...secret,
  }));
  const [seen, unseen] = (await client.post("/v1/events/batch", { events })).body.data;
  client.close();
  const token = await newToken({ filter: { action: "seen" }, parts: ["diff"] });
  const statement = await admission(clientOf("keys"), token);
  const ledger = clientOf("ledger");
  const { getEvent, getWidgetEvent, listEvents, listWidgetEvents, listWidgetFilters } =
    LedgerService.method;
  const asked = { accountId, limit: 100, filter: { actionPrefixes: [""] } };
  const list = await call(ledger, listWidgetEvents, asked, statement);
  expect(list.events.map(({ event }) => event?.id)).toEqual([seen.id]);
  const one = await call(ledger, getWidgetEvent, { accountId, id: seen.id }, statement);
  const values = await call(ledger, listWidgetFilters, { accountId }, statement);
  expect(values.actions).toEqual(["seen"]);
  const shown = [list.events, one].map((answer) =>
    JSON.stringify(answer, (_, value: unknown) =>
      typeof value === "bigint" ? String(value) : value,
    ),
  );
  for (const text of shown) expect(text).not.toContain("SECRET");
  const hidden = call(ledger, getWidgetEvent, { accountId, id: unseen.id }, statement);
  await expect(hidden).rejects.toMatchObject({ code: status.NOT_FOUND });
  for (const refused of [
    call(ledger, getEvent, { accountId, id: seen.id }, statement),
    call(ledger, listEvents, { accountId, limit: 1 }, statement),
  ])
    await expect(refused).rejects.toMatchObject({ code: status.PERMISSION_DENIED });
});

test("an append that says to have been received at another time than now is refused, and no other", async () => {
  const statement = await admission(clientOf("keys"), account.key);
  const eventsJson = Buffer.from('[{"action":"a"}]');
  const now = systemClock().nowMicros();
  const times = [0, 86_400, -3_600, 0].map((seconds) => formatMicros(now + seconds * 1_000_000));
  const { accountId } = account;
  const appends = times.map((receivedAt) => ({ accountId, receivedAt, eventsJson, admission: 0 }));
  const request = { appends, admissions: [statement] };
  const { createEvents } = LedgerService.method;
  const { outcomes } = await call(clientOf("ledger"), createEvents, request);
  const cases = outcomes.map(({ outcome }) => outcome.case);
  expect(cases).toEqual(["stored", "refused", "refused", "stored"]);
});

test("one append without its admission does not affect the others of its call", async () => {
  const statement = await admission(clientOf("keys"), other.key);
  const eventsJson = Buffer.from('[{"action":"a"}]');
  const appends = [other, account, other].map(({ accountId }) => ({
    accountId,
    receivedAt: systemClock().nowText(),
    eventsJson,
    admission: 0,
  }));
  appends.push({ ...appends[0]!, admission: 1 });
  const request = { appends, admissions: [statement] };
  const { createEvents } = LedgerService.method;
  const { outcomes } = await call(clientOf("ledger"), createEvents, request);
  const cases = outcomes.map(({ outcome }) => outcome.case);
  expect(cases).toEqual(["stored", "refused", "stored", "refused"]);
});

test("each event is stored with the id of the key that it was admitted by", async () => {
  const { databaseUrl, baseUrls } = stack;
  const second = await newKey(databaseUrl, account.accountId);
  const before = await storedKeyIds();
  for (const { key } of [account, second, account]) {
    const response = await fetch(`${baseUrls[0]}/v1/events`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ action: "a" }),
    });
    expect(response.status).toBe(201);
  }
  const keyIds = [account.keyId, second.keyId, account.keyId];
  expect(await storedKeyIds()).toEqual([...before, ...keyIds]);
});

async function storedKeyIds(): Promise<unknown[]> {
  const rows = await owner.query(
    "SELECT key_id FROM ledger.events WHERE account_id = $1 ORDER BY sequence_number",
    [account.accountId],
  );
  return rows.map(({ key_id }) => key_id);
}
