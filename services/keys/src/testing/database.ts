// Fixtures of this service: a database with its schema, a pool with its rights, and its commands. Imported by
// tests only.

import { createLog, parseConfig, statusOf } from "@annals/chassis";
import {
  ComparedClock,
  formatMicros,
  keyHash,
  mintKey,
  mintWidgetToken,
  newId,
  SCOPES,
  systemClock,
} from "@annals/contract";
import { createPool, type Pool } from "@annals/postgres";
import {
  captured,
  createDatabase,
  createMigratedDatabase,
  type Outcome,
  PATIENT,
  runService,
  type TestDatabase,
} from "@annals/testing";
import { randomBytes } from "node:crypto";
import { inject, onTestFinished } from "vitest";
import { migrate } from "../commands/migrate.ts";
import { ROLE } from "../commands/open.ts";
import { SETTINGS } from "../config.ts";
import { PROGRAM } from "../program.ts";
import { createAccount } from "../accounts/store/create-account.ts";
import { createApiKey } from "../store/create-api-key.ts";
import { createWidgetToken } from "../widget-tokens/store/create-widget-token.ts";

/** Connections of each pool. */
export const POOL_SIZE = 4;

/** Gives gateways no time: these tests compare no clocks. */
export const UNCOMPARED = new ComparedClock();

const log = createLog({ service: "test", level: "error" });

type Variables = Readonly<Record<string, string>>;

/** Takes what is to be done at the end of a test, or of a file where it is vitest's `afterAll`. */
type AtEnd = (work: () => Promise<void>) => unknown;

/** An empty database, gone when the test is over. */
export async function emptyDatabase(atEnd: AtEnd = onTestFinished): Promise<TestDatabase> {
  const database = await createDatabase(inject("stack").databaseUrl);
  atEnd(() => database.drop());
  return database;
}

/** The command `migrate`. */
export function runMigrate(databaseUrl: string, variables: Variables = {}): Promise<void> {
  const config = parseConfig(SETTINGS, { ANNALS_DATABASE_URL: databaseUrl, ...variables });
  return migrate({ config, log, waitS: 0 });
}

/** A database with the schema, and a pool as the service has it. */
export async function migratedDatabase(
  atEnd: AtEnd = onTestFinished,
): Promise<{ owner: TestDatabase; service: Pool }> {
  const owner = await createMigratedDatabase(inject("stack").databaseUrl);
  atEnd(() => owner.drop());
  const service = createPool({
    connectionString: owner.url,
    role: ROLE,
    applicationName: "annals-keys-test",
    maxConnections: POOL_SIZE,
    ...PATIENT,
    log,
  });
  atEnd(() => service.close());
  return { owner, service };
}

export interface StoredKey {
  readonly accountId: string;
  readonly keyId: string;
  readonly secretSha256: Buffer;
}

/** Stores a key in a new account, or in one that is named. */
export async function storeKey(
  database: Pool,
  {
    accountId = "",
    scopes = SCOPES,
    secret = mintKey("annals"),
    expiresAt = null,
    allowedIps = null,
  }: {
    accountId?: string;
    scopes?: readonly string[];
    secret?: string;
    expiresAt?: string | null;
    allowedIps?: readonly string[] | null;
  } = {},
): Promise<StoredKey> {
  const now = systemClock().nowText();
  const owner = accountId || newId("acct");
  if (!accountId) await database.run(createAccount, [owner, "test", now, null, null]);
  const keyId = newId("key");
  const secretSha256 = keyHash(secret);
  await database.run(createApiKey, [
    owner,
    keyId,
    "test",
    "a...b",
    secretSha256,
    scopes,
    now,
    true,
    null,
    expiresAt,
    allowedIps,
  ]);
  return { accountId: owner, keyId, secretSha256 };
}

/** Stores a widget token of a key: by default valid for an hour. */
export async function storeWidgetToken(
  database: Pool,
  { accountId, keyId }: StoredKey,
  options: {
    readonly expiresAt?: string;
    readonly filter?: Uint8Array;
    readonly sessionId?: string;
  } = {},
): Promise<{ readonly id: string; readonly secretSha256: Buffer }> {
  const id = newId("wtok");
  const secretSha256 = keyHash(mintWidgetToken("annals", randomBytes));
  const clock = systemClock();
  const { expiresAt = formatMicros(clock.nowMicros() + HOUR_MICROS), filter = new Uint8Array() } =
    options;
  await database.run(createWidgetToken, [
    accountId,
    id,
    "a...b",
    secretSha256,
    filter,
    "{}",
    ["diff"],
    ["https://app.example.com"],
    "u_7",
    null,
    keyId,
    clock.nowText(),
    expiresAt,
    options.sessionId ?? null,
  ]);
  return { id, secretSha256 };
}

const HOUR_MICROS = 3_600_000_000;

/** Runs a command line in the process of the test, and `serve` in one of its own. */
export function runCommand(
  databaseUrl: string,
  argv: readonly string[],
  variables: Variables = {},
): Promise<Outcome> {
  const environment = { ANNALS_DATABASE_URL: databaseUrl, ...variables };
  if (argv[0] === "serve") return runService("keys", argv, environment);
  return captured(() => statusOf({ ...PROGRAM, environment, argv }, process));
}
