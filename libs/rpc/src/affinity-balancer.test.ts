// Guarantee: calls with a key go to one server as long as it is connected, the same for every client; calls
// without one go to all. When a server has gone its keys go to others, and theirs stay. A server that hangs
// does not keep all that it is given.

import { afterEach, expect, it, vi } from "vitest";
import { Affinity, AFFINITY_HEADER } from "./affinity-balancer.ts";
import { Opened } from "./testing/test-ledger.ts";

const SERVERS = 3;
const KEYS = Array.from({ length: 60 }, (_, n) => `acct_${n}`);
const opened = new Opened();
afterEach(() => opened.closeAll());

/** Servers that note which ids they were asked for; the ids in `held` are never answered. */
async function open(held: ReadonlySet<string> = new Set()) {
  const asked = new Map<string, string[]>();
  const ends: (() => void)[] = [];
  const servers = await Promise.all(
    Array.from({ length: SERVERS }, async () => {
      const ids: string[] = [];
      const server = await opened.server({
        getEvent: async ({ id }) => {
          ids.push(id);
          if (held.has(id)) await new Promise<void>((resolve) => ends.push(resolve));
          return {};
        },
      });
      asked.set(server.address, ids);
      return server;
    }),
  );
  const target = `ipv4:${servers.map(({ address }) => address).join(",")}`;
  const client = async () => {
    const affinity = new Affinity();
    const { client: calls } = opened.client(target, { affinity, timeoutMs: 60_000 });
    await calls.getEvent({ id: "first" });
    await vi.waitFor(() => expect(affinity.servers).toHaveLength(SERVERS));
    const get = (id: string, key = id) =>
      calls.getEvent({ id }, { headers: { [AFFINITY_HEADER]: key } });
    return { affinity, calls, get };
  };
  const serverOf = (id: string) =>
    [...asked].filter(([, ids]) => ids.includes(id)).map(([address]) => address);
  return { asked, client, ends, serverOf, servers };
}

it("a key has one server, for every client, until it has gone", async () => {
  const { client, serverOf, servers } = await open();
  const [one, other] = await Promise.all([client(), client()]);
  for (const key of KEYS) for (const { get } of [one, other, one]) await get(key);
  const before = new Map(KEYS.map((key) => [key, serverOf(key)]));
  for (const [key, used] of before) expect(used).toStrictEqual([one.affinity.addressFor(key)]);
  expect(new Set([...before.values()].flat()).size).toBe(SERVERS);
  const gone = servers[0]!;
  await gone.close({ graceMs: 0 });
  await vi.waitFor(() => expect(one.affinity.servers).toHaveLength(SERVERS - 1));
  for (const key of KEYS) {
    await one.get(`${key} again`, key);
    const [now] = serverOf(`${key} again`);
    const [was] = before.get(key) ?? [];
    if (was === gone.address) expect(now).not.toBe(was);
    else expect(now).toBe(was);
  }
});

it("calls without a key go to all in turn", async () => {
  const { asked, client } = await open();
  const { calls } = await client();
  for (const ids of asked.values()) ids.length = 0;
  for (let n = 0; n < 10 * SERVERS; n += 1) await calls.getEvent({ id: "any" });
  expect([...asked.values()].map((ids) => ids.length)).toStrictEqual([10, 10, 10]);
});

it("a server that hangs is left out when it has far more calls than the others", async () => {
  const hanging = Array.from({ length: 40 }, (_, n) => `hangs ${n}`);
  const { asked, client, ends, serverOf } = await open(new Set(hanging));
  const { affinity, get } = await client();
  const calls: Promise<unknown>[] = [];
  for (const id of hanging) {
    calls.push(get(id, "acct_1"));
    await vi.waitFor(() => expect(ends).toHaveLength(calls.length));
  }
  const first = Math.max(...[...asked.values()].map((ids) => ids.length));
  expect(first).toBeGreaterThan(SERVERS);
  expect(first).toBeLessThan(hanging.length);
  expect(new Set(hanging.flatMap(serverOf)).size).toBeGreaterThan(1);
  for (const end of ends) end();
  await Promise.all(calls);
  // What has ended counts no longer.
  const [chosen] = serverOf("hangs 0");
  await vi.waitFor(() => expect(affinity.addressFor("acct_1")).toBe(chosen));
});

it("a client whose servers are all away waits for one, and says so after its deadline", async () => {
  const { client, servers } = await open();
  const { calls } = await client();
  for (const server of servers) await server.close({ graceMs: 0 });
  await expect(calls.getEvent({ id: "none" }, { timeoutMs: 300 })).rejects.toMatchObject({
    kind: "unavailable",
  });
});
