// Admits the requests of one turn: by a lease, or as a group that keys is asked for in one RPC. Called by
// admissions.ts. A request must never be admitted by an answer to a group that began before it, unless that
// answer's lease has not ended.

import { type ComparedClock, isInNetworks } from "@annals/contract";
import { AnnalsError, unavailable } from "@annals/errors";
import {
  type Admission as AdmissionMessage,
  type AdmissionGroupSchema,
  type AdmitRequestsResponse,
  type KeysService,
  RateWindow,
} from "@annals/proto/keys";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import type { Admission } from "./admission.ts";
import type { Leased, Leases } from "./leases.ts";
import { OtherAddress, RateLimited } from "./refused.ts";
import { type Grouped, groupsOf, type Kind } from "./request-groups.ts";

/** A request that waits to be admitted. */
export interface Waiting extends Grouped {
  readonly requestId: string;
  readonly body: BodyState;
}

/** An IncomingMessage: says whether the whole request has arrived. */
export interface BodyState {
  readonly complete: boolean;
}

const KINDS = {
  key: "The API key is not valid, it has expired, or it was revoked.",
  widget: "The widget token is not valid, it has expired, or it was revoked.",
  access: "The access token is not valid, it has expired, or the session or the role has ended.",
  workload: "The token is not valid, it has expired, or no workload of its account trusts it.",
} as const satisfies Record<Kind, string>;

export function unknownSecret(kind: Kind): AnnalsError {
  return new AnnalsError("unauthenticated", KINDS[kind]);
}

/** The response of the keys service lacks what an admission has. */
const NOT_ADMITTED: PromiseRejectedResult = {
  status: "rejected",
  reason: unavailable("The request could not be admitted."),
};

function limitOf(
  { intakeLimit, limit, logLimit }: AdmitRequestsResponse,
  window: RateWindow | undefined,
): number {
  switch (window) {
    case RateWindow.LOG:
      return logLimit;
    case RateWindow.INTAKE:
      return intakeLimit;
    default:
      return limit;
  }
}

export interface AdmissionDeps {
  readonly clock: ComparedClock;
  readonly keys: Pick<Client<typeof KeysService>, "admitRequests" | "registerWorkloadToken">;
  readonly leases: Leases;
}

/** Each response has the time of the database, unless the clock of keys is wrong. */
export async function ask(
  { clock, keys }: AdmissionDeps,
  groups: MessageInitShape<typeof AdmissionGroupSchema>[],
  options: { readonly timeoutMs?: number },
): Promise<AdmitRequestsResponse> {
  const compare = clock.begin();
  const answer = await keys.admitRequests({ groups }, options);
  if (answer.databaseTimeUs > 0n) compare(Number(answer.databaseTimeUs));
  return answer;
}

/** The gateway has no database. What it stamps with a wrong clock would be in the chains permanently. */
function faultOf(clock: ComparedClock): string | undefined {
  return clock.isCompared ? clock.fault() : undefined;
}

/** Admits a request by what keys has answered to others with its key. Undefined: keys is to be asked. */
export function admitByLease(
  { clock, leases }: AdmissionDeps,
  one: Waiting,
): Admission | undefined {
  if (faultOf(clock) !== undefined) return undefined;
  const leased = leases.use(one.name, one.count);
  if (!leased || !isAllowed(leased.answer, one.ip)) return undefined;
  return admissionOf(one, leased, one.body.complete);
}

/** Admits the first requests of each key and window, as many as the window allows. */
export async function admitGroup(
  deps: AdmissionDeps,
  given: readonly Waiting[],
  timeoutMs: number,
): Promise<PromiseSettledResult<Admission>[]> {
  const { clock, leases } = deps;
  const at = leases.now();
  const isAfterBody = given.map(({ body }) => body.complete);
  const waiting = given.map((one) => {
    const taken = one.count === 0 ? undefined : leases.take(one.name);
    return taken === undefined ? one : { ...one, taken };
  });
  const { groups, indexes, names } = groupsOf(waiting, (name, count) => leases.ahead(name, count));
  const answer = await ask(deps, groups, { timeoutMs });
  const fault = faultOf(clock);
  if (fault !== undefined)
    throw unavailable("The clock of the gateway is wrong. Try again later.", new Error(fault));
  const answers = groups.map((group, index) => {
    const admission = answer.admissions[index];
    const { person, widget } = admission ?? {};
    const limit = (widget ?? person)?.limit ?? limitOf(answer, group.window);
    const name = names[index] ?? "";
    if (admission) leases.answered(name, { at, ...group }, admission, limit);
    return { answer: admission, limit, spare: leases.spare(name), order: 0 };
  });
  return waiting.map((one, n): PromiseSettledResult<Admission> => {
    const its = answers[indexes[n] ?? -1];
    const admission = its?.answer;
    if (!its || !admission) return NOT_ADMITTED;
    const reason = refusalOf(one, admission, its.limit);
    if (reason) return { status: "rejected", reason };
    const remaining = one.taken ?? remainingOf(one, its, admission) ?? leases.take(one.name);
    if (remaining === undefined)
      return { status: "rejected", reason: new RateLimited(its.limit, admission) };
    const leased = { ...its, answer: admission, remaining };
    const value = admissionOf(one, leased, isAfterBody[n] === true);
    return value ? { status: "fulfilled", value } : NOT_ADMITTED;
  });
}

/** What is left of the window after a request, in the order of its group. Undefined: it was not granted. */
function remainingOf(
  one: Waiting,
  its: { order: number },
  { admitted, remaining }: AdmissionMessage,
): number | undefined {
  its.order += one.count;
  const isGranted = one.count === 0 || its.order <= admitted;
  return isGranted ? remaining + admitted - its.order : undefined;
}

/** Why the key admits no request, or not from this address. */
function refusalOf(
  { ip, kind }: Waiting,
  admission: AdmissionMessage,
  limit: number,
): AnnalsError | undefined {
  const { accountId, holder, keyId, remaining } = admission;
  if (accountId === "") return unknownSecret(kind);
  if (isAllowed(admission, ip)) return undefined;
  return new OtherAddress({ accountId, holder, keyId }, { limit, remaining });
}

/** Undefined: the answer of keys lacks what an admission has. */
function admissionOf(
  { ip, requestId }: Waiting,
  { answer, limit, remaining, spare }: Leased,
  isAfterBody: boolean,
): Admission | undefined {
  const { accountId, accountWindow, holder, keyId, person, plan, scopes, statement } = answer;
  const { widget, windowEndsInS } = answer;
  if (!accountWindow || !plan || statement === "") return undefined;
  return {
    requestId,
    ip,
    accountId,
    keyId,
    holder,
    scopes,
    statement,
    widget,
    person,
    limit,
    remaining,
    windowEndsInS,
    accountWindow: { ...accountWindow, used: Math.max(0, accountWindow.used - spare) },
    plan,
    isAfterBody,
  };
}

/** Asked here as well as by keys, which counts only requests from where the key may be used. */
function isAllowed({ allowedIps }: Pick<AdmissionMessage, "allowedIps">, ip: string): boolean {
  return allowedIps.length === 0 || isInNetworks(ip, allowedIps);
}
