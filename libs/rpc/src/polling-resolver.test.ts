// Guarantee: a channel uses an address that its name gets, and leaves one that its name loses, while its
// connections last and without a failed call. A failed lookup takes no address away.

import { promises as dns } from "node:dns";
import { afterEach, expect, it, vi } from "vitest";
import { GRACE_MS, Opened } from "./testing/test-ledger.ts";

const CALLERS = 1;
/** On a machine that is busy with much else. */
const WITHIN_MS = 30_000;
const opened = new Opened();
afterEach(async () => {
  vi.restoreAllMocks();
  await opened.closeAll();
});

const CONTROL = "control";

/** A name of the test's own: two servers may have it, on one port. */
async function named() {
  const [first, second] = ["127.0.0.1", "127.0.0.2"] as const;
  const calls = { [first]: 0, [second]: 0, [CONTROL]: new Set<string>() };
  const serve = (host: typeof first | typeof second, port: number) => {
    const getEvent = ({ id }: { id: string }) => {
      if (id === CONTROL) calls[CONTROL].add(host);
      else calls[host] += 1;
      return {};
    };
    return opened.server({ getEvent }, { host, port });
  };
  let addresses: readonly string[] = [first];
  let lookups = 0;
  vi.spyOn(dns, "lookup").mockImplementation((async () => {
    lookups += 1;
    if (addresses.length === 0) throw new Error("ENOTFOUND");
    return addresses.map((address) => ({ address, family: 4 }));
  }) as unknown as typeof dns.lookup);
  const server = await serve(first, 0);
  await serve(second, server.port);
  const setAddresses = (...now: readonly string[]) => void (addresses = now);
  const address = `dns:///ledger.test:${server.port}`;
  return { first, second, calls, server, address, setAddresses, lookups: () => lookups };
}

it("a channel follows the addresses of its name, and no call fails", async () => {
  const { first, second, calls, server, address, setAddresses, lookups } = await named();
  const { client } = opened.client(address, { resolveEveryMs: 50 });
  const control = opened.client(address, { resolveEveryMs: 3_600_000 }).client;
  await control.getEvent({ id: CONTROL });
  let isOver = false;
  const callers = Promise.all(
    Array.from({ length: CALLERS }, async () => {
      while (!isOver) await client.getEvent({});
    }),
  );
  // It is awaited at the end; until then its failure must not end the process.
  callers.catch(() => {});
  /** Of the second address, in the calls of the next moment. */
  const share = async () => {
    const before = { ...calls };
    for (let n = 0; n < 100; n += 1) await client.getEvent({});
    const [one, other] = [calls[first] - before[first], calls[second] - before[second]];
    return other / (one + other);
  };
  expect(await share()).toBe(0);
  setAddresses(second, first);
  await vi.waitFor(async () => expect(await share()).toBeCloseTo(0.5, 1), WITHIN_MS);
  for (let n = 0; n < 10; n += 1) await control.getEvent({ id: CONTROL });
  expect(calls[CONTROL]).toStrictEqual(new Set([first]));
  setAddresses(second);
  await vi.waitFor(async () => expect(await share()).toBe(1), WITHIN_MS);
  await server.close({ graceMs: GRACE_MS });
  setAddresses();
  const made = lookups();
  await vi.waitFor(() => expect(lookups()).toBeGreaterThan(made), WITHIN_MS);
  expect(await share()).toBe(1);
  isOver = true;
  await callers;
});
