// The URL by which a setting names S3-compatible storage: `s3://bucket/prefix?region=…&endpoint=…`. Called by
// the config.ts of the services that keep something there. It must never take credentials: a URL is shown.

import { isIP } from "node:net";

export interface S3Location {
  readonly bucket: string;
  /** What the names of all objects begin with: empty, or ends in a slash. */
  readonly prefix: string;
  readonly region: string;
  /** Undefined: AWS itself. */
  readonly endpoint: string | undefined;
}

const PARTS = /^s3:\/\/([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/;
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PREFIX = /^([A-Za-z0-9!_.*'()=-]+\/)*$/;
const REGION = /^[a-z0-9][a-z0-9-]{0,62}$/;
const DEFAULT_REGION = "us-east-1";

/**
 * `more` are parameters beside `region` and `endpoint`. Throws an Error whose message follows the name of the
 * setting and says which part of the URL is wrong.
 */
export function parseS3Url<const Name extends string = never>(
  given: string,
  more: readonly Name[] = [],
): S3Location & { readonly parameters: Readonly<Partial<Record<Name, string>>> } {
  const parts = PARTS.exec(given);
  if (!parts)
    throw new Error("must be a URL such as s3://bucket/prefix?region=eu-central-1, without a #");
  const [, bucket = "", path = "", query = ""] = parts;
  if (bucket.includes("@"))
    throw new Error("must not hold credentials: remove what stands before the @");
  if (bucket.includes(":"))
    throw new Error("must not have a port: name the server by endpoint=https://host:port");
  if (!BUCKET.test(bucket) || bucket.includes("..") || isIP(bucket) !== 0)
    throw new Error(
      "must name a bucket by 3 to 63 of a to z, 0 to 9, . and -, with a letter or a digit at both ends",
    );
  const prefix = path === "" || path.endsWith("/") ? path : `${path}/`;
  if (!PREFIX.test(prefix) || prefix.split("/").some((name) => name === "." || name === ".."))
    throw new Error(
      "has a wrong prefix: names between slashes must have letters, digits and !_.*'()=-",
    );
  const { endpoint, region = DEFAULT_REGION, ...parameters } = parametersOf(query, more);
  if (!REGION.test(region))
    throw new Error("has a wrong region: it must have 1 to 63 of a to z, 0 to 9 and -");
  if (endpoint !== undefined && !isEndpoint(endpoint))
    throw new Error(
      "has a wrong endpoint: it must be a URL that begins with https:// or http://, without credentials, query " +
        "and #",
    );
  return {
    bucket,
    prefix,
    region,
    endpoint,
    parameters: parameters as Partial<Record<Name, string>>,
  };
}

function parametersOf(
  query: string,
  more: readonly string[],
): Readonly<Partial<Record<string, string>>> {
  const known = ["region", "endpoint", ...more];
  const found: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(query)) {
    if (!known.includes(name))
      throw new Error(
        `has an unknown parameter ${JSON.stringify(name)}: known are ${known.join(", ")}`,
      );
    if (name in found) throw new Error(`has the parameter ${name} twice`);
    if (value === "")
      throw new Error(`has an empty parameter ${name}: leave it out for its default`);
    found[name] = value;
  }
  return found;
}

function isEndpoint(text: string): boolean {
  if (!URL.canParse(text) || /[?#]/.test(text)) return false;
  const { password, protocol, username } = new URL(text);
  return ["https:", "http:"].includes(protocol) && username === "" && password === "";
}
