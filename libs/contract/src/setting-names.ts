// The names of every ANNALS_ variable, and the check that refuses a name that is not among them. Called by
// every service at its start (chassis) and by `npm start`. It must never name a variable's value: it may be
// a secret under a misspelled name.

import { nearest } from "./nearest.ts";

const PREFIX = "ANNALS_";

/**
 * Every ANNALS_ variable that a program of the project reads. All programs accept all of them, because they
 * often share one environment. `npm run generate` makes this list of what the programs declare.
 */
export const SETTING_NAMES = [
  "ANNALS_ACCESS_LOG",
  "ANNALS_ADMIN_API_ADDRESS",
  "ANNALS_ADMIN_API_TOKEN_FILE",
  "ANNALS_ADMIN_HOST",
  "ANNALS_ADMIN_PORT",
  "ANNALS_ADMISSION_SECRET_FILE",
  "ANNALS_APPEND_GATHER_MS",
  "ANNALS_AUDIT_IN_ACCOUNTS",
  "ANNALS_AUDIT_READS",
  "ANNALS_BOOTSTRAP_KEY",
  "ANNALS_BYTES_MAX_PER_ACCOUNT",
  "ANNALS_DANGEROUS_LOG_KEY_WITHOUT_OVERLAP",
  "ANNALS_DANGEROUS_PLAINTEXT",
  "ANNALS_DASHBOARD",
  "ANNALS_DASHBOARD_KEY_LOGIN",
  "ANNALS_DATABASE_POOL_SIZE",
  "ANNALS_DATABASE_ROLE_PREFIX",
  "ANNALS_DATABASE_STATEMENT_TIMEOUT_MS",
  "ANNALS_DATABASE_URL",
  "ANNALS_DATA_DIR",
  "ANNALS_ERASURE_COPIES",
  "ANNALS_ERASURE_DELAY_H",
  "ANNALS_EXPORT_ADDRESS",
  "ANNALS_EXPORT_CONCURRENCY",
  "ANNALS_EXPORT_MAX_BYTES_PER_ACCOUNT",
  "ANNALS_EXPORT_MAX_KEPT_PER_ACCOUNT",
  "ANNALS_EXPORT_MAX_UNDER_WAY_PER_ACCOUNT",
  "ANNALS_EXPORT_RETENTION_DAYS",
  "ANNALS_EXPORT_STORAGE",
  "ANNALS_HOST",
  "ANNALS_IDEMPOTENCY_HOURS",
  "ANNALS_IDENTITY_FILE",
  "ANNALS_INTAKE_RATE_LIMIT_PER_MINUTE",
  "ANNALS_KEEP_ALIVE_S",
  "ANNALS_KEY",
  "ANNALS_KEYS_ADDRESS",
  "ANNALS_KEY_PREFIX",
  "ANNALS_LEDGER_ADDRESS",
  "ANNALS_LOG_ANCHOR_INTERVAL_S",
  "ANNALS_LOG_EPOCH_S",
  "ANNALS_LOG_KEY_FILE",
  "ANNALS_LOG_LEVEL",
  "ANNALS_LOG_ORIGIN",
  "ANNALS_LOG_POLICY_FILE",
  "ANNALS_LOG_PUBLIC",
  "ANNALS_LOG_S3_ACCESS_KEY_ID",
  "ANNALS_LOG_S3_SECRET_ACCESS_KEY",
  "ANNALS_LOG_S3_URL",
  "ANNALS_LOG_TSA_URL",
  "ANNALS_NATS_CA_FILE",
  "ANNALS_NATS_SERVER_BIN",
  "ANNALS_NATS_URL",
  "ANNALS_OPERATOR_URL",
  "ANNALS_OTLP_ENDPOINT",
  "ANNALS_PERSON_RATE_LIMIT_PER_MINUTE",
  "ANNALS_PERSON_RETENTION_DAYS",
  "ANNALS_PLANS_FILE",
  "ANNALS_PORT",
  "ANNALS_POSTGRES_PASSWORD",
  "ANNALS_PUBLIC_URL",
  "ANNALS_RATE_LIMIT_PER_MINUTE",
  "ANNALS_READS_MAX_PER_ACCOUNT",
  "ANNALS_REPLICAS",
  "ANNALS_REQUESTS_MAX_PER_ACCOUNT",
  "ANNALS_REQUESTS_MAX_UNDER_WAY",
  "ANNALS_REQUEST_TIMEOUT_MS",
  "ANNALS_RESPONSE_WINDOW_MS",
  "ANNALS_REVOKED_KEY_RETENTION_DAYS",
  "ANNALS_SERVE_DATABASE_URL",
  "ANNALS_SESSION_IDLE_MINUTES",
  "ANNALS_SESSION_LIFETIME_MINUTES",
  "ANNALS_SHUTDOWN_DELAY_S",
  "ANNALS_SINKS_FILE",
  "ANNALS_SINK_DANGEROUS_PROCESS_CREDENTIALS",
  "ANNALS_TLS_CA_FILE",
  "ANNALS_TLS_CERT_FILE",
  "ANNALS_TLS_KEY_FILE",
  "ANNALS_TRUSTED_PROXIES",
  "ANNALS_UNAUTHENTICATED_PER_SECOND",
  "ANNALS_URL",
  "ANNALS_VERIFY_CONCURRENCY",
  "ANNALS_VERIFY_INTERVAL_HOURS",
  "ANNALS_WEBHOOK_CA_FILE",
  "ANNALS_WEBHOOK_DANGEROUS_ALLOW_PRIVATE_ADDRESSES",
  "ANNALS_WEBHOOK_DELIVERY_RETENTION_DAYS",
  "ANNALS_WEBHOOK_DISABLE_AFTER_DAYS",
  "ANNALS_WEBHOOK_DISPATCHER_ADDRESS",
  "ANNALS_WEBHOOK_MAX_PENDING_BYTES_PER_ACCOUNT",
  "ANNALS_WEBHOOK_MAX_PENDING_PER_ACCOUNT",
  "ANNALS_WEBHOOK_RETRY_DELAYS_S",
  "ANNALS_WEBHOOK_SECRET_KEY_FILE",
  "ANNALS_WEBHOOK_SWEEP_INTERVAL_MS",
  "ANNALS_WEBHOOK_TIMEOUT_MS",
  "ANNALS_WEBHOOK_TRACEPARENT",
  "ANNALS_WIDGET_RATE_LIMIT_PER_MINUTE",
];

/** Variables of the tests, which a person sets in the shell that also runs `npm start`. */
const OF_TESTS = /^ANNALS_TEST_/;

/** What Kubernetes adds to every pod for each Service whose name is or begins with `annals`. */
const SERVICE_LINK =
  /^ANNALS_(\w+_)?(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$/;
const SERVICE_LINK_URL = /^(tcp|udp|sctp):\/\//;

/** Maximum number of edits between a misspelled name and a known one that is suggested for it. */
const MAX_EDITS = 6;

/**
 * One sentence for each variable whose name begins with ANNALS_ and is not a setting. `own` are further names
 * that the caller reads. An empty variable counts as absent.
 */
export function unknownSettings(
  environment: Readonly<Record<string, string | undefined>>,
  own: readonly string[] = [],
): string[] {
  const known = new Set([...SETTING_NAMES, ...own]);
  return Object.entries(environment)
    .filter(([name, value]) => name.startsWith(PREFIX) && value && !known.has(name))
    .filter(([name, value = ""]) => !OF_TESTS.test(name) && !isServiceLink(name, value))
    .map(([name]) => {
      const most = Math.min(MAX_EDITS, Math.floor((name.length - PREFIX.length) / 2));
      const meant = nearest(name, [...known], most);
      const advice =
        meant === undefined ? "see docs/operators/settings.md" : `did you mean ${meant}?`;
      return `${name} is not a setting: ${advice}`;
    });
}

function isServiceLink(name: string, value: string): boolean {
  return SERVICE_LINK.test(name) || (name.endsWith("_PORT") && SERVICE_LINK_URL.test(value));
}
