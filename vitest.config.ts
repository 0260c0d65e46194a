// How `npm test` runs. Everything runs on real processes, real PostgreSQL and real NATS. The projects
// come one after the other: unit and api on the shared stack, flows on systems of their own, and at the
// end those flows that compare durations, one at a time.

import { defineConfig } from "vitest/config";
import { FORMS } from "./test/form.ts";

/** Flows that fail when another test takes the CPU meanwhile. */
const TIMED = ["crash", "hostile-json", "webhooks-isolation", "webhooks-nothing-lost"].map(
  (name) => `test/flows/${name}.test.ts`,
);

/** Many unit tests wait for a timer or a process, so three files share two CPUs well. */
const UNIT_WORKERS = 3;
const FLOW_WORKERS = 2;

const FLOW_TIMEOUT_MS = 300_000;

/** A browser on a machine that does other work needs more than the second that is the default. */
const POLL_TIMEOUT_MS = 20_000;

const common = {
  testTimeout: 60_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: POLL_TIMEOUT_MS } },
};
const EXCLUDED = ["**/node_modules/**", "**/dist/**"];

export default defineConfig({
  resolve: { conditions: ["source"] },
  ssr: { resolve: { conditions: ["source"] } },
  // What the global setup imports.
  environments: { __vitest__: { resolve: { conditions: ["source"] } } },
  test: {
    globalSetup: "test/global-setup.ts",
    provide: {
      form: FORMS.short,
      lifecycleKills: FORMS.short.lifecycleKills.rounds,
      searches: FORMS.short.search.queries,
    },
    // Concurrent tests of one file wait, and use little CPU.
    maxConcurrency: 20,
    projects: [
      {
        extends: true,
        test: {
          ...common,
          name: "unit",
          include: [
            "{libs,services}/**/*.test.ts",
            "deploy/{local,release}/**/*.test.ts",
            "test/{chart,command,sdk,tidy,verifiers}/**/*.test.ts",
          ],
          exclude: EXCLUDED,
          maxWorkers: UNIT_WORKERS,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          ...common,
          name: "api",
          include: ["test/api/**/*.test.ts"],
          setupFiles: "test/api/openapi/check-traffic.ts",
          maxWorkers: UNIT_WORKERS,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          ...common,
          name: "flows",
          include: ["test/{flows,wire,browser}/**/*.test.ts"],
          exclude: TIMED,
          testTimeout: FLOW_TIMEOUT_MS,
          maxWorkers: FLOW_WORKERS,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          ...common,
          name: "timed",
          include: TIMED,
          testTimeout: FLOW_TIMEOUT_MS,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
