// RegisterWorkloadToken: verifies a token and stores its hash, with which AdmitRequests then admits it. It
// trusts nothing that the gateway or the token says: whose it is counts only after its signature was verified
// with the keys of an issuer of the operator's file, for an account that may trust this issuer.

import type { Logger } from "@annals/chassis";
import { isPlausibleWorkloadToken, Slots } from "@annals/contract";
import { AnnalsError, unavailable } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { KeysService } from "@annals/proto/keys";
import { requestIdOf } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import type { RefusedAdmissions } from "../../admissions/refused-admissions.ts";
import type { Identity, Issuer } from "../../identity/rules/identity.ts";
import type { Metrics } from "../../metrics.ts";
import type { Issuers } from "../../outbound/open-issuers.ts";
import { entriesOf } from "../../identity/accepted-entries.ts";
import {
  type Claims,
  isOfWorkload,
  type NamedByToken,
  readToken,
} from "../rules/workload-token.ts";
import { storeToken } from "../store-token.ts";
import { listTrusted, type TrustedRow } from "../store/list-trusted.ts";

interface Deps {
  readonly database: Pool;
  readonly identities: { readonly current: Identity };
  readonly issuers: Issuers;
  readonly log: Pick<Logger, "info">;
  readonly metrics: Pick<Metrics, "admissions">;
  readonly refused: Pick<RefusedAdmissions, "unknownKey">;
}

type Handler = ServiceImpl<typeof KeysService>["registerWorkloadToken"];

/** Registrations in flight of this process: an issuer that hangs leaves half of them to the others. */
const SLOTS = { total: 16, perAccount: 8 };
const SLOT_WAIT_MS = 1_000;

/** Why a token is refused. The log has it, and the client does not. */
class Refusal extends Error {}

export function registerWorkloadToken(deps: Deps): Handler {
  const slots = new Slots(SLOTS);
  const late = () => unavailable("Too many tokens are being verified. Try again.");
  return async ({ token }, context) => {
    try {
      const { entries, named } = entriesFor(deps, token);
      const [{ name }] = entries;
      await slots.runWithin(name, SLOT_WAIT_MS, late, () => register(deps, token, named, entries));
      return {};
    } catch (error) {
      if (error instanceof AnnalsError) throw error;
      const { message: reason } = error instanceof Error ? error : { message: "failed" };
      deps.log.info(
        { request_id: requestIdOf(context.requestHeader), reason },
        "the token of a workload was refused",
      );
      if (!(error instanceof Refusal))
        throw unavailable("The token of the workload could not be verified. Try again.", error);
      deps.refused.unknownKey(1);
      deps.metrics.admissions.inc({ outcome: "unknown_key" });
      throw new AnnalsError("unauthenticated", "The token of the workload is not valid.");
    }
  };
}

type Entries = readonly [Issuer, ...Issuer[]];

/** The issuers of the file that the token may be of. Several clusters may have one name for themselves. */
function entriesFor(
  { identities, issuers }: Pick<Deps, "identities" | "issuers">,
  token: string,
): { readonly named: NamedByToken; readonly entries: Entries } {
  const { publicUrl } = issuers;
  if (publicUrl === undefined) throw new Refusal("there is no identity file");
  if (!isPlausibleWorkloadToken(token)) throw new Refusal("it is no token of a workload");
  const named = readToken(token, publicUrl);
  if (!named) throw new Refusal("it has no issuer, or its audience is no account");
  const [first, ...others] = entriesOf(identities.current.workloads, named.accountId).filter(
    ({ issuer }) => issuer === named.issuer,
  );
  if (!first) throw new Refusal("its issuer is not one that the account may trust");
  return { named, entries: [first, ...others] };
}

async function register(
  { database, issuers }: Pick<Deps, "database" | "issuers">,
  token: string,
  { accountId, audience, issuer }: NamedByToken,
  entries: Entries,
): Promise<void> {
  const pool = database.forAccount(accountId);
  const trusted = await pool.run(listTrusted, [accountId, entries.map(({ name }) => name)]);
  const faults: string[] = [];
  let failure: unknown;
  for (const entry of entries) {
    const rows = trusted.filter((row) => row.issuer === entry.name);
    // Nobody has an issuer asked whom the account does not trust.
    if (rows.length === 0) continue;
    try {
      const verified = await issuers.verifierOf(entry)(token, audience);
      if ("fault" in verified) faults.push(verified.fault);
      else {
        await storeToken(pool, token, { accountId, issuer, ...workloadOf(rows, verified.claims) });
        return;
      }
    } catch (error) {
      if (error instanceof Refusal || error instanceof AnnalsError) throw error;
      failure = error;
    }
  }
  if (failure !== undefined) throw failure;
  throw new Refusal(faults.join("; ") || "no workload of the account has its issuer");
}

/** The oldest workload that the token is of. */
function workloadOf(rows: readonly TrustedRow[], claims: Claims) {
  const found = rows.find((row) => isOfWorkload(row, claims));
  if (!found) throw new Refusal("no workload of the account has its subject and its claims");
  const { exp, sub } = claims;
  return { workloadId: found.id, subject: String(sub), expiresAtS: Number(exp) };
}
