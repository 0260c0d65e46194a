// Admits requests (interface 2 and 3): authentication and the rate limit. Called by hook.ts. Requests that
// wait at the same time go to the keys service in one RPC. No result is cached: it must never admit a key
// that was revoked before the request began.

import {
  ADMISSION_HEADER,
  Batcher,
  type BatcherMetrics,
  CALL_TIMEOUT_MS,
  REQUEST_ID_HEADER,
} from "@annals/rpc";
import {
  type ComparedClock,
  isInNetworks,
  isPlausibleKey,
  isPlausibleWidgetToken,
} from "@annals/contract";
import { AnnalsError, unavailable } from "@annals/errors";
import {
  type AccountWindow,
  type Admission as AdmissionMessage,
  type AdmitRequestsResponse,
  type KeysService,
  type Plan,
  RateWindow,
  type WidgetAdmission,
} from "@annals/proto/keys";
import type { Client } from "@connectrpc/connect";
import type { Unauthenticated } from "../edge/unauthenticated.ts";
import { OtherAddress, RateLimited } from "./refused.ts";
import { type Grouped, groupsOf } from "./request-groups.ts";

/** Who made a request, and what is left of its rate limit. */
export interface Admission {
  readonly requestId: string;
  /** The address that the request came from. */
  readonly ip: string;
  readonly accountId: string;
  /** Id of the API key or widget token. */
  readonly keyId: string;
  /** Set for a widget token: the origins that may use it, and the viewer. */
  readonly widget?: WidgetAdmission | undefined;
  readonly scopes: readonly string[];
  /** Signed statement of the keys service, for the services that are called for the request. */
  readonly statement: string;
  /**
   * Whether the whole request had arrived when the keys service was called. If not, its key may have been
   * revoked since, so the request is admitted again before its body is used.
   */
  readonly isAfterBody: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly windowEndsInS: number;
  /** Window in which all keys and tokens of the account are counted. */
  readonly accountWindow: AccountWindow;
  /** What the account may do. An absent limit means that there is no limit. */
  readonly plan: Plan;
}

/** The options of a call for an admitted request; `signal` cancels it when the client leaves. */
export function admittedBy(
  { requestId, statement }: Pick<Admission, "requestId" | "statement">,
  signal?: AbortSignal,
) {
  return {
    headers: { [REQUEST_ID_HEADER]: requestId, [ADMISSION_HEADER]: statement },
    ...(signal && { signal }),
  };
}

/** Requests in one batch, concurrent batches, and requests that may wait. */
const MAX_GROUP = 500;
const CONCURRENCY = 2;
const MAX_WAITING = 20_000;

/** A request that waits to be admitted. */
interface Waiting extends Grouped {
  readonly requestId: string;
  readonly body: BodyState;
}

/** An IncomingMessage: says whether the whole request has arrived. */
interface BodyState {
  readonly complete: boolean;
}

export class Admissions {
  readonly #batcher: Batcher<Waiting, Admission>;
  readonly #deps: AdmissionDeps;
  readonly #unauthenticated: Unauthenticated;

  constructor(
    keys: Pick<Client<typeof KeysService>, "admitRequests">,
    unauthenticated: Unauthenticated,
    clock: ComparedClock,
    metrics?: BatcherMetrics,
  ) {
    this.#deps = { clock, keys };
    this.#unauthenticated = unauthenticated;
    this.#batcher = new Batcher({
      name: "admission",
      work: (given, _weight, timeoutMs) => admitGroup(this.#deps, given, timeoutMs),
      maxGroup: MAX_GROUP,
      concurrency: CONCURRENCY,
      maxWaiting: MAX_WAITING,
      deadlineMs: CALL_TIMEOUT_MS,
      ...(metrics && { metrics }),
    });
  }

  /**
   * Admits a request with the given Authorization header from the given client. A widget route needs a widget
   * token, any other route an API key. Throws `unauthenticated` (401), {@link OtherAddress} (403),
   * `rate_limited` (429), which is a {@link RateLimited} if a window is used up, or `unavailable`, also while
   * the clock of this gateway is wrong. `address`
   * is whose budget of refusals the request has.
   */
  async admit(
    authorization: string | undefined,
    {
      address,
      ...request
    }: AdmittedRequest & { readonly address: string; readonly body: BodyState },
  ): Promise<Admission> {
    const { isWidget } = request;
    const key = bearer(authorization, isWidget);
    const isPlausible = isWidget ? isPlausibleWidgetToken(key) : isPlausibleKey(key);
    if (!isPlausible) throw unknownKey(isWidget);
    this.#unauthenticated.check(address, key);
    try {
      const admission = await this.#batcher.submit({ ...request, key, count: 1 });
      this.#unauthenticated.admitted(key, admission);
      return admission;
    } catch (error) {
      if (error instanceof AnnalsError && error.kind === "unauthenticated")
        this.#unauthenticated.unknown(key);
      throw error;
    }
  }

  /** Compares the clock with the database's, which requests do otherwise: without readiness none come. */
  async compareClock(): Promise<void> {
    await ask(this.#deps, [], {});
  }

  /** Returns the account of the key in an Authorization header, if it was admitted lately. Admits nothing. */
  recognise(authorization: string | undefined): string | undefined {
    const key = SCHEME.exec(authorization ?? "")?.[1];
    return key === undefined ? undefined : this.#unauthenticated.accountOf(key);
  }

  /** Admits an admitted request again, without counting it again. Throws the same errors as {@link admit}. */
  async readmit(authorization: string | undefined, request: AdmittedRequest): Promise<Admission> {
    const key = bearer(authorization, request.isWidget);
    return this.#batcher.submit({ ...request, key, count: 0, body: ARRIVED });
  }
}

interface AdmittedRequest {
  readonly requestId: string;
  /** Whether the request is for a widget route. */
  readonly isWidget: boolean;
  /** In which of the key's windows it counts; absent: in that of most requests. */
  readonly window?: RateWindow | undefined;
  /** The address that it came from; empty if the client has disconnected. */
  readonly ip: string;
}

const ARRIVED: BodyState = { complete: true };

const SCHEME = /^Bearer +([^ ]+) *$/i;

function bearer(authorization: string | undefined, isWidget: boolean): string {
  const holder = isWidget ? "widget token" : "API key";
  if (authorization === undefined) {
    throw new AnnalsError(
      "unauthenticated",
      `Send the header \`Authorization: Bearer <${holder}>\`.`,
    );
  }
  const key = SCHEME.exec(authorization)?.[1];
  if (key === undefined) {
    throw new AnnalsError(
      "unauthenticated",
      `The Authorization header must be \`Bearer\` and one ${holder}.`,
    );
  }
  return key;
}

function unknownKey(isWidget: boolean): AnnalsError {
  const message = isWidget
    ? "The widget token is not valid, it has expired, or it was revoked."
    : "The API key is not valid, it has expired, or it was revoked.";
  return new AnnalsError("unauthenticated", message);
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

interface AdmissionDeps {
  readonly clock: ComparedClock;
  readonly keys: Pick<Client<typeof KeysService>, "admitRequests">;
}

/** Each response has the time of the database, unless the clock of keys is wrong. */
async function ask(
  { clock, keys }: AdmissionDeps,
  groups: ReturnType<typeof groupsOf>["groups"],
  options: { readonly timeoutMs?: number },
): Promise<AdmitRequestsResponse> {
  const compare = clock.begin();
  const answer = await keys.admitRequests({ groups }, options);
  if (answer.databaseTimeUs > 0n) compare(Number(answer.databaseTimeUs));
  return answer;
}

/** The gateway has no database. What it stamps with a wrong clock would be in the chains permanently. */
function requireRightClock(clock: ComparedClock): void {
  const fault = clock.isCompared ? clock.fault() : undefined;
  if (fault === undefined) return;
  throw unavailable("The clock of the gateway is wrong. Try again later.", new Error(fault));
}

/** Admits the first requests of each key and window, as many as the window allows. */
async function admitGroup(
  deps: AdmissionDeps,
  given: readonly Waiting[],
  timeoutMs: number,
): Promise<PromiseSettledResult<Admission>[]> {
  const { groups, indexes } = groupsOf(given);
  const isAfterBody = given.map(({ body }) => body.complete);
  const answer = await ask(deps, groups, { timeoutMs });
  requireRightClock(deps.clock);
  const { admissions } = answer;
  const answered = admissions.map(() => 0);
  return given.map((one, at): PromiseSettledResult<Admission> => {
    const { requestId, count, ip, isWidget, window } = one;
    const index = indexes[at] ?? -1;
    const admission = admissions[index];
    if (!admission) return NOT_ADMITTED;
    if (admission.accountId === "") return { status: "rejected", reason: unknownKey(isWidget) };
    const limit = admission.widget?.limit ?? limitOf(answer, window);
    if (!isAllowed(admission, ip)) {
      const { accountId, keyId, remaining } = admission;
      return {
        status: "rejected",
        reason: new OtherAddress({ accountId, keyId }, { limit, remaining }),
      };
    }
    const order = (answered[index] = (answered[index] ?? 0) + count);
    if (order > admission.admitted) {
      const reason = new RateLimited(limit, admission);
      return { status: "rejected", reason };
    }
    const { accountId, keyId, scopes, statement, widget, windowEndsInS } = admission;
    const { accountWindow, plan } = admission;
    if (!accountWindow || !plan || statement === "") return NOT_ADMITTED;
    const remaining = admission.remaining + admission.admitted - order;
    const value = {
      requestId,
      ip,
      accountId,
      keyId,
      scopes,
      statement,
      widget,
      limit,
      remaining,
      windowEndsInS,
      accountWindow,
      plan,
      isAfterBody: isAfterBody[at] === true,
    };
    return { status: "fulfilled", value };
  });
}

/** Asked here as well as by keys, which counts only requests from where the key may be used. */
function isAllowed({ allowedIps }: Pick<AdmissionMessage, "allowedIps">, ip: string): boolean {
  return allowedIps.length === 0 || isInNetworks(ip, allowedIps);
}
