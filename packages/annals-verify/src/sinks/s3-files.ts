// The objects that sinks have written, in a bucket of S3-compatible storage. Called by sink-command.ts. It
// only lists and reads. It must never take more of a response than its bound, nor show a credential.

import { quoteVisibly } from "@annals/event";
import { BadLine } from "../bad-line.ts";
import { boundedGet } from "../bounded-get.ts";
import { NotChecked } from "../evidence/evidence-fault.ts";
import { httpAddress } from "../watch/log-client.ts";
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
const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};

type Environment = Readonly<Record<string, string | undefined>>;

export function isBucket(path: string): boolean {
  return path.startsWith(SCHEME);
}

/** Throws NotChecked for an address or an environment that cannot be used. */
export function s3Files(
  address: string,
  given: { readonly endpoint: string | undefined; readonly environment: Environment },
): SinkFiles {
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

interface S3Object {
  readonly key: string;
  readonly size: number;
}

class S3Bucket {
  readonly #base: URL;
  readonly #region: string;
  readonly #credentials: S3Credentials;

  constructor(
    bucket: string,
    { endpoint, environment }: { endpoint: string | undefined; environment: Environment },
  ) {
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
    do {
      const query = [
        ...(token === undefined ? [] : [`continuation-token=${uriEncoded(token)}`]),
        "list-type=2",
        `prefix=${uriEncoded(prefix)}`,
      ];
      const url = new URL(`?${query.join("&")}`, this.#base);
      const page = pageIn((await this.#get(url, MAX_PAGE_BYTES)).toString("utf8"));
      objects.push(...page.objects);
      if (page.next !== undefined && page.next === token)
        throw new NotChecked("the storage answers with the same page again");
      token = page.next;
      if (objects.length > MAX_OBJECTS)
        throw new NotChecked(`there are over ${MAX_OBJECTS} objects: give a longer prefix`);
    } while (token !== undefined);
    return objects;
  }

  async read(key: string, size: number): Promise<Buffer> {
    const path = key.split("/").map(uriEncoded).join("/");
    const url = new URL(this.#base.pathname + path, this.#base);
    const bytes = await this.#get(url, size);
    if (bytes.length < size) throw new BadLine("was changed while it was read");
    return bytes;
  }

  async #get(url: URL, most: number): Promise<Buffer> {
    const signing = { now: new Date(), region: this.#region };
    return await boundedGet(url, most, signedHeaders(url, this.#credentials, signing));
  }
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

/** What a page of ListObjectsV2 has. Throws NotChecked for any other text. */
function pageIn(xml: string): { objects: S3Object[]; next: string | undefined } {
  if (!xml.includes("<ListBucketResult")) throw new NotChecked("the storage answers with no list");
  const objects = Array.from(xml.matchAll(/<Contents>(.*?)<\/Contents>/gs), ([, content = ""]) => {
    const [key, size] = [textIn(content, "Key"), textIn(content, "Size") ?? ""];
    if (key === undefined || !/^\d{1,15}$/.test(size))
      throw new NotChecked("the list of the storage cannot be read");
    return { key, size: Number(size) };
  });
  const isCut = textIn(xml, "IsTruncated") === "true";
  const next = isCut ? textIn(xml, "NextContinuationToken") : undefined;
  if (isCut && next === undefined) throw new NotChecked("the list of the storage is not complete");
  return { objects, next };
}

function textIn(xml: string, name: string): string | undefined {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  return text?.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]{2,4}));/gi,
    (all, hex, code, entity) => {
      if (entity !== undefined) return ENTITIES[entity as string] ?? all;
      const point = hex === undefined ? Number(code) : Number.parseInt(hex as string, 16);
      return point <= 0x10ffff ? String.fromCodePoint(point) : all;
    },
  );
}
