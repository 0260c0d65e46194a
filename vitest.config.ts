// How `npm test` and `npm run test:outages` run. Everything runs on real processes, real PostgreSQL and
// real NATS. The projects come one after the other: unit and api on the shared stack, then flows, most on
// systems of their own, and at the end those flows that compare durations, one at a time.

import { defineConfig } from "vitest/config";
import { FORMS } from "./test/form.ts";
import { ALONE, API_ON_SHARED, OUTAGES, TIMED } from "./test/tiers/files.ts";

/** Many tests wait for a timer or a process, so three files share two CPUs well. */
const WORKERS = 3;
/** Outages start systems of their own. */
const OUTAGE_WORKERS = 2;

const FLOW_TIMEOUT_MS = 300_000;

/** A browser on a machine that does other work needs more than the second that is the default. */
const POLL_TIMEOUT_MS = 20_000;

/** Measures what each file costs, sets the length of property tests, and checks what a file leaves. */
const SETUP = ["test/cpu/setup.ts", "test/property-runs.ts", "test/left-behind.ts"];
/** Compares the traffic of tests with the OpenAPI document. */
const TRAFFIC = "test/api/openapi/check-traffic.ts";

const common = {
  // The files of a worker share its modules, which Node.js itself imports.
  isolate: false,
  experimental: { viteModuleRunner: false, nodeLoader: false },
  execArgv: ["-C", "source"],
  setupFiles: SETUP,
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: POLL_TIMEOUT_MS } },
};
const EXCLUDED = ["**/node_modules/**", "**/dist/**"];

const UNIT = [
  "{libs,services}/**/*.test.ts",
  "deploy/{local,release}/**/*.test.ts",
  "test/{clients,command,sdk,system,verifiers}/**/*.test.ts",
];
const API = ["test/api/**/*.test.ts"];
const FLOWS = ["test/{flows,wire,browser}/**/*.test.ts"];

/** Defines a project of the group that runs `order` groups after the first one. */
const project = (name: string, order: number, maxWorkers: number) => ({
  ...common,
  name,
  maxWorkers,
  sequence: { groupOrder: order },
});

const TESTS = [
  {
    extends: true,
    test: {
      ...project("unit", 0, WORKERS),
      include: UNIT,
      exclude: [...EXCLUDED, ...OUTAGES, ...ALONE],
    },
  },
  {
    extends: true,
    test: {
      ...project("api", 0, WORKERS),
      include: API,
      exclude: [...EXCLUDED, ...OUTAGES, ...API_ON_SHARED],
      setupFiles: [...SETUP, TRAFFIC],
    },
  },
  {
    extends: true,
    test: { ...project("alone", 0, WORKERS), isolate: true, include: [...ALONE] },
  },
  {
    extends: true,
    test: {
      ...project("api-on-shared", 1, WORKERS),
      include: [...API_ON_SHARED],
      setupFiles: [...SETUP, TRAFFIC],
    },
  },
  {
    extends: true,
    test: {
      ...project("flows", 1, WORKERS),
      include: FLOWS,
      exclude: [...EXCLUDED, ...OUTAGES],
      testTimeout: FLOW_TIMEOUT_MS,
    },
  },
];

const OF_OUTAGES = [
  {
    extends: true,
    test: {
      ...project("outages", 0, OUTAGE_WORKERS),
      include: [...OUTAGES],
      exclude: [...TIMED],
      testTimeout: FLOW_TIMEOUT_MS,
    },
  },
  {
    extends: true,
    test: {
      ...project("timed", 1, 1),
      include: [...TIMED],
      testTimeout: FLOW_TIMEOUT_MS,
      fileParallelism: false,
    },
  },
];

export default defineConfig(({ mode }) => ({
  resolve: { conditions: ["source"] },
  ssr: { resolve: { conditions: ["source"] } },
  // What the global setup imports.
  environments: { __vitest__: { resolve: { conditions: ["source"] } } },
  test: {
    globalSetup: "test/global-setup.ts",
    reporters: ["default", "./test/cpu/reporter.ts"],
    provide: {
      form: FORMS.short,
      lifecycleKills: FORMS.short.lifecycleKills.rounds,
      searches: FORMS.short.search.queries,
    },
    // Concurrent tests of one file wait, and use little CPU.
    maxConcurrency: 20,
    projects: mode === "outages" ? OF_OUTAGES : TESTS,
  },
}));
