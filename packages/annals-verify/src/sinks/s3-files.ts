// The objects that sinks have written, in a bucket of S3-compatible storage. Called by sink-command.ts. It
// only lists and reads. It must never take more of a response than its bound, nor show a credential.

import { escapeHidden, quoteVisibly } from "@annals/event";
import { BadLine } from "../bad-line.ts";
import { boundedGet, GetFailed, httpAddress } from "../bounded-get.ts";
import { NotChecked } from "../evidence/evidence-fault.ts";
import { pageIn, type S3Object } from "./s3-list.ts";
import { type S3Credentials, signedHeaders, uriEncoded } from "./s3-signature.ts";
import type { SinkFile, SinkFiles } from "./sink-files.ts";

const SCHEME = "s3://";
/** A bucket has a name of these characters, and a prefix may follow. */
const ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/s;
const REGION = /^[a-z0-9-]{1,64}$/;
const SAFE_HEADER = /^[\x21-\x7e]+$/;
/** A page has 1,000 names of at most 1,024 bytes, each of which an entity may make six characters. */
const MAX_PAGE_BYTES = 8 * 1024 * 1024;
/** Each takes some 500 bytes of memory. */
const MAX_OBJECTS = 1_000_000;
/** Some storage has pages of fewer than 1,000 names. */
const MAX_PAGES = 4_000;
/** How often one request is repeated: after 200, 400 and 800 ms. */
const MAX_RETRIES = 3;
const FIRST_WAIT_MS = 200;
/** Retries without a success between them. Then the storage is gone, and no request is retried. */
const MAX_RETRIES_IN_A_ROW = 300;
const RETRIED = [500, 503];
/** Content encodings of what is as it was stored. Some storage keeps the last one of the upload. */
const AS_STORED: ReadonlySet<string> = new Set(["", "identity", "aws-chunked"]);

interface Given {
  readonly endpoint: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Waits before a retry, for milliseconds. */
  readonly wait: (ms: number) => Promise<unknown>;
  /** Pages of the list, by default 4,000. */
  readonly maxPages?: number | undefined;
}

export function isBucket(path: string): boolean {
  return path.startsWith(SCHEME);
}

/** Throws NotChecked for an address or an environment that cannot be used. */
export function s3Files(address: string, given: Given): SinkFiles {
  const [, bucket, prefix = ""] = ADDRESS.exec(address) ?? [];
  if (bucket === undefined)
    throw new NotChecked(`${quoteVisibly(address)} is not the address of a bucket`);
  const storage = new S3Bucket(bucket, given);
  return {
    name: address,
    list: async () => {
      const objects = await storage.list(prefix);
      return objects.map(({ key, size }): SinkFile => ({
        name: `${SCHEME}${bucket}/${key}`,
        path: `/${bucket}/${key}`,
        size,
        read: () => storage.read(key, size),
      }));
    },
  };
}

class S3Bucket {
  readonly #base: URL;
  readonly #region: string;
  readonly #credentials: S3Credentials;
  readonly #wait: Given["wait"];
  readonly #maxPages: number;
  #retries = 0;

  constructor(bucket: string, { endpoint, environment, wait, maxPages = MAX_PAGES }: Given) {
    this.#wait = wait;
    this.#maxPages = maxPages;
    const given = (name: string) => (environment[name] === "" ? undefined : environment[name]);
    this.#credentials = credentialsIn(given);
    this.#region = given("AWS_REGION") ?? given("AWS_DEFAULT_REGION") ?? "us-east-1";
    if (!REGION.test(this.#region)) throw new NotChecked("AWS_REGION is not a region");
    const other = endpoint ?? given("AWS_ENDPOINT_URL_S3") ?? given("AWS_ENDPOINT_URL");
    const base = other ?? `https://s3.${this.#region}.amazonaws.com`;
    this.#base = new URL(`${bucket}/`, httpAddress(base, "the endpoint"));
  }

  /** All objects below a prefix, page by page. */
  async list(prefix: string): Promise<readonly S3Object[]> {
    const objects: S3Object[] = [];
    let token: string | undefined;
    for (let number = 0; number < this.#maxPages; number += 1) {
      const page = await this.#page(prefix, token);
      for (const object of page.objects) objects.push(object);
      if (objects.length > MAX_OBJECTS)
        throw new NotChecked(`there are over ${MAX_OBJECTS} objects: give a longer prefix`);
      if (page.next === undefined) return objects;
      if (page.next === token) throw new NotChecked("the storage answers with the same page again");
      token = page.next;
    }
    throw new NotChecked(`the list has over ${this.#maxPages} pages: give a longer prefix`);
  }

  async read(key: string, size: number): Promise<Buffer> {
    const path = key.split("/").map(uriEncoded).join("/");
    const url = new URL(this.#base.pathname + path, this.#base);
    const bytes = await this.#get(url, size).catch((error: unknown) => {
      throw error instanceof GetFailed && error.status === 404 ? new BadLine("is missing") : error;
    });
    if (bytes.length < size) throw new BadLine("was changed while it was read");
    return bytes;
  }

  async #page(prefix: string, token: string | undefined): Promise<ReturnType<typeof pageIn>> {
    const query = [
      ...(token === undefined ? [] : [`continuation-token=${uriEncoded(token)}`]),
      "list-type=2",
      `prefix=${uriEncoded(prefix)}`,
    ];
    const url = new URL(`?${query.join("&")}`, this.#base);
    return pageIn((await this.#get(url, MAX_PAGE_BYTES)).toString("utf8"));
  }

  /** Retries what another request may not meet: an overloaded storage, and a cut connection. */
  async #get(url: URL, most: number): Promise<Buffer> {
    for (let tried = 0; ; tried += 1) {
      try {
        const signing = { now: new Date(), region: this.#region };
        const signed = signedHeaders(url, this.#credentials, signing);
        const headers = { ...signed, "accept-encoding": "identity" };
        const bytes = await boundedGet(url, most, headers, encodingOf);
        this.#retries = 0;
        return bytes;
      } catch (error) {
        if (!mayPass(error) || tried === MAX_RETRIES || this.#retries >= MAX_RETRIES_IN_A_ROW)
          throw error;
      }
      this.#retries += 1;
      await this.#wait(FIRST_WAIT_MS * 2 ** tried);
    }
  }
}

/** The bytes of an object are those that were written: what fetch would decode may be others. */
function encodingOf({ headers }: Response): string | undefined {
  const encoding = headers.get("content-encoding") ?? "";
  if (AS_STORED.has(encoding.toLowerCase())) return undefined;
  return `the response has the content encoding ${escapeHidden(encoding)}, with which its bytes are not those of the object`;
}

function mayPass(error: unknown): boolean {
  return error instanceof GetFailed && (error.isCut || RETRIED.includes(error.status ?? 0));
}

function credentialsIn(given: (name: string) => string | undefined): S3Credentials {
  const accessKeyId = given("AWS_ACCESS_KEY_ID");
  const secretAccessKey = given("AWS_SECRET_ACCESS_KEY");
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new NotChecked("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set");
  const sessionToken = given("AWS_SESSION_TOKEN");
  // Node would quote a header that it refuses in its message.
  if (!SAFE_HEADER.test(accessKeyId) || !SAFE_HEADER.test(sessionToken ?? "-"))
    throw new NotChecked("AWS_ACCESS_KEY_ID or AWS_SESSION_TOKEN has other characters than a key");
  return { accessKeyId, secretAccessKey, sessionToken };
}
