// Guarantees: an entry is in the system account's chain once, however often and through however many ledgers
// it is sent, with who sent it and whose it is. A service records nothing but its own actions, by its own
// actors, within a day and within the bytes of an entry; what is refused is counted. No client appends there.
// Where accounts have their own entries, these take nothing of the month's quota. No client stores an action
// that looks like one.

import {
  AUDIT_RULES,
  AUDIT_SERVICES,
  type AuditService,
  SYSTEM_ACCOUNT_ID,
} from "@annals/contract";
import { LedgerService } from "@annals/proto/ledger";
import { callerKey } from "@annals/rpc";
import { createClient, createRouterTransport } from "@connectrpc/connect";
import { ErrorKind } from "@annals/proto/errors";
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { newLedgerDatabase } from "../../testing/database.ts";
import {
  appendOf,
  eventOf,
  eventsJsonOf,
  openLedger,
  SetClock,
  type TestLedger,
} from "../../testing/test-ledger.ts";

const ACCOUNT = "acct_1";
const TIME = "2026-05-10T11:59:59.000000Z";

function entryOf(name: string, event: object = {}) {
  const entry = {
    action: "annals.key.created",
    actor: { type: "api_key", id: "key_1" },
    target: { type: "api_key", id: name },
    metadata: { name },
    occurred_at: TIME,
    ...event,
  };
  return { id: randomUUID(), accountId: ACCOUNT, event: JSON.stringify(entry) };
}

async function chainOf({ client }: TestLedger, accountId: string) {
  const { events } = await client.listEvents({ accountId, ascending: true, limit: 100 });
  return events.map(({ action, target }) => [action, JSON.parse(target || "{}").id]);
}

const open = async (auditInAccounts = false) =>
  openLedger(await newLedgerDatabase(), new SetClock(), undefined, auditInAccounts);

test("entries are stored in their order and once, by several ledgers and sent again", async () => {
  const database = await newLedgerDatabase();
  const ledgers = [openLedger(database), openLedger(database)] as const;
  const entries = Array.from({ length: 40 }, (_, index) => entryOf(`key_${index}`));
  const ids = entries.map(({ id }) => id);
  const sent = [0, 1, 0, 1].map((which) =>
    (ledgers[which] ?? ledgers[0]).client.recordAuditEvents({ entries }),
  );
  for (const { storedIds } of await Promise.all(sent)) expect(storedIds).toEqual(ids);
  await ledgers[0].client.recordAuditEvents({ entries: entries.slice(0, 3) });
  const expected = entries.map((_, index) => ["annals.key.created", `key_${index}`]);
  expect(await chainOf(ledgers[0], SYSTEM_ACCOUNT_ID)).toEqual(expected);
  expect(await chainOf(ledgers[0], ACCOUNT)).toEqual([]);
  // The system account can have no webhook.
  expect(ledgers.flatMap(({ notices }) => notices)).toEqual([]);
  const [row] = await database.query(
    "SELECT actor_id, key_id, context FROM ledger.events WHERE account_id = $1 LIMIT 1",
    [SYSTEM_ACCOUNT_ID],
  );
  const context = { account_id: ACCOUNT, entry_id: ids[0], service: "unknown" };
  expect(row).toEqual({ actor_id: "key_1", key_id: "key_1", context: JSON.stringify(context) });
});

test("the account's own chain has what its sinks pass over, whatever the setting is", async () => {
  const ledger = await open();
  const entry = entryOf("sink_1");
  const event = JSON.stringify({ ...JSON.parse(entry.event), action: "annals.sink.skipped" });
  await ledger.client.recordAuditEvents({ entries: [{ ...entry, event }, entryOf("key_1")] });
  expect(await chainOf(ledger, ACCOUNT)).toEqual([["annals.sink.skipped", "sink_1"]]);
  expect(await chainOf(ledger, SYSTEM_ACCOUNT_ID)).toHaveLength(2);
});

test("an entry that cannot be stored keeps no other", async () => {
  const ledger = await open();
  const entries = [
    entryOf("first"),
    { ...entryOf("no event"), event: "{" },
    entryOf("another service", { action: "user.login" }),
    entryOf("no time", { occurred_at: "yesterday" }),
    entryOf("last"),
  ];
  const { storedIds } = await ledger.client.recordAuditEvents({ entries });
  expect(storedIds).toEqual([entries[0]?.id, entries[4]?.id]);
  expect((await chainOf(ledger, SYSTEM_ACCOUNT_ID)).map(([, id]) => id)).toEqual(["first", "last"]);
  for (const count of [0, 1_001]) {
    const many = Array.from({ length: count }, () => entryOf("x"));
    await expect(ledger.client.recordAuditEvents({ entries: many })).rejects.toThrow("entries");
  }
});

test("an account's own entries take nothing of its quota, before and after its events", async () => {
  const ledger = await open(true);
  const record = (name: string) => ledger.client.recordAuditEvents({ entries: [entryOf(name)] });
  const store = async (count: number) => {
    const appends = [appendOf(ACCOUNT, count, { monthlyQuota: 3n })];
    return (await ledger.client.createEvents({ appends })).outcomes[0]?.outcome.case;
  };
  await record("a");
  expect(await store(2)).toBe("stored");
  await Promise.all([record("b"), record("c")]);
  expect(await store(2)).toBe("refused");
  expect(await store(1)).toBe("stored");
  await record("d");
  expect(await store(1)).toBe("refused");
  expect(await chainOf(ledger, ACCOUNT)).toHaveLength(7);
  expect(await chainOf(ledger, SYSTEM_ACCOUNT_ID)).toHaveLength(4);
  expect((await ledger.client.verifyChain({ accountId: ACCOUNT })).valid).toBe(true);
});

test.each([true, false])(
  "with entries in accounts (%s) a client's action that looks like one is refused",
  async (auditInAccounts) => {
    const ledger = await open(auditInAccounts);
    const append = appendOf(ACCOUNT);
    for (const action of ["annals.key.created", "ANNALS.x", "ａnnals.x", "\u200bannals.x"]) {
      const eventsJson = eventsJsonOf([eventOf(), eventOf({ action })]);
      const appends = [{ ...append, eventsJson }];
      const { outcomes } = await ledger.client.createEvents({ appends });
      expect(outcomes[0]?.outcome).toMatchObject({
        case: "refused",
        value: { kind: ErrorKind.INVALID, faults: [{ field: "events[1].action" }] },
      });
    }
  },
);

/** As the certificate of a service makes it. */
function clientOf({ interceptors, routes }: TestLedger, service: AuditService) {
  const transport = createRouterTransport(routes, {
    router: {
      interceptors: [
        (next) => (request) => {
          request.contextValues.set(callerKey, service);
          return next(request);
        },
        ...interceptors,
      ],
    },
  });
  return createClient(LedgerService, transport);
}

/** The ledger records its own without a call. */
const CALLERS = AUDIT_SERVICES.filter((service) => service !== "ledger");

const actorOf = (type: string, service: string) =>
  type === "operator" ? { type } : { type, id: type === "service" ? service : "key_1" };

test("a service records its own actions by their actors, and nothing else", async () => {
  const ledger = await open();
  const rows = AUDIT_SERVICES.flatMap((service) =>
    Object.entries(AUDIT_RULES[service]).map(([action, types]) => ({ action, service, types })),
  );
  const actions = [...new Set(rows.map(({ action }) => action)), "annals.other.made"];
  for (const service of CALLERS) {
    const may = (action: string, type: string) =>
      rows.some(
        (row) =>
          row.service === service && row.action === action && new Set<string>(row.types).has(type),
      );
    const asked = actions.flatMap((action) =>
      ["api_key", "operator", "service", "user"].map((type) => ({
        ...entryOf(`${action} ${type}`, { action, actor: actorOf(type, service) }),
        isAllowed: may(action, type),
      })),
    );
    const { storedIds } = await clientOf(ledger, service).recordAuditEvents({ entries: asked });
    expect(storedIds).toEqual(asked.filter(({ isAllowed }) => isAllowed).map(({ id }) => id));
  }
  const others = CALLERS.map((service) =>
    entryOf(service, { action: "annals.audit.counted", actor: { type: "service", id: service } }),
  );
  const { storedIds } = await clientOf(ledger, "export").recordAuditEvents({ entries: others });
  expect(storedIds).toEqual([others[CALLERS.indexOf("export")]?.id]);
});

test("a gateway records reads, never in the account's own chain, and as many in a minute as one has", async () => {
  const ledger = await open(true);
  const client = clientOf(ledger, "gateway");
  const entries = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, n) =>
      entryOf(`read ${from + n}`, { action: "annals.account.read" }),
    );
  const first = await client.recordAuditEvents({ entries: entries(0, 1_000) });
  expect(first.storedIds).toHaveLength(1_000);
  const more = entries(1_000, 1_300);
  const second = await client.recordAuditEvents({ entries: more });
  expect(second.storedIds).toEqual(more.slice(0, 200).map(({ id }) => id));
  expect((await client.recordAuditEvents({ entries: entries(1_200, 1_201) })).storedIds).toEqual(
    [],
  );
  const change = await clientOf(ledger, "keys").recordAuditEvents({ entries: [entryOf("change")] });
  expect(change.storedIds).toHaveLength(1);
  expect(await chainOf(ledger, ACCOUNT)).toHaveLength(1);
});

test("times within a day of now, and entries within their bytes", async () => {
  const ledger = await open();
  const client = clientOf(ledger, "keys");
  const at = (occurred_at: string) => entryOf(occurred_at, { occurred_at });
  const inTime = ["2026-05-09T12:00:00.000000Z", "2026-05-11T12:00:00.000000Z"].map(at);
  const away = ["2026-05-09T11:59:59.999000Z", "2026-05-11T12:00:00.001000Z"].map(at);
  const { storedIds } = await client.recordAuditEvents({ entries: [...away, ...inTime] });
  expect(storedIds).toEqual(inTime.map(({ id }) => id));

  const bytesOf = async (metadata: object): Promise<number> => {
    await client.recordAuditEvents({ entries: [entryOf("n", { metadata })] });
    const [row] = await ledger.database.run<[], { readonly bytes: number }>(
      {
        name: "test.bytes",
        route: "local",
        customPlan: true,
        text: `SELECT octet_length(action) + octet_length(actor) + octet_length(target) + octet_length(context)
          + octet_length(diff) + octet_length(metadata) AS bytes
          FROM ledger.events
          WHERE account_id = 'acct_system' ORDER BY sequence_number DESC LIMIT 1`,
      },
      [],
    );
    return Number(row?.bytes);
  };
  const room = 1_024 - (await bytesOf({ text: "" }));
  expect(await bytesOf({ text: "x".repeat(room) })).toBe(1_024);
  const tooLong = entryOf("n", { metadata: { text: "x".repeat(room + 1) } });
  expect((await client.recordAuditEvents({ entries: [tooLong] })).storedIds).toEqual([]);
});

test("an entry that is late is sent with another time and is stored once", async () => {
  const ledger = await open();
  const entry = entryOf("a");
  await ledger.client.recordAuditEvents({ entries: [entry] });
  const text = { ...JSON.parse(entry.event), occurred_at: "2026-05-10T12:00:00.000000Z" };
  const late = { ...entry, event: JSON.stringify(text) };
  const { storedIds } = await ledger.client.recordAuditEvents({ entries: [late] });
  expect(storedIds).toEqual([entry.id]);
  expect(await chainOf(ledger, SYSTEM_ACCOUNT_ID)).toHaveLength(1);
});

test("no client appends to the system account", async () => {
  const ledger = await open();
  const { outcomes } = await ledger.client.createEvents({ appends: [appendOf(SYSTEM_ACCOUNT_ID)] });
  expect(outcomes[0]?.outcome).toMatchObject({
    case: "refused",
    value: { kind: ErrorKind.PERMISSION_DENIED },
  });
  expect(await chainOf(ledger, SYSTEM_ACCOUNT_ID)).toEqual([]);
});
