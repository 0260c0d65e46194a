// The rules for the configuration of a sink, by its type (docs/interface.md). Called by create and update. A
// fault never repeats a value: it may be a secret.

import { invalid } from "@annals/errors";
import type {
  HttpSink,
  OtlpHttpSink,
  S3Sink,
  SinkConfig as GivenConfig,
  SinkHeader,
  SplunkHecSink,
  SyslogSink,
} from "@annals/proto/sinks";
import { HttpBody } from "@annals/proto/sinks";
import { isIP } from "node:net";
import type { S3Config, SinkConfig, SyslogConfig } from "../rules/sink.ts";
import { type AddressGuard, hostOf, UrlFault } from "../../outbound/address-guard.ts";

/** Bytes of a configuration as JSON. */
export const MAX_CONFIG_BYTES = 8_192;
export const MAX_HEADERS = 20;
export const MAX_HEADER_NAME_LENGTH = 100;
export const MAX_HEADER_VALUE_LENGTH = 4_096;
const MAX_PREFIX_LENGTH = 512;
const MAX_PORT = 65_535;

/** What the sender says itself, and what is about the connection. */
const FORBIDDEN_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "expect",
  "host",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** A token of RFC 9110 that begins with a letter or a digit. */
const HEADER_NAME = /^[A-Za-z0-9][!#$%&'*+.^_`|~0-9A-Za-z-]*$/;
/** Visible characters of ASCII, and spaces within. */
const HEADER_VALUE = /^[!-~]([ -~]*[!-~])?$/;
const TOKEN = /^[!-~]{1,1024}$/;
const INDEX = /^[a-z0-9_][a-z0-9_-]{0,79}$/;
const HOST = /^[A-Za-z0-9.:_-]{1,255}$/;
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PREFIX = /^([A-Za-z0-9!_.*'()=-]+\/)*$/;
const REGION = /^[a-z0-9][a-z0-9-]{0,62}$/;
const ACCESS_KEY_ID = /^[!-~]{1,256}$/;
const SECRET_ACCESS_KEY = /^[!-~]{1,1024}$/;

export interface ConfigRules {
  readonly guard: AddressGuard;
  /** Whether a bucket may be written with the credentials of this process. */
  readonly allowProcessCredentials: boolean;
}

/** Returns the configuration as it is stored. Throws `invalid`, with the member as the client named it. */
export function checkConfig(rules: ConfigRules, given: GivenConfig | undefined): SinkConfig {
  const config = configOf(rules, given);
  if (Buffer.byteLength(JSON.stringify(config)) > MAX_CONFIG_BYTES) {
    throw fault("config", `must have at most ${MAX_CONFIG_BYTES} bytes as JSON`);
  }
  return config;
}

function configOf(rules: ConfigRules, given: GivenConfig | undefined): SinkConfig {
  const type = given?.type;
  switch (type?.case) {
    case "http":
      return httpConfig(rules, type.value);
    case "splunkHec":
      return splunkHecConfig(rules, type.value);
    case "otlpHttp":
      return otlpHttpConfig(rules, type.value);
    case "syslog":
      return syslogConfig(rules, type.value);
    case "s3":
      return s3Config(rules, type.value);
    case undefined:
      throw fault("config", "is required");
  }
}

function fault(field: string, message: string) {
  return invalid({ field, message });
}

const BODIES = {
  [HttpBody.JSONL]: "jsonl",
  [HttpBody.ARRAY]: "array",
  [HttpBody.ELASTIC]: "elastic",
} as const;

function httpConfig(rules: ConfigRules, given: HttpSink): SinkConfig {
  const { body, compress, url } = given;
  if (body === HttpBody.UNSPECIFIED) {
    throw fault("config.body", `must be one of ${Object.values(BODIES).join(", ")}`);
  }
  checkUrl(rules, "config.url", url);
  return { type: "http", url, headers: headersOf(given.headers), body: BODIES[body], compress };
}

function splunkHecConfig(rules: ConfigRules, given: SplunkHecSink): SinkConfig {
  const { ack, index, token, url } = given;
  const { pathname, search } = checkUrl(rules, "config.url", url);
  if (pathname !== "/" || search !== "") {
    throw fault("config.url", "must be the address of the collector without a path");
  }
  if (!TOKEN.test(token)) {
    throw fault("config.token", "must have 1 to 1024 visible characters of ASCII");
  }
  if (index !== undefined && !INDEX.test(index)) {
    throw fault("config.index", "must have 1 to 80 of a to z, 0 to 9, _ and -, and - not first");
  }
  return { type: "splunk_hec", url, token, ...(index !== undefined && { index }), ack };
}

function otlpHttpConfig(rules: ConfigRules, { headers, url }: OtlpHttpSink): SinkConfig {
  checkUrl(rules, "config.url", url);
  return { type: "otlp_http", url, headers: headersOf(headers) };
}

/** Returns a host that is an address as the guard has read it. */
function syslogConfig({ guard }: ConfigRules, { host, port }: SyslogSink): SyslogConfig {
  if (!HOST.test(host)) throw fault("config.host", "must be the name or the address of a host");
  if (port < 1 || port > MAX_PORT) throw fault("config.port", `must be from 1 to ${MAX_PORT}`);
  const text = isIP(host) === 6 ? `[${host}]` : host;
  if (isIP(host) !== 6 && host.includes(":")) {
    throw fault("config.host", "must be the name or the address of a host");
  }
  try {
    return { type: "syslog", host: hostOf(guard.readUrl(`https://${text}:${port}/`)), port };
  } catch (error) {
    if (!(error instanceof UrlFault)) throw error;
    const isForm = !error.message.includes("public");
    throw fault(
      "config.host",
      isForm ? "must be the name or the address of a host" : error.message,
    );
  }
}

function s3Config(rules: ConfigRules, given: S3Sink): S3Config {
  const { bucket, credentials, endpoint, prefix, region } = given;
  if (!BUCKET.test(bucket) || bucket.includes("..") || isIP(bucket) !== 0) {
    const message =
      "must have 3 to 63 of a to z, 0 to 9, . and -, a letter or a digit at both ends";
    throw fault("config.bucket", message);
  }
  if (prefix.length > MAX_PREFIX_LENGTH) {
    throw fault("config.prefix", `must have at most ${MAX_PREFIX_LENGTH} characters`);
  }
  if (!PREFIX.test(prefix) || prefix.split("/").some((name) => name === "." || name === "..")) {
    const message =
      "must be empty or end in /, and have letters, digits and !_.*'()=- between slashes";
    throw fault("config.prefix", message);
  }
  if (!REGION.test(region)) {
    throw fault("config.region", "must have 1 to 63 of a to z, 0 to 9 and -");
  }
  if (endpoint !== undefined) {
    const { search } = checkUrl(rules, "config.endpoint", endpoint);
    if (search !== "") throw fault("config.endpoint", "must not contain a query");
  }
  return {
    type: "s3",
    bucket,
    prefix,
    region,
    ...(endpoint !== undefined && { endpoint }),
    ...credentialsOf(rules, credentials),
  };
}

function credentialsOf(
  { allowProcessCredentials }: ConfigRules,
  given: S3Sink["credentials"],
): Pick<S3Config, "credentials"> {
  if (given === undefined) {
    if (allowProcessCredentials) return {};
    throw fault("config.credentials", "is required: this service lends its own to no account");
  }
  const { accessKeyId, secretAccessKey } = given;
  if (!ACCESS_KEY_ID.test(accessKeyId)) {
    const message = "must have 1 to 256 visible characters of ASCII";
    throw fault("config.credentials.access_key_id", message);
  }
  if (!SECRET_ACCESS_KEY.test(secretAccessKey)) {
    const message = "must have 1 to 1024 visible characters of ASCII";
    throw fault("config.credentials.secret_access_key", message);
  }
  return { credentials: { accessKeyId, secretAccessKey } };
}

function checkUrl({ guard }: ConfigRules, field: string, given: string): URL {
  try {
    const url = guard.readUrl(given);
    if (url.hash === "" && !given.includes("#")) return url;
    throw new UrlFault("must not contain a fragment");
  } catch (error) {
    if (error instanceof UrlFault) throw fault(field, error.message);
    throw error;
  }
}

function headersOf(given: readonly SinkHeader[]): Readonly<Record<string, string>> {
  if (given.length > MAX_HEADERS) {
    throw fault("config.headers", `must have at most ${MAX_HEADERS} members`);
  }
  const seen = new Set<string>();
  for (const { name, value } of given) {
    if (name.length > MAX_HEADER_NAME_LENGTH || !HEADER_NAME.test(name)) {
      const message = `must have names of headers, of at most ${MAX_HEADER_NAME_LENGTH} characters`;
      throw fault("config.headers", message);
    }
    const [field, key] = [`config.headers.${name}`, name.toLowerCase()];
    if (FORBIDDEN_HEADERS.has(key)) throw fault(field, "is a header that the service sets itself");
    if (seen.has(key)) throw fault(field, "must not be there twice: case does not count");
    seen.add(key);
    if (value.length > MAX_HEADER_VALUE_LENGTH) {
      throw fault(field, `must have at most ${MAX_HEADER_VALUE_LENGTH} characters`);
    }
    if (!HEADER_VALUE.test(value)) {
      throw fault(field, "must have visible characters of ASCII, and spaces only within");
    }
  }
  return Object.fromEntries(given.map(({ name, value }) => [name, value]));
}
