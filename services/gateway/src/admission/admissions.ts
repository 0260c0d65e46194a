// Admits requests (interface 2 and 3): authentication and the rate limit. Called by hook.ts. Requests that
// wait at the same time go to the keys service in one RPC, and its answer leases further ones (leases.ts). It
// must never admit a request that began after the revocation of its key was answered.

import { Batcher, type BatcherMetrics, CALL_TIMEOUT_MS } from "@annals/rpc";
import {
  type ComparedClock,
  isPlausibleAccessToken,
  isPlausibleKey,
  isPlausibleWidgetToken,
  isPlausibleWorkloadToken,
} from "@annals/contract";
import { AnnalsError } from "@annals/errors";
import { RateWindow } from "@annals/proto/keys";
import { hash } from "node:crypto";
import type { Unauthenticated } from "../edge/unauthenticated.ts";
import type { Admission } from "./admission.ts";
import {
  type AdmissionDeps,
  admitByLease,
  admitGroup,
  ask,
  type BodyState,
  unknownSecret,
  type Waiting,
} from "./admit-group.ts";
import { Leases } from "./leases.ts";
import type { Kind } from "./request-groups.ts";
import { WorkloadTokens } from "./workload-tokens.ts";

/** Requests in one batch, concurrent batches, and requests that may wait. */
const MAX_GROUP = 500;
const CONCURRENCY = 2;
const MAX_WAITING = 20_000;

export class Admissions {
  readonly #batcher: Batcher<Waiting, Admission>;
  readonly #deps: AdmissionDeps;
  readonly #unauthenticated: Unauthenticated;
  readonly #workloadTokens: WorkloadTokens;

  constructor(
    keys: AdmissionDeps["keys"],
    unauthenticated: Unauthenticated,
    clock: ComparedClock,
    metrics?: BatcherMetrics,
  ) {
    this.#deps = { clock, keys, leases: new Leases(clock) };
    this.#unauthenticated = unauthenticated;
    this.#workloadTokens = new WorkloadTokens(keys);
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
   * token, any other route an API key, an access token or a token of a workload. Throws `unauthenticated`
   * (401), {@link OtherAddress} (403), `rate_limited` (429), which is a {@link RateLimited} if a window is
   * used up, or `unavailable`, also while the clock of this gateway is wrong. `address` is whose budget of
   * refusals the request has.
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
    const kind = plausibleKind(key, isWidget);
    if (kind === undefined) throw unknownSecret(isWidget ? "widget" : "key");
    const digest = digestOf(key);
    this.#unauthenticated.check(address, digest);
    const waiting = waitingOf(request, digest, { kind, count: 1, body: request.body });
    const leased = admitByLease(this.#deps, waiting);
    if (leased) return leased;
    try {
      const admission = await this.#submit(waiting, key);
      this.#unauthenticated.admitted(digest, admission);
      return admission;
    } catch (error) {
      if (isUnauthenticated(error)) this.#unauthenticated.unknown(digest);
      throw error;
    }
  }

  /** Compares the clock with the database's, which requests do otherwise: without readiness none come. */
  async compareClock(): Promise<void> {
    await ask(this.#deps, [], {});
  }

  /** Returns the account of the key in an Authorization header, if it was admitted lately. Admits nothing. */
  recognise(authorization: string | undefined): string | undefined {
    const key = secretOf(authorization);
    return key === undefined ? undefined : this.#unauthenticated.accountOf(digestOf(key));
  }

  /** Admits an admitted request again, without counting it again. Throws the same errors as {@link admit}. */
  async readmit(authorization: string | undefined, request: AdmittedRequest): Promise<Admission> {
    const key = bearer(authorization, request.isWidget);
    const kind = plausibleKind(key, request.isWidget) ?? "key";
    const waiting = waitingOf(request, digestOf(key), { kind, count: 0, body: ARRIVED });
    return admitByLease(this.#deps, waiting) ?? this.#submit(waiting, key);
  }

  /** A token of a workload that keys does not know may be new, or is to be verified again. */
  async #submit(waiting: Waiting, secret: string): Promise<Admission> {
    if (waiting.kind !== "workload") return this.#batcher.submit(waiting);
    try {
      return await this.#batcher.submit(waiting);
    } catch (error) {
      if (!isUnauthenticated(error)) throw error;
    }
    try {
      await this.#workloadTokens.register(waiting.digest, secret);
    } catch (error) {
      throw isUnauthenticated(error) ? unknownSecret("workload") : error;
    }
    return this.#batcher.submit(waiting);
  }
}

const isUnauthenticated = (error: unknown): boolean =>
  error instanceof AnnalsError && error.kind === "unauthenticated";

/** All that is kept of a key, which requests that wait and leases would keep for longer than its request. */
function digestOf(key: string): string {
  return hash("sha256", key, "base64");
}

/** What a text with the shape and the checksum of a secret is; undefined for any other. */
function plausibleKind(key: string, isWidget: boolean): Kind | undefined {
  if (isWidget) return isPlausibleWidgetToken(key) ? "widget" : undefined;
  if (isPlausibleKey(key)) return "key";
  if (isPlausibleAccessToken(key)) return "access";
  return isPlausibleWorkloadToken(key) ? "workload" : undefined;
}

/** A request that waits. An access token counts all its requests in one window. */
function waitingOf(
  { ip, requestId, window: asked }: AdmittedRequest,
  digest: string,
  { body, count, kind }: { kind: Kind; count: 0 | 1; body: BodyState },
): Waiting {
  const window = kind === "access" ? undefined : asked;
  const name = `${window ?? RateWindow.UNSPECIFIED} ${digest}`;
  return { ip, requestId, window, digest, name, kind, count, body };
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

/** Returns the credential of a Bearer header. Undefined: there is no header, or it has another scheme. */
function secretOf(authorization: string | undefined): string | undefined {
  return SCHEME.exec(authorization ?? "")?.[1];
}

/** The same. Throws `unauthenticated` if the header carries nothing. */
function bearer(authorization: string | undefined, isWidget: boolean): string {
  const holder = isWidget ? "widget token" : "API key";
  if (authorization === undefined) {
    throw new AnnalsError(
      "unauthenticated",
      `Send the header \`Authorization: Bearer <${holder}>\`.`,
    );
  }
  const secret = secretOf(authorization);
  if (secret === undefined) {
    throw new AnnalsError(
      "unauthenticated",
      `The Authorization header must be \`Bearer\` and one ${holder}.`,
    );
  }
  return secret;
}
