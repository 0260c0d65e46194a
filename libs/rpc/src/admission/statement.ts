// Statements of admission: which account and key a request was admitted for, with which scopes, for a minute.
// The keys service signs them and every backend verifies them. The gateway hands them on and has no secret.
// A statement must never be accepted for another account than its own.

import { type Clock, CLOCK_TOLERANCE_S, isPermitted, type Permission } from "@annals/contract";
import { AnnalsError, unavailable } from "@annals/errors";
import {
  type AdmissionStatement,
  AdmissionStatementSchema,
  SignedAdmissionSchema,
} from "@annals/proto/admission";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";

/** How long a statement is valid. The same one is issued again for up to half of that. */
const LIFETIME_S = 60;
/** How far the clocks of two services may differ: each by its tolerance from the database's. */
const CLOCK_SKEW_S = 2 * CLOCK_TOLERANCE_S;
/** Statements that a process remembers, of issued or of verified ones. */
const MAX_REMEMBERED = 10_000;

const MICROS_PER_S = 1_000_000;
const MS_PER_S = 1_000;

/** Secrets by id, newest first: the first signs, all verify. */
export type AdmissionSecrets = ReadonlyMap<string, KeyObject>;

/**
 * Whom a statement is about: a key, a person or a workload, and what its plan allows, or a widget token and
 * what it may see.
 */
export type Admitted = Pick<AdmissionStatement, "accountId" | "keyId" | "scopes" | "widget"> &
  Partial<Pick<AdmissionStatement, "holder" | "sessionId">> &
  Pick<AdmissionStatement, "maxExportBytes" | "eventsExportedPerDay" | "eventsReplayedPerDay">;

export interface AdmissionDeps {
  readonly secrets: AdmissionSecrets;
  readonly clock: Pick<Clock, "fault" | "nowMicros">;
}

interface Issued {
  readonly token: string;
  readonly expiresAtS: number;
  /** Whether it ends with its key, so that no later one can be issued. */
  readonly isLast: boolean;
}

/** Issues statements. For the keys service alone. */
export class AdmissionSigner {
  readonly #deps: AdmissionDeps;
  readonly #issued = new Map<string, Issued>();

  constructor(deps: AdmissionDeps) {
    this.#deps = deps;
  }

  /**
   * The statement as the text that others hand on; it has at least half of its life before it, unless the key
   * or token ends earlier. `endsAt` is that time, if it has one, as text. Throws `unavailable` while the
   * clock is wrong.
   */
  issue({ accountId, keyId, scopes, widget, ...rest }: Admitted, endsAt = ""): string {
    requireRight(this.#deps.clock);
    const now = secondsOf(this.#deps.clock);
    const { eventsExportedPerDay, eventsReplayedPerDay, maxExportBytes } = rest;
    const { holder, sessionId } = rest;
    // What a token may see never changes.
    const limits = [maxExportBytes, eventsExportedPerDay, eventsReplayedPerDay].map(String);
    const subject = JSON.stringify([accountId, keyId, scopes, limits, endsAt, sessionId]);
    const issued = this.#issued.get(subject);
    const latestS = Math.ceil(now + LIFETIME_S);
    if (issued && isUsable(issued, now, latestS)) return issued.token;
    const endsAtS = endsAt === "" ? Infinity : Math.ceil(Date.parse(endsAt) / MS_PER_S);
    const isLast = endsAtS <= latestS;
    const expiresAtS = Math.min(latestS, endsAtS);
    const statement = create(AdmissionStatementSchema, {
      accountId,
      keyId,
      scopes,
      expiresAtS,
      ...(widget && { widget }),
      ...(holder !== undefined && { holder }),
      ...(sessionId !== undefined && { sessionId }),
      ...(maxExportBytes !== undefined && { maxExportBytes }),
      ...(eventsExportedPerDay !== undefined && { eventsExportedPerDay }),
      ...(eventsReplayedPerDay !== undefined && { eventsReplayedPerDay }),
    });
    const token = sign(this.#deps.secrets, toBinary(AdmissionStatementSchema, statement));
    remember(this.#issued, subject, { token, expiresAtS, isLast });
    return token;
  }
}

/** A clock that was ahead issued one that ends too late. */
function isUsable({ expiresAtS, isLast }: Issued, now: number, latestS: number): boolean {
  return expiresAtS <= latestS && (isLast || expiresAtS - now >= LIFETIME_S / 2);
}

/** What a call needs an admission for. */
export interface Needed {
  readonly accountId: string;
  readonly scope: Permission;
}

export class AdmissionVerifier {
  readonly #deps: AdmissionDeps;
  /** The statements of tokens that were found genuine. */
  readonly #genuine = new Map<string, AdmissionStatement>();

  constructor(deps: AdmissionDeps) {
    this.#deps = deps;
  }

  /**
   * Whom the statement admits. An empty token holds no statement. Throws `permission_denied` unless the
   * statement is genuine, valid now, of that account and has that scope; `unavailable` while the clock is
   * wrong.
   */
  verify(token: string, needed: Needed): Admitted {
    const statement = this.#genuine.get(token) ?? this.#read(token);
    requireRight(this.#deps.clock);
    const now = secondsOf(this.#deps.clock);
    if (now > statement.expiresAtS + CLOCK_SKEW_S) {
      throw denied("The admission of this call has expired.");
    }
    if (statement.expiresAtS > Math.ceil(now + LIFETIME_S + CLOCK_SKEW_S)) {
      throw denied("The admission of this call is valid for too long.");
    }
    if (statement.accountId !== needed.accountId) {
      throw denied("The admission of this call is for another account.");
    }
    if (!isPermitted(statement.scopes, needed.scope)) {
      throw denied(`The admission of this call lacks the scope ${needed.scope}.`);
    }
    return statement;
  }

  #read(token: string): AdmissionStatement {
    const bytes = token === "" ? undefined : genuineBytes(this.#deps.secrets, token);
    if (bytes === undefined) {
      throw denied("This call needs an admission of the keys service for its account.");
    }
    const statement = fromBinary(AdmissionStatementSchema, bytes);
    remember(this.#genuine, token, statement);
    return statement;
  }
}

function sign(secrets: AdmissionSecrets, statement: Uint8Array): string {
  const [newest] = secrets;
  if (!newest) throw new TypeError("there is no secret to sign with");
  return tokenOf(...newest, statement);
}

/** Undefined for a text that no secret has signed, to the byte. */
function genuineBytes(secrets: AdmissionSecrets, token: string): Uint8Array | undefined {
  try {
    const bytes = Buffer.from(token, "base64url");
    const { statement, secretId } = fromBinary(SignedAdmissionSchema, bytes);
    const secret = secrets.get(secretId);
    if (!secret) return undefined;
    const expected = Buffer.from(tokenOf(secretId, secret, statement));
    const given = Buffer.from(token);
    const isGenuine = given.length === expected.length && timingSafeEqual(given, expected);
    return isGenuine ? statement : undefined;
  } catch {
    // Not a message at all.
    return undefined;
  }
}

function tokenOf(secretId: string, secret: KeyObject, statement: Uint8Array): string {
  const mac = macOf(secret, statement);
  const signed = create(SignedAdmissionSchema, { statement, secretId, mac });
  return Buffer.from(toBinary(SignedAdmissionSchema, signed)).toString("base64url");
}

function macOf(secret: KeyObject, statement: Uint8Array): Buffer {
  return createHmac("sha256", secret).update("annals admission v1\n").update(statement).digest();
}

function denied(message: string): AnnalsError {
  return new AnnalsError("permission_denied", message);
}

/** Throws while the clock is wrong: a statement would be valid for too long. Another replica may sign. */
function requireRight({ fault }: Pick<Clock, "fault">): void {
  const reason = fault?.();
  if (reason === undefined) return;
  throw unavailable("The clock of a service is wrong. Try again later.", new Error(reason));
}

function secondsOf(clock: Pick<Clock, "nowMicros">): number {
  return clock.nowMicros() / MICROS_PER_S;
}

/** The oldest is forgotten: all of them expire within a minute. */
function remember<V>(known: Map<string, V>, key: string, value: V): void {
  known.delete(key);
  known.set(key, value);
  if (known.size <= MAX_REMEMBERED) return;
  const [oldest] = known.keys();
  if (oldest !== undefined) known.delete(oldest);
}
