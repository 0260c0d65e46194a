// Stores objects in S3-compatible storage. The AWS SDK makes and signs the requests; they are sent by
// exchange.ts, so the address guard, the bounds and the deadline hold. Called by s3-receiver.ts.

import type { SinkConfigs } from "@annals/interface";
import { SYSTEM_ACCOUNT_ID } from "@annals/contract";
import { PutObjectCommand } from "@aws-sdk/client-s3";
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import type { AttemptResult } from "../../../outbound/exchange.ts";
import { newS3Client } from "../../../outbound/s3-client.ts";
import { type Deadline, type SinkDeps, SinkHttp } from "../../receiver/sink-http.ts";
import type { SinkResult } from "../../receiver/sink-receiver.ts";

export interface S3Uploads {
  /** Stores an object under its name, whether there is one or not. */
  put(accountId: string, key: string, body: Uint8Array, deadline: Deadline): Promise<SinkResult>;
  close(): void;
}

/** What the SDK gives to what sends its requests. */
interface SignedRequest {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | readonly string[] | null>>;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** The upload that a request belongs to. */
interface Upload {
  readonly accountId: string;
  readonly deadline: Deadline;
  /** How its last request ended. */
  attempt: AttemptResult | undefined;
}

/** Time of a request that belongs to no upload: for credentials of the process. */
const CREDENTIALS_TIMEOUT_MS = 10_000;
const AWS = "https://s3.amazonaws.com";

export function s3Uploads(config: SinkConfigs["s3"], deps: SinkDeps): S3Uploads {
  const { bucket: Bucket, credentials, endpoint, region } = config;
  const http = new SinkHttp(deps, new URL(endpoint ?? AWS), {}, Object.values(credentials ?? {}));
  const keys = credentials && {
    accessKeyId: credentials.access_key_id,
    secretAccessKey: credentials.secret_access_key,
  };
  const client = newS3Client(
    { credentials: keys, endpoint, region },
    {
      // The worker tries again, with the same batch.
      maxAttempts: 1,
      expectContinueHeader: false,
      requestHandler: {
        metadata: { handlerProtocol: "http/1.1" },
        handle: (request: SignedRequest, { upload }: { readonly upload?: Upload }) =>
          sendSigned(http, request, upload),
      },
    },
  );
  return {
    put: async (accountId, Key, Body, deadline) => {
      const upload: Upload = { accountId, deadline, attempt: undefined };
      // Content-MD5 is what storage without checksums knows, and what a locked bucket takes in their place.
      const isMd5 = (await client.config.requestChecksumCalculation()) === "WHEN_REQUIRED";
      const digest = createHash(isMd5 ? "md5" : "sha256")
        .update(Body)
        .digest("base64");
      const checksum = isMd5 ? { ContentMD5: digest } : { ChecksumSHA256: digest };
      const command = new PutObjectCommand({ Bucket, Key, Body, ...checksum });
      try {
        const options = { abortSignal: deadline.signal, upload };
        await client.send(command, options);
        return { outcome: "accepted", statusCode: 200 };
      } catch (error) {
        return failure(http, upload, error);
      }
    },
    close: () => {
      client.destroy();
      http.close();
    },
  };
}

/** Sends what the SDK has signed. Rejects without a response: {@link failure} reads the reason. */
async function sendSigned(http: SinkHttp, request: SignedRequest, upload: Upload | undefined) {
  const { accountId, deadline } = upload ?? ofTheProcess();
  const { body, headers, method, protocol } = request;
  if (protocol !== "https:") throw new Error("storage must be reached by HTTPS");
  const bytes =
    body instanceof Uint8Array ? body : Buffer.from(typeof body === "string" ? body : "");
  const sent = { accountId, method, url: urlOf(request), headers, body: bytes };
  const attempt = await http.request(sent, deadline);
  if (upload) upload.attempt = attempt;
  const { response, statusCode } = attempt;
  if (statusCode === null || response === undefined) throw new Error(attempt.outcome);
  const received = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
  const answer = Readable.from([response.body]);
  return { response: { statusCode, headers: Object.fromEntries(received), body: answer } };
}

function ofTheProcess(): Pick<Upload, "accountId" | "deadline"> {
  const signal = AbortSignal.timeout(CREDENTIALS_TIMEOUT_MS);
  const until = performance.now() + CREDENTIALS_TIMEOUT_MS;
  return { accountId: SYSTEM_ACCOUNT_ID, deadline: { signal, until } };
}

/** The path and the query are encoded already, as they were signed. */
function urlOf({ hostname, path, port, protocol, query = {} }: SignedRequest): URL {
  const host = port === undefined ? hostname : `${hostname}:${port}`;
  const pairs = Object.entries(query).flatMap(([name, values]) =>
    [values ?? ""].flat().map((value) => `${escapeQuery(name)}=${escapeQuery(value)}`),
  );
  return new URL(`${protocol}//${host}${path}${pairs.length > 0 ? `?${pairs.join("&")}` : ""}`);
}

/** RFC 3986, as signatures have it. */
function escapeQuery(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function failure(http: SinkHttp, { attempt, deadline }: Upload, error: unknown): SinkResult {
  if (attempt === undefined) {
    if (deadline.signal.aborted) return { outcome: "abandoned" };
    const reason = error instanceof Error ? error.message : "unknown";
    return http.refused(null, `The request to the storage could not be made: ${reason}`);
  }
  const { outcome, statusCode } = attempt;
  if (outcome === "success") return http.unreadable(statusCode);
  const failed = http.failure(attempt);
  if (outcome !== "refused" || !(error instanceof Error)) return failed;
  const reason = http.visible(`${error.name}: ${error.message}`);
  return { ...failed, error: `The storage responded with status ${statusCode}: ${reason}` };
}
