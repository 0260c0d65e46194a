// Guarantee: while one account sends bodies that inflate to all that they may, or to far more, or that are
// damaged, no request of another account fails, what a gateway holds for the account is bounded, and all is
// released. Alone, each body is refused with 422, and nothing of them is stored. The control: on a gateway
// without the setting that bounds an account, bombs hold more than they may. Without the limit of a body or
// of its ratio, or with bytes after the end ignored, test/api/edge/compressed-bodies.test.ts fails.

import { HttpClient, newAccount } from "@annals/testing";
import { afterAll, beforeAll, expect, inject, test, vi } from "vitest";
import { metricOf } from "../system/metric-of.ts";
import { processesOf, startTestbed, type Testbed } from "../system/testbed.ts";
import { boundOf, expectWithin, startUnbounded } from "./gateway-controls.ts";
import { ATTACK_NAMES, type AttackName, sendersOf } from "./hostile-bodies-attacks.ts";
import {
  aloneFor,
  attackFrom,
  type Noticed,
  RELEASED_WITHIN_MS,
  underAttack,
} from "./under-attack.ts";

const { forMs } = inject("form").fairness;
const ATTACKS = new URL("./hostile-bodies-attacks.ts", import.meta.url);
/** Beyond what an attack can send: its window must not end it. */
const INTAKE_PER_MINUTE = "1000000";
const COUNT = "http_server_request_duration_seconds_count";

let bed: Testbed;
let attacker: { readonly accountId: string; readonly key: string };
let other: { readonly baseUrl: string; readonly key: string };
let alone: Noticed;
let unbounded: Awaited<ReturnType<typeof startUnbounded>>;

beforeAll(async () => {
  bed = await startTestbed({
    replicas: {},
    without: ["nats", "export", "webhook-dispatcher"],
    env: { keys: { ANNALS_INTAKE_RATE_LIMIT_PER_MINUTE: INTAKE_PER_MINUTE } },
  });
  attacker = await newAccount(bed.stack.databaseUrl, ["events:write"]);
  other = { baseUrl: bed.stack.baseUrls[0] ?? "", key: bed.key };
  alone = await aloneFor(other, forMs);
  unbounded = await startUnbounded(bed);
});
afterAll(() => bed?.stop());

const attackAt = (name: AttackName, baseUrl: string) =>
  attackFrom(ATTACKS, { name, baseUrl, key: attacker.key });

test.each(ATTACK_NAMES)("%s", async (name) => {
  const [{ adminUrl } = {}] = processesOf(bed.stack, "gateway");
  // Most find no memory left for what they inflate to.
  const refused = async () =>
    (await metricOf(adminUrl, COUNT, 'status_code="422"')) +
    (await metricOf(adminUrl, COUNT, 'status_code="500"'));
  const before = await refused();
  await underAttack(bed, {
    other,
    alone,
    forMs,
    begin: () => attackAt(name, other.baseUrl),
    figures: async () => {
      // On a slow machine the first may still be inflated.
      const isRefused = async () => expect(await refused()).toBeGreaterThan(before);
      await vi.waitFor(isRefused, RELEASED_WITHIN_MS);
      const held = await expectWithin(adminUrl, "bytes");
      return { refused: (await refused()) - before, ...held };
    },
  });
  const held = () => metricOf(adminUrl, "annals_edge_held");
  await vi.waitFor(async () => expect(await held()).toBe(0), RELEASED_WITHIN_MS);
  const client = new HttpClient(other.baseUrl, attacker.key);
  for (const send of sendersOf(name)) expect((await send(client)).status).toBe(422);
  client.close();
  const stored = await bed.owner.query("SELECT FROM ledger.events WHERE account_id = $1", [
    attacker.accountId,
  ]);
  expect(stored).toEqual([]);
});

test("the control: bombs of gzip without bounds hold more bytes", async () => {
  const held = await unbounded("bytes", (baseUrl) => attackAt("bombs of gzip", baseUrl));
  expect(held).toBeGreaterThan(boundOf("bytes"));
});
