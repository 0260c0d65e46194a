// Guarantee: a misspelled setting is refused by name with the nearest known one, and its value is not
// repeated; what other programs or Kubernetes put into the environment stops nothing.

import { expect, test } from "vitest";
import { SETTING_NAMES, unknownSettings } from "./setting-names.ts";

test("a misspelled name is refused with the nearest known one, without its value", () => {
  const misspelled = { ANNALS_LOG_LEVLE: "debug", ANNALS_DATABASE_URI: "postgres://u:hunter2@h/d" };
  expect(unknownSettings(misspelled)).toStrictEqual([
    "ANNALS_LOG_LEVLE is not a setting: did you mean ANNALS_LOG_LEVEL?",
    "ANNALS_DATABASE_URI is not a setting: did you mean ANNALS_DATABASE_URL?",
  ]);
});

test("a name that resembles none is refused with the place that lists them", () => {
  expect(unknownSettings({ ANNALS_FOO: "1" })).toStrictEqual([
    "ANNALS_FOO is not a setting: see docs/operators/settings.md",
  ]);
});

test("known names, those of the caller, of tests and of others pass; so does an empty one", () => {
  const known = Object.fromEntries(SETTING_NAMES.map((name) => [name, "x"]));
  const others = { PATH: "/bin", MY_ANNALS_PORT: "1", ANNALS_TEST_HELM: "/bin/helm" };
  const environment = { ...known, ...others, ANNALS_EMPTY: "", ANNALS_OWN: "1" };
  expect(unknownSettings(environment, ["ANNALS_OWN"])).toStrictEqual([]);
});

test("what Kubernetes adds for a Service named annals or annals-* passes", () => {
  const links = {
    ANNALS_KEYS_SERVICE_HOST: "10.0.0.1",
    ANNALS_KEYS_SERVICE_PORT: "9090",
    ANNALS_KEYS_SERVICE_PORT_RPC: "9090",
    ANNALS_KEYS_PORT: "tcp://10.0.0.1:9090",
    ANNALS_KEYS_PORT_9090_TCP: "tcp://10.0.0.1:9090",
    ANNALS_KEYS_PORT_9090_TCP_PROTO: "tcp",
    ANNALS_KEYS_PORT_9090_TCP_PORT: "9090",
    ANNALS_KEYS_PORT_9090_TCP_ADDR: "10.0.0.1",
    ANNALS_SERVICE_HOST: "10.0.0.2",
    ANNALS_PORT_80_TCP: "tcp://10.0.0.2:80",
  };
  expect(unknownSettings(links)).toStrictEqual([]);
  // Only the value tells this one from a misspelled setting.
  expect(unknownSettings({ ANNALS_KEYS_PORT: "9090" })).toHaveLength(1);
});
