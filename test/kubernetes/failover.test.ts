// Guarantee, at 100 appends a second: the primary of two PostgreSQL servers with synchronous replication is
// killed, the standby is promoted and the Service moves to it. Requests fail meanwhile, no pod of a service
// restarts, appends go on by themselves, the chain is valid, nothing acknowledged is lost. The former primary
// comes back under its own name and gets no event.

import { afterAll, beforeAll, expect, test } from "vitest";
import { Installation, SERVICES, WITHIN_MS } from "./installation.ts";
import { eventually } from "./namespace.ts";
import { PRIMARY, promote, startStandby } from "./standby.ts";

const REPLICAS = 2;
const APPENDS = 50;

let installation: Installation;

beforeAll(async () => {
  installation = await Installation.create();
});
afterAll(() => installation?.namespace.remove());

const stored = () =>
  eventually(WITHIN_MS, async () => {
    const { status } = await installation.request("POST", "/v1/events", { action: "again" });
    return status === 201 || undefined;
  });

test("the primary is killed, and the Service moves to the standby", async () => {
  const { namespace } = installation;
  await startStandby(namespace);
  await stored();
  const pods = () => Promise.all(SERVICES.map((each) => installation.ready(each, REPLICAS)));
  const before = await pods();
  const { appended, statuses } = await installation.underLoad(async () => {
    for (let n = 0; n < APPENDS; n += 1) await stored();
    await namespace.kubectl("delete", "pod", PRIMARY, "--grace-period=0", "--force");
    await promote(namespace);
    const promotedAt = performance.now();
    await stored();
    const storesAfterMs = Math.round(performance.now() - promotedAt);
    process.stderr.write(`the first append was stored ${storesAfterMs} ms after the promotion\n`);
  });
  expect(appended).toBeGreaterThan(APPENDS);
  // Otherwise nothing was lost.
  expect(Object.keys(statuses).length).toBeGreaterThan(1);
  await namespace.kubectl("wait", "--for=condition=Ready", `pod/${PRIMARY}`, "--timeout=180s");
  const length = await installation.length();
  await stored();
  expect(await installation.length()).toBe(length + 1);
  expect(await pods()).toStrictEqual(before);
});
