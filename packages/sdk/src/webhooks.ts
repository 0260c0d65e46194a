// Verifies deliveries of webhooks (docs/webhooks.md) with WebCrypto, whose comparison takes constant time.
// Called by the servers that receive them. It must never parse a body before its signature is verified.

import type { WebhookPayload } from "./types.ts";

export interface VerifyWebhookOptions {
  /**
   * Which signature. `standard` (default): `webhook-signature`, which covers the time of the attempt.
   * `service`: `X-Service-Signature`, which covers the body alone; the time is the payload's, which retries
   * do not change.
   */
  readonly signature?: "standard" | "service";
  /** How far the time may be off. By default 300 seconds for `standard`, 3,600 for `service`. */
  readonly toleranceSeconds?: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** Why a delivery is not accepted. Respond with 400 or 401. */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
  readonly reason: "missing_header" | "wrong_signature" | "wrong_time" | "not_json";

  constructor(reason: WebhookError["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Headers as fetch has them, or as Node has them. */
export type HeadersLike =
  | Pick<Headers, "get">
  | Readonly<Record<string, string | readonly string[] | undefined>>;

const SECRET_PREFIX = "whsec_";
const TOLERANCE_SECONDS = { standard: 300, service: 3_600 };
const encoder = new TextEncoder();

/**
 * The payload of a delivery. `body` is what arrived, before any JSON parser. While a secret is replaced, give
 * both. Throws WebhookError.
 */
export async function verifyWebhook(
  body: string | Uint8Array | ArrayBuffer,
  headers: HeadersLike,
  secret: string | readonly string[],
  options: VerifyWebhookOptions = {},
): Promise<WebhookPayload> {
  const { signature = "standard", now = Date.now } = options;
  const { toleranceSeconds = TOLERANCE_SECONDS[signature] } = options;
  const bytes = bytesOf(body);
  const secrets = typeof secret === "string" ? [secret] : secret;
  if (secrets.length === 0 || secrets.some((one) => !one.startsWith(SECRET_PREFIX)))
    throw new TypeError(`a webhook's secret begins with ${SECRET_PREFIX}`);
  const isSigned = signature === "standard" ? isSignedByStandard : isSignedByService;
  if (!(await isSigned(bytes, headers, secrets)))
    throw new WebhookError("wrong_signature", "no signature of the delivery matches");
  const payload = parse(bytes);
  const sentAt =
    signature === "standard"
      ? Number(header(headers, "webhook-timestamp")) * 1_000
      : Date.parse(payload.timestamp);
  if (!(Math.abs(now() - sentAt) <= toleranceSeconds * 1_000))
    throw new WebhookError(
      "wrong_time",
      `the timestamp is outside the tolerance of ${toleranceSeconds} s`,
    );
  return payload;
}

async function isSignedByStandard(
  body: Uint8Array<ArrayBuffer>,
  headers: HeadersLike,
  secrets: readonly string[],
): Promise<boolean> {
  const given = header(headers, "webhook-signature");
  const before = encoder.encode(
    `${header(headers, "webhook-id")}.${header(headers, "webhook-timestamp")}.`,
  );
  const signed = new Uint8Array(before.length + body.length);
  signed.set(before, 0);
  signed.set(body, before.length);
  const signatures = given.split(" ").flatMap((one) => {
    const [version, text = ""] = one.split(",");
    return version === "v1" ? fromBase64(text) : [];
  });
  const keys = secrets.flatMap((secret) => fromBase64(secret.slice(SECRET_PREFIX.length)));
  return isSignedByAny(keys, signatures, signed);
}

async function isSignedByService(
  body: Uint8Array<ArrayBuffer>,
  headers: HeadersLike,
  secrets: readonly string[],
): Promise<boolean> {
  const given = header(headers, "x-service-signature");
  if (!/^[0-9a-f]{64}$/.test(given)) return false;
  const signature = Uint8Array.from({ length: 32 }, (_, at) =>
    Number.parseInt(given.slice(2 * at, 2 * at + 2), 16),
  );
  const keys = secrets.map((secret) => encoder.encode(secret));
  return isSignedByAny(keys, [signature], body);
}

async function isSignedByAny(
  keys: readonly Uint8Array<ArrayBuffer>[],
  signatures: readonly Uint8Array<ArrayBuffer>[],
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  for (const bytes of keys) {
    const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["verify"]);
    for (const signature of signatures)
      if (await crypto.subtle.verify("HMAC", key, signature, signed)) return true;
  }
  return false;
}

function header(headers: HeadersLike, name: string): string {
  const value = isHeaders(headers) ? headers.get(name) : ofRecord(headers, name);
  if (typeof value !== "string" || value === "")
    throw new WebhookError("missing_header", `the header ${name} is missing`);
  return value;
}

function isHeaders(headers: HeadersLike): headers is Pick<Headers, "get"> {
  return typeof headers["get"] === "function";
}

/** Undefined if the header came more than once. */
function ofRecord(record: Exclude<HeadersLike, Pick<Headers, "get">>, name: string): unknown {
  const own = Object.keys(record).find((each) => each.toLowerCase() === name);
  return own === undefined ? undefined : record[own];
}

function parse(bytes: Uint8Array): WebhookPayload {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as WebhookPayload;
  } catch {
    throw new WebhookError("not_json", "the body is not JSON");
  }
}

function bytesOf(body: string | Uint8Array | ArrayBuffer): Uint8Array<ArrayBuffer> {
  return typeof body === "string" ? encoder.encode(body) : new Uint8Array(body);
}

/** Empty for a text that is not base64. */
function fromBase64(text: string): Uint8Array<ArrayBuffer>[] {
  try {
    return [Uint8Array.from(atob(text), (character) => character.charCodeAt(0))];
  } catch {
    return [];
  }
}
