// Guarantee: a malformed key costs no RPC. Unknown keys of one address cost RPCs until its budget is used
// up, and again as time passes. Meanwhile keys that were admitted lately are looked up as before, other
// addresses are not affected, and what is remembered is bounded.

import { ComparedClock, mintKey } from "@annals/contract";
import { AnnalsError } from "@annals/errors";
import { AdmitRequestsResponseSchema } from "@annals/proto/keys";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { Admissions } from "../admission/admissions.ts";
import { RequestBudget } from "./request-budget.ts";
import { Unauthenticated } from "./unauthenticated.ts";
import { NO_WORKLOADS } from "../testing/no-workloads.ts";

const PER_SECOND = 5;
const AT_ONCE = 50;
/** The whole request has arrived. */
const ARRIVED = { complete: true };
const ATTACKER = "192.0.2.1";
const OTHER = "192.0.2.2";

/** A keys service that knows some keys, and counts its calls. */
function open() {
  const good = mintKey("annals");
  let [calls, refused, nowMs] = [0, 0, 0];
  let isRevoked = false;
  const keys = {
    admitRequests: async ({ groups = [] }: { groups?: unknown[] }) => {
      calls += 1;
      const counts = { admitted: 1, remaining: 1, statement: "s", plan: {}, accountWindow: {} };
      const known = { accountId: "acct_1", keyId: "key_1", ...counts };
      type Row = NonNullable<
        MessageInitShape<typeof AdmitRequestsResponseSchema>["admissions"]
      >[number];
      const admissions = groups.map((): Row => (isRevoked || isBad ? { accountId: "" } : known));
      return create(AdmitRequestsResponseSchema, { admissions, limit: 100 });
    },
  };
  let isBad = false;
  const budget = new RequestBudget({ perSecond: PER_SECOND, now: () => nowMs });
  const unauthenticated = new Unauthenticated({
    budget,
    onRefused: () => (refused += 1),
  });
  const admissions = new Admissions(
    { ...keys, ...NO_WORKLOADS },
    unauthenticated,
    new ComparedClock(),
  );
  const kindOf = async (key: string, address: string) => {
    const outcome = await admissions
      .admit(`Bearer ${key}`, {
        address,
        ip: address,
        requestId: "req_1",
        body: ARRIVED,
        isWidget: false,
      })
      .catch((error) => error);
    if (!(outcome instanceof AnnalsError)) return "admitted";
    if (outcome.kind === "unauthenticated") budget.count(address);
    return outcome.kind;
  };
  return {
    good: (address = ATTACKER) => kindOf(good, address),
    bad: async (address = ATTACKER) => {
      isBad = true;
      const kind = await kindOf(mintKey("annals"), address);
      isBad = false;
      return kind;
    },
    raw: (header: string | undefined) =>
      admissions
        .admit(header, {
          address: ATTACKER,
          ip: ATTACKER,
          requestId: "req_1",
          body: ARRIVED,
          isWidget: false,
        })
        .catch((error) => error),
    revoke: () => (isRevoked = true),
    pass: (ms: number) => (nowMs += ms),
    seen: () => ({ calls, refused }),
  };
}

test.each([
  undefined,
  "",
  "Bearer",
  "Basic x",
  "Bearer annals_sk_short",
  `Bearer ${mintKey("annals")} ${mintKey("annals")}`,
  `Bearer annals_sk_${"a".repeat(46)}`,
])("a malformed key costs no RPC: %s", async (header) => {
  const { raw, seen } = open();
  for (let n = 0; n < 2 * AT_ONCE; n += 1)
    expect(await raw(header)).toMatchObject({ kind: "unauthenticated" });
  expect(seen()).toStrictEqual({ calls: 0, refused: 0 });
});

test("the budget of an address", async () => {
  const { bad, good, pass, seen } = open();
  expect(await good()).toBe("admitted");
  for (let n = 0; n < AT_ONCE; n += 1) expect(await bad()).toBe("unauthenticated");
  expect(seen()).toStrictEqual({ calls: AT_ONCE + 1, refused: 0 });
  for (let n = 0; n < AT_ONCE; n += 1) expect(await bad()).toBe("rate_limited");
  expect(seen()).toStrictEqual({ calls: AT_ONCE + 1, refused: AT_ONCE });
  expect(await bad(OTHER)).toBe("unauthenticated");
  expect(await good()).toBe("admitted");
  pass(1_000);
  for (let n = 0; n < PER_SECOND; n += 1) expect(await bad()).toBe("unauthenticated");
  expect(await bad()).toBe("rate_limited");
});

test("a key that was revoked is refused, and is no longer one that was admitted", async () => {
  const { bad, good, revoke } = open();
  expect(await good()).toBe("admitted");
  for (let n = 0; n < AT_ONCE; n += 1) await bad();
  revoke();
  expect(await good()).toBe("unauthenticated");
  expect(await good()).toBe("rate_limited");
});

test("the addresses that are remembered are bounded", () => {
  const budget = new RequestBudget({ perSecond: 1, now: () => 0 });
  for (let n = 0; n < AT_ONCE; n += 1) budget.count(ATTACKER);
  expect(budget.isOver(ATTACKER)).toBe(true);
  for (let n = 0; n < 10_000; n += 1) budget.count(`address ${n}`);
  expect(budget.isOver(ATTACKER)).toBe(false);
});
