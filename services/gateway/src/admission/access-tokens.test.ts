// Guarantees: a request by an access token is admitted as one of its person, with the limit and the role that
// keys answers now; all requests by a token count in one window, whatever their routes; none is admitted by
// the answer to another, and the tokens of a person are known one by one.

import { ComparedClock, mintAccessToken, mintKey } from "@annals/contract";
import { Holder } from "@annals/proto/admission";
import { AdmitRequestsResponseSchema, RateWindow } from "@annals/proto/keys";
import { create } from "@bufbuild/protobuf";
import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { Unauthenticated } from "../edge/unauthenticated.ts";
import { Admissions } from "./admissions.ts";
import { NO_WORKLOADS } from "../testing/no-workloads.ts";

const PERSON = {
  accountId: "acct_1",
  keyId: "usr_1",
  holder: Holder.PERSON,
  person: { limit: 120, role: "viewer" },
  scopes: ["events:read"],
  admitted: 9,
  remaining: 111,
  windowEndsInS: 60,
  accountWindow: { limit: 6_000, used: 9 },
  plan: {},
  statement: "s",
};

interface Group {
  readonly count: number;
  readonly isAccessToken: boolean;
  readonly window: RateWindow;
}

function opened(admission: object = PERSON) {
  const calls: Group[][] = [];
  let isOver = false;
  const unauthenticated = new Unauthenticated({
    budget: { isOver: () => isOver },
    onRefused: () => {},
  });
  const admitRequests = async ({ groups = [] }: { groups?: unknown[] }) => {
    calls.push(groups as Group[]);
    const admissions = groups.map(() => admission);
    return create(AdmitRequestsResponseSchema, { admissions, limit: 100, logLimit: 3_000 });
  };
  const admissions = new Admissions(
    { admitRequests, ...NO_WORKLOADS },
    unauthenticated,
    new ComparedClock(),
  );
  const request = { address: "::1", ip: "::1", requestId: "req_1", isWidget: false };
  const admit = (token: string, window?: RateWindow) =>
    admissions.admit(`Bearer ${token}`, { ...request, window, body: { complete: true } });
  return {
    admissions,
    admit,
    calls,
    beyondBudget: () => (isOver = true),
    again: (token: string) =>
      admissions.readmit(`Bearer ${token}`, { ...request, window: RateWindow.LOG }),
  };
}

const token = () => mintAccessToken("annals", randomBytes);

test("has the role and the limit of the answer, and no address is asked for", async () => {
  const { admit, calls } = opened();
  expect(await admit(token())).toMatchObject({
    accountId: "acct_1",
    keyId: "usr_1",
    holder: Holder.PERSON,
    person: { role: "viewer" },
    limit: 120,
    scopes: ["events:read"],
  });
  expect(calls).toMatchObject([[{ isAccessToken: true, isWidgetToken: false, addresses: [] }]]);
});

test("counts in one window, whatever the route", async () => {
  const { admit, again, calls } = opened();
  const one = token();
  await Promise.all([admit(one), admit(one, RateWindow.LOG), admit(one, RateWindow.INTAKE)]);
  await again(one);
  expect(calls).toMatchObject([
    [{ count: 3, window: RateWindow.UNSPECIFIED }],
    [{ count: 0, window: RateWindow.UNSPECIFIED, isAccessToken: true }],
  ]);
});

test("is asked of keys each time: the end of a session is the end of its requests", async () => {
  const { admit, calls } = opened();
  const one = token();
  for (let n = 0; n < 3; n += 1) await admit(one);
  expect(calls.map(([group]) => [group?.count, (group as { ahead?: number }).ahead])).toEqual([
    [1, 0],
    [1, 0],
    [1, 0],
  ]);
});

test("that keys does not know is a 401, and says what it was", async () => {
  const { admit } = opened({});
  await expect(admit(token())).rejects.toMatchObject({
    kind: "unauthenticated",
    message: expect.stringContaining("The access token is not valid"),
  });
});

test("that is mistyped, or on a widget route, is not asked for", async () => {
  const { admissions, admit, calls } = opened();
  const one = token();
  const other = one.at(-1) === "x" ? "y" : "x";
  await expect(admit(one.slice(0, -1) + other)).rejects.toMatchObject({ kind: "unauthenticated" });
  const widget = {
    address: "a",
    ip: "::1",
    requestId: "r",
    isWidget: true,
    body: { complete: true },
  };
  await expect(admissions.admit(`Bearer ${one}`, widget)).rejects.toMatchObject({
    kind: "unauthenticated",
  });
  expect(calls).toEqual([]);
});

test("a refusal for its rate limit names the token", async () => {
  const { admit } = opened({ ...PERSON, admitted: 0 });
  await expect(admit(token())).rejects.toMatchObject({
    kind: "rate_limited",
    message: expect.stringMatching(/^Rate limit reached: 120 requests per minute for this token\./),
  });
});

test("of a person with several is admitted beyond the budget of its address, and a new one is not", async () => {
  const { admissions, admit, beyondBudget } = opened();
  const [one, two] = [token(), token()];
  await admit(one);
  await admit(two);
  beyondBudget();
  await admit(one);
  await admit(two);
  await expect(admit(token())).rejects.toMatchObject({ kind: "rate_limited" });
  expect(admissions.recognise(`Bearer ${two}`)).toBe("acct_1");
  expect(admissions.recognise(`Bearer ${mintKey("annals")}`)).toBeUndefined();
});
