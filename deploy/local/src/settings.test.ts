// Guarantee: every fault of the settings is reported at once, by name, and no secret is repeated.

import { mintKey } from "@annals/contract";
import { expect, test } from "vitest";
import { parseSettings, SettingsError } from "./settings.ts";

function faultsOf(environment: Record<string, string>): readonly string[] {
  try {
    parseSettings(environment, "/checkout");
  } catch (error) {
    if (error instanceof SettingsError) return error.faults;
    throw error;
  }
  return [];
}

test("an empty environment gives the documented defaults", () => {
  expect(parseSettings({ ANNALS_PORT: "" }, "/checkout")).toEqual({
    port: 8080,
    dataDir: "/checkout/.annals",
    bootstrapKey: undefined,
    keyPrefix: "annals",
    databaseUrl: undefined,
    natsUrl: undefined,
    natsServerBin: undefined,
    rateLimitPerMinute: 100,
    replicas: {},
  });
});

test("every setting is read", () => {
  const key = mintKey("acme");
  const settings = parseSettings(
    {
      ANNALS_PORT: "9000",
      ANNALS_DATA_DIR: "/data",
      ANNALS_BOOTSTRAP_KEY: key,
      ANNALS_KEY_PREFIX: "acme",
      ANNALS_DATABASE_URL: "postgres://u:p@db/annals",
      ANNALS_NATS_URL: "nats://n:4222",
      ANNALS_NATS_SERVER_BIN: "/opt/nats-server",
      ANNALS_RATE_LIMIT_PER_MINUTE: "1000",
      ANNALS_REPLICAS: "gateway=3, ledger=2",
    },
    "/checkout",
  );
  expect(settings).toEqual({
    port: 9000,
    dataDir: "/data",
    bootstrapKey: key,
    keyPrefix: "acme",
    databaseUrl: "postgres://u:p@db/annals",
    natsUrl: "nats://n:4222",
    natsServerBin: "/opt/nats-server",
    rateLimitPerMinute: 1000,
    replicas: { gateway: 3, ledger: 2 },
  });
});

test("all faults come at once, each with the name of its variable, and without the secrets", () => {
  const faults = faultsOf({
    ANNALS_PORT: "80a",
    ANNALS_BOOTSTRAP_KEY: "hunter2",
    ANNALS_KEY_PREFIX: "No",
    ANNALS_DATABASE_URL: "mysql://root:hunter2@db",
    ANNALS_NATS_URL: "hunter2",
    ANNALS_RATE_LIMIT_PER_MINUTE: "0",
    ANNALS_REPLICAS: "gateway=3,kees=1",
  });
  expect(faults.map((fault) => fault.split(" ")[0])).toEqual([
    "ANNALS_REPLICAS",
    "ANNALS_PORT",
    "ANNALS_BOOTSTRAP_KEY",
    "ANNALS_KEY_PREFIX",
    "ANNALS_DATABASE_URL",
    "ANNALS_NATS_URL",
    "ANNALS_RATE_LIMIT_PER_MINUTE",
  ]);
  expect(faults.join("\n")).not.toContain("hunter2");
});

test.each([
  "gateway",
  "gateway=",
  "gateway=0",
  "gateway=17",
  "gateway=1=2",
  "gateway=1,gateway=2",
  "=3",
])("ANNALS_REPLICAS=%s is refused", (replicas) =>
  expect(faultsOf({ ANNALS_REPLICAS: replicas })).toHaveLength(1),
);

test("an unknown ANNALS_ variable is refused; a setting of a service is passed on", () => {
  const environment = { ANNALS_PROT: "8081", ANNALS_LOG_LEVEL: "debug", ANNALS_PORT: "x" };
  expect(faultsOf(environment)).toEqual([
    "ANNALS_PROT is not a setting: did you mean ANNALS_PORT?",
    expect.stringMatching(/^ANNALS_PORT must be/),
  ]);
});

test("the ports of all gateways must exist", () => {
  expect(faultsOf({ ANNALS_PORT: "65535", ANNALS_REPLICAS: "gateway=2" })).toHaveLength(1);
  expect(faultsOf({ ANNALS_PORT: "65534", ANNALS_REPLICAS: "gateway=2" })).toHaveLength(0);
});
