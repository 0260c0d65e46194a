// Guarantees: an answer of the keys service that lacks the plan, the window of the account or the statement
// admits no request; a request is admitted only from where its key may be used, whatever keys counted, and
// keys is told where the requests of each key came from.

import { ComparedClock, mintKey } from "@annals/contract";
import { AdmitRequestsResponseSchema } from "@annals/proto/keys";
import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { Unauthenticated } from "../edge/unauthenticated.ts";
import { Admissions } from "./admissions.ts";
import { NO_WORKLOADS } from "../testing/no-workloads.ts";

const COMPLETE = { accountId: "acct_1", admitted: 1, statement: "s", plan: {}, accountWindow: {} };

function admit(admission: object, clock = new ComparedClock(), databaseTimeUs = 0n) {
  const answer = create(AdmitRequestsResponseSchema, {
    admissions: [admission],
    limit: 100,
    databaseTimeUs,
  });
  const unauthenticated = new Unauthenticated({
    budget: { isOver: () => false },
    onRefused: () => {},
  });
  return new Admissions(
    { admitRequests: async () => answer, ...NO_WORKLOADS },
    unauthenticated,
    clock,
  ).admit(`Bearer ${mintKey("annals")}`, {
    address: "127.0.0.1",
    ip: "127.0.0.1",
    requestId: "req_1",
    body: { complete: true },
    isWidget: false,
  });
}

test("a complete answer admits", async () => {
  expect(await admit(COMPLETE)).toMatchObject({ accountId: "acct_1", isAfterBody: true });
});

test.each(["plan", "accountWindow", "statement"])("one without %s does not", async (member) => {
  await expect(admit({ ...COMPLETE, [member]: undefined })).rejects.toMatchObject({
    kind: "unavailable",
  });
});

describe("the clock of the gateway", () => {
  const US_PER_S = 1_000_000;
  const now = () => Date.now() * 1_000;

  test.each([0, -4, 4])("admits if it differs by %d s from the database's", async (seconds) => {
    const databaseTimeUs = BigInt(now() + seconds * US_PER_S);
    expect(await admit(COMPLETE, new ComparedClock(), databaseTimeUs)).toMatchObject({
      accountId: "acct_1",
    });
  });

  test.each([-7, 7, -86_400])("admits nothing if it differs by %d s", async (seconds) => {
    const clock = new ComparedClock();
    await expect(admit(COMPLETE, clock, BigInt(now() + seconds * US_PER_S))).rejects.toMatchObject({
      kind: "unavailable",
      retryAfterS: 1,
    });
    // The next response shows that it is right again.
    await expect(admit(COMPLETE, clock, BigInt(now()))).resolves.toMatchObject({});
  });
});

describe("a key with a list of addresses", () => {
  const ALLOWED = {
    ...COMPLETE,
    keyId: "key_1",
    allowedIps: ["192.0.2.0/24", "::1"],
    remaining: 98,
  };

  function opened(admission: object) {
    const asked: unknown[] = [];
    const unauthenticated = new Unauthenticated({
      budget: { isOver: () => false },
      onRefused: () => {},
    });
    const admitRequests = async ({ groups = [] }: { groups?: unknown[] }) => {
      asked.push(...groups);
      return create(AdmitRequestsResponseSchema, { admissions: [admission], limit: 100 });
    };
    const admissions = new Admissions(
      { admitRequests, ...NO_WORKLOADS },
      unauthenticated,
      new ComparedClock(),
    );
    const key = `Bearer ${mintKey("annals")}`;
    const body = { complete: true };
    const from = (ip: string) =>
      admissions.admit(key, { address: ip, ip, requestId: "req_1", body, isWidget: false });
    return {
      asked,
      from,
      again: (ip: string) => admissions.readmit(key, { requestId: "req_1", ip, isWidget: false }),
    };
  }

  test("admits those from a listed one, in order, and refuses the others of the same group", async () => {
    const { asked, from } = opened({ ...ALLOWED, admitted: 2 });
    const outcomes = await Promise.allSettled(
      ["192.0.2.7", "198.51.100.1", "::1", "192.0.2.7", ""].map(from),
    );
    const [first, second, third, fourth, fifth] = outcomes;
    expect([first?.status, third?.status]).toEqual(["fulfilled", "fulfilled"]);
    const refused = {
      kind: "scope_missing",
      caller: { keyId: "key_1" },
      limit: 100,
      remaining: 98,
    };
    expect(second).toMatchObject({ reason: refused });
    expect(fifth).toMatchObject({ reason: refused });
    // More than keys has counted: the window has no room for it.
    expect(fourth).toMatchObject({ reason: { kind: "rate_limited" } });
    expect(asked).toMatchObject([
      {
        count: 5,
        addresses: [
          { address: "192.0.2.7", count: 2 },
          { address: "198.51.100.1", count: 1 },
          { address: "::1", count: 1 },
        ],
      },
    ]);
  });

  test("is asked again with the address, when its body has arrived", async () => {
    const { again, asked } = opened({ ...ALLOWED, admitted: 0 });
    expect(await again("::1")).toMatchObject({ keyId: "key_1", ip: "::1" });
    await expect(again("::2")).rejects.toMatchObject({ kind: "scope_missing" });
    expect(asked[0]).toMatchObject({ count: 0, addresses: [{ address: "::1", count: 0 }] });
  });
});
