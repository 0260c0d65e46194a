// Workloads of tests: a row of one, and the service that registers and admits its tokens. Imported by tests
// only.

import { createRegistry } from "@annals/chassis";
import { ComparedClock, keyHash, newId, parseKeyFile, systemClock } from "@annals/contract";
import type { Pool } from "@annals/postgres";
import {
  type AdmissionGroupSchema,
  AdmitRequestsRequestSchema,
  RegisterWorkloadTokenRequestSchema,
} from "@annals/proto/keys";
import { AdmissionSigner } from "@annals/rpc";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { randomBytes } from "node:crypto";
import { UNLIMITED_PLANS } from "../accounts/rules/plan.ts";
import { LastUses } from "../admissions/last-uses.ts";
import { RefusedAdmissions } from "../admissions/refused-admissions.ts";
import { admitRequests } from "../admissions/rpc/admit-requests.ts";
import type { Identity, Issuer } from "../identity/rules/identity.ts";
import { createMetrics } from "../metrics.ts";
import { loadOpenId } from "../outbound/provider-metadata.ts";
import { WorkloadIssuers } from "../outbound/workload-issuers.ts";
import { storeKey } from "./database.ts";
import type { WorkloadIssuerServer } from "./workload-issuer.ts";
import { createWorkload } from "../workloads/store/create-workload.ts";
import { registerWorkloadToken } from "../workloads/rpc/register-workload-token.ts";

export const PUBLIC_URL = "https://audit.example.com";
export const SUBJECT = "system:serviceaccount:logging:collector";

const LIMIT = 60;
const clock = systemClock();
const CONTEXT = { requestHeader: new Headers() } as HandlerContext;

export async function storeWorkload(
  database: Pool,
  accountId: string,
  {
    allowedIps = null,
    claims = {},
    issuer = "cluster",
    scopes = ["events:write"],
    subject = SUBJECT,
  }: {
    readonly allowedIps?: readonly string[] | null;
    readonly claims?: Readonly<Record<string, string>>;
    readonly issuer?: string;
    readonly scopes?: readonly string[];
    readonly subject?: string;
  } = {},
): Promise<string> {
  const id = newId("wkl");
  const what = [issuer, subject, JSON.stringify(claims), scopes, allowedIps] as const;
  await database.run(createWorkload, [accountId, id, "one", ...what, null, clock.nowText()]);
  return id;
}

/** Claims of a token for the account, which is valid for ten minutes. */
export function claimsFor(accountId: string, more: object = {}) {
  const nowS = Math.floor(Date.now() / 1_000);
  const times = { iat: nowS, nbf: nowS, exp: nowS + 600 };
  return { aud: [`${PUBLIC_URL}/${accountId}`], sub: SUBJECT, ...times, ...more };
}

/** The two RPCs over a file that a test can change. */
async function workloadService(
  database: Pool,
  identities: { current: Identity },
  time: { readonly monotonicMs?: () => number } = {},
) {
  const registry = createRegistry("keys");
  const metrics = createMetrics(registry);
  const compared = new ComparedClock(clock);
  compared.begin()(clock.nowMicros());
  const secrets = parseKeyFile(`one:${randomBytes(32).toString("base64")}`);
  const refused = new RefusedAdmissions({ clock, database });
  const limits = { rateLimitPerMinute: LIMIT, logRateLimitPerMinute: LIMIT };
  const others = { intakeRateLimitPerMinute: LIMIT, widgetRateLimitPerMinute: LIMIT };
  const handle = admitRequests({
    ...limits,
    ...others,
    personRateLimitPerMinute: LIMIT,
    admissions: new AdmissionSigner({ secrets, clock }),
    clock: compared,
    database,
    identities,
    lastUses: new LastUses({ clock, database }),
    metrics,
    plans: UNLIMITED_PLANS,
    refused,
  });
  const { jose } = await loadOpenId();
  const issuers = new WorkloadIssuers({ clock, identities, jose, proxy: {}, ...time });
  const verifierOf = issuers.verifierOf.bind(issuers);
  const reasons: string[] = [];
  const register = registerWorkloadToken({
    database,
    identities,
    issuers: { publicUrl: PUBLIC_URL, verifierOf },
    log: { info: (fields: unknown) => void reasons.push((fields as { reason: string }).reason) },
    metrics,
    refused,
  });
  const admit = async (
    token: string,
    group: MessageInitShape<typeof AdmissionGroupSchema> = {},
  ) => {
    const one = { secretSha256: keyHash(token), count: 1, isWorkloadToken: true, ...group };
    const request = create(AdmitRequestsRequestSchema, { groups: [one] });
    return (await handle(request, CONTEXT)).admissions?.[0];
  };
  return {
    admit,
    /** Why registrations were refused. */
    reasons,
    registry,
    register: async (token: string) =>
      register(create(RegisterWorkloadTokenRequestSchema, { token }), CONTEXT),
  };
}

/** An account that trusts a workload of the issuer, and the service. */
export async function trustingAccount(
  database: Pool,
  server: WorkloadIssuerServer,
  workload: Parameters<typeof storeWorkload>[2] = {},
  ...entries: readonly Issuer[]
) {
  const { accountId } = await storeKey(database);
  const workloadId = await storeWorkload(database, accountId, workload);
  const workloads = entries.length > 0 ? entries : [server.entry()];
  const identities: { current: Identity } = { current: { people: [], workloads } };
  const opened = await workloadService(database, identities);
  const token = (more: object = {}) => server.token(claimsFor(accountId, more));
  return { ...opened, accountId, identities, token, workloadId };
}
