// The settings that several services have, each with one name and one sentence. Spread by the services'
// config.ts. It must never read the environment.

import {
  flag,
  fraction,
  integer,
  oneOf,
  optionalText,
  optionalUrl,
  port,
  type Setting,
  text,
  url,
} from "./config.ts";
import { LOG_LEVELS } from "./log.ts";
import { SAMPLERS } from "./sampler.ts";

const HTTP = ["http:", "https:"];

/** A name of PostgreSQL has 63 bytes, and names that begin with pg_ are its own. */
const ROLE_PREFIX = /^(?!pg(?:_|$))[a-z][a-z0-9_]{0,39}$/;

/** Tracing settings of every process; the SDK reads the other OTEL_ variables itself. */
export const tracingSettings = {
  otlpEndpoint: optionalUrl(
    "ANNALS_OTLP_ENDPOINT",
    "Where [traces](logs-and-traces.md#traces) are sent (OTLP over HTTP), `http://collector:4318`. It " +
      "takes precedence over the next two.",
    HTTP,
  ),
  otelEndpoint: optionalUrl(
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "The same setting by its standard name; `/v1/traces` is appended. Without an endpoint, no traces are recorded.",
    HTTP,
  ),
  otelTracesEndpoint: optionalUrl(
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    "The same setting as a complete URL.",
    HTTP,
  ),
  otelDisabled: flag("OTEL_SDK_DISABLED", "Disables traces in any case."),
  otelSampler: oneOf(
    "OTEL_TRACES_SAMPLER",
    "Which requests are traced. The gateway decides for all services.",
    SAMPLERS,
    { fallback: "parentbased_always_on" },
  ),
  otelSamplerRatio: fraction(
    "OTEL_TRACES_SAMPLER_ARG",
    "Fraction of requests that are traced, from 0 to 1, for the samplers with `traceidratio`.",
    { fallback: "1" },
  ),
};

/** Settings of every process. */
export const processSettings = {
  logLevel: oneOf(
    "ANNALS_LOG_LEVEL",
    "How much is logged: debug, info, warn or error.",
    LOG_LEVELS,
    {
      fallback: "info",
    },
  ),
  adminHost: text("ANNALS_ADMIN_HOST", "Address that the admin server listens on.", {
    fallback: "0.0.0.0",
  }),
  adminPort: port(
    "ANNALS_ADMIN_PORT",
    "Port of /livez, /readyz and /metrics; 0 picks a free port.",
    {
      fallback: "9091",
    },
  ),
  ...tracingSettings,
};

/** Settings of every service that serves RPCs. */
export const rpcServerSettings = {
  host: text("ANNALS_HOST", "Address that the RPC server listens on.", { fallback: "0.0.0.0" }),
  port: port("ANNALS_PORT", "Port of the RPC server; 0 picks a free port.", { fallback: "9090" }),
  admissionSecretFile: optionalText(
    "ANNALS_ADMISSION_SECRET_FILE",
    "File with the [secrets of admissions](tls.md#the-secret-of-admissions): lines of `<id>:<base64 of 32 " +
      "bytes>`. The first signs, all verify. The gateway must not have it. Required by `serve`.",
  ),
};

/** TLS settings of every service: all of them serve or make RPCs. */
export const rpcTlsSettings = {
  tlsCaFile: optionalText(
    "ANNALS_TLS_CA_FILE",
    "File (PEM) of the authority that signs the certificates of the services. It may hold several. " +
      "Required by `serve`.",
  ),
  tlsCertFile: optionalText(
    "ANNALS_TLS_CERT_FILE",
    "File (PEM) of this service's certificate, for the name `<service>.annals.internal`, then any " +
      "intermediate ones. Required by `serve`.",
  ),
  tlsKeyFile: optionalText(
    "ANNALS_TLS_KEY_FILE",
    "File (PEM) of the key of that certificate. Required by `serve`.",
  ),
  plaintext: flag(
    "ANNALS_DANGEROUS_PLAINTEXT",
    "Disables TLS for RPC, instead of the three files, and for the admin API. Any client that can connect to an " +
      "RPC port can then make every call that a service makes as itself: read the events of any account, record " +
      "audit entries. Anyone who can read the traffic can act for the accounts whose requests they see, and has " +
      "the token of the admin API.",
  ),
};

export const DEFAULT_IDEMPOTENCY_HOURS = 72;

/** The setting of every service that remembers idempotency keys. */
export const idempotencySettings = {
  idempotencyHours: integer(
    "ANNALS_IDEMPOTENCY_HOURS",
    "Hours for which an `Idempotency-Key` is kept, so that a client may repeat its request after an outage of that " +
      "length. Give `keys`, `ledger` and `webhook-dispatcher` the same.",
    { min: 24, max: 720 },
    { fallback: String(DEFAULT_IDEMPOTENCY_HOURS) },
  ),
};

/** Settings of every service that keeps something in PostgreSQL. */
export const databaseSettings = {
  databaseUrl: url(
    "ANNALS_DATABASE_URL",
    "PostgreSQL of this service, one host, with [TLS](tls.md#postgresql) if the URL requires it. `serve` " +
      "switches to the service's own [role](database.md#roles). `migrate` needs a login that may create roles.",
    ["postgres:", "postgresql:"],
    { secret: true },
  ),
  databaseRolePrefix: {
    env: "ANNALS_DATABASE_ROLE_PREFIX",
    about:
      "Beginning of the names of the services' roles, which belong to the PostgreSQL server: `annals` makes " +
      "`annals_keys`. A [second installation](database.md#several-installations-in-one-server) in one server " +
      "has another one. The same for all services, `migrate` and commands, and never changed: at most 40 " +
      "lower-case letters, digits and underscores, with a letter first, and not `pg_`.",
    fallback: "annals",
    secret: false,
    parse: (given) => {
      if (!ROLE_PREFIX.test(given))
        throw new Error(
          "must be 1 to 40 lower-case letters, digits and underscores, begin with a letter, and not with pg_",
        );
      return given;
    },
  } satisfies Setting<string> as Setting<string>,
  databasePoolSize: integer(
    "ANNALS_DATABASE_POOL_SIZE",
    "Maximum number of connections that a replica opens to PostgreSQL. " +
      "[Connections](database.md#connections) describes how accounts share them.",
    { min: 1, max: 1_000 },
    { fallback: "10" },
  ),
  databaseStatementTimeoutMs: integer(
    "ANNALS_DATABASE_STATEMENT_TIMEOUT_MS",
    "Milliseconds after which PostgreSQL cancels a statement.",
    { min: 100, max: 3_600_000 },
    { fallback: "10000" },
  ),
  serveDatabaseUrl: optionalText(
    "ANNALS_SERVE_DATABASE_URL",
    "Read by `migrate`: the URL that `serve` uses. Its login is made if it is absent, gets the URL's " +
      "password if the login of `migrate` may set it, and gets the service's role.",
    { secret: true },
  ),
};
