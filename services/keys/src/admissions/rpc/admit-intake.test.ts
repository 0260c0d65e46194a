// Guarantee: AdmitRequests counts the requests of intake in windows of their own, of the key and of its
// account, and no window takes anything of another.

import { createRegistry } from "@annals/chassis";
import { ComparedClock, parseKeyFile, systemClock } from "@annals/contract";
import type { Pool } from "@annals/postgres";
import { AdmitRequestsRequestSchema, RateWindow } from "@annals/proto/keys";
import { AdmissionSigner } from "@annals/rpc";
import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parsePlans } from "../../accounts/rules/parse-plans.ts";
import type { Plans } from "../../accounts/rules/plan.ts";
import { createMetrics } from "../../metrics.ts";
import { migratedDatabase, storeKey } from "../../testing/database.ts";
import { IDENTITIES } from "../../testing/people.ts";
import { LastUses } from "../last-uses.ts";
import { RefusedAdmissions } from "../refused-admissions.ts";
import { admitRequests } from "./admit-requests.ts";

type Groups = { secretSha256: Uint8Array; count: number; window?: RateWindow }[];

const clock = systemClock();
const compared = new ComparedClock(clock);
const secrets = parseKeyFile(`one:${randomBytes(32).toString("base64")}`);

let database: Pool;

beforeAll(async () => {
  ({ service: database } = await migratedDatabase(afterAll));
});

function service(plans: Plans) {
  const handle = admitRequests({
    admissions: new AdmissionSigner({ secrets, clock }),
    clock: compared,
    database,
    metrics: createMetrics(createRegistry("keys")),
    plans,
    rateLimitPerMinute: 10,
    logRateLimitPerMinute: 100,
    intakeRateLimitPerMinute: 120,
    widgetRateLimitPerMinute: 12,
    personRateLimitPerMinute: 7,
    identities: IDENTITIES,
    refused: new RefusedAdmissions({ clock, database }),
    lastUses: new LastUses({ clock, database }),
  });
  return (groups: Groups) =>
    handle(create(AdmitRequestsRequestSchema, { groups }), {} as HandlerContext);
}

test("a key and its account each have a window of intake, with the limit of the plan", async () => {
  const file = { plans: { small: { intake_requests_per_minute: 130 } }, default: "small" };
  const call = service(parsePlans(Buffer.from(JSON.stringify(file))));
  const key = await storeKey(database);
  const second = await storeKey(database, { accountId: key.accountId });
  const answered = await call([
    { secretSha256: key.secretSha256, count: 10 },
    { secretSha256: key.secretSha256, count: 121, window: RateWindow.INTAKE },
  ]);
  expect(answered).toMatchObject({ limit: 10, intakeLimit: 120 });
  expect(answered.admissions).toMatchObject([
    { admitted: 10, remaining: 0, accountWindow: { limit: 600, used: 10 } },
    { admitted: 120, remaining: 0, accountWindow: { limit: 130, used: 120, isExceeded: false } },
  ]);
  const { secretSha256 } = second;
  const { admissions } = await call([
    { secretSha256, count: 11, window: RateWindow.INTAKE },
    { secretSha256, count: 1 },
  ]);
  expect(admissions).toMatchObject([
    { admitted: 10, remaining: 110, accountWindow: { limit: 130, used: 130, isExceeded: true } },
    { admitted: 1, accountWindow: { used: 11 } },
  ]);
});
