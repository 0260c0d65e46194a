// How the fault suite runs, apart from `npm test`. `npm run test:faults` is the full form, one file at a
// time, with the long form of the flows and the properties that have one. `npm run test:faults -- --mode
// short` is the one of continuous integration: there files that assert no duration run two at a time, each
// with a system of its own.

import { globSync, readFileSync } from "node:fs";
import { configDefaults, defineConfig } from "vitest/config";
import { FORMS } from "../form.ts";

/** The full form takes minutes a test; the bounds of the tests find what hangs. */
const TEST_TIMEOUT_MS = 30 * 60_000;
const HOOK_TIMEOUT_MS = 120_000;

const ALL = ["test/faults/**/*.test.ts"];
/**
 * Only in the full form. The short form is in test/flows: webhooks-nothing-lost, webhooks-crash-points, and
 * of the anchors witnesses, time-stamps and log-bucket.
 */
const FULL_ONLY = files("anchors-outage", "webhooks-crash-points", "webhooks-outage");
/** They assert how long something takes: nothing runs beside them. */
const WAITING = files("failover", "network-faults", "network-silence", "paused-ledger", "slowed");
/** They measure the capacity of the machine, or take all of it: they come last. */
const ALONE = files("fairness", "overload");
/** What has its short form in `npm test` or in the outages. */
const LONG_FLOWS = [
  "chain",
  "erased-values",
  "log-fsck",
  "no-false-alarm",
  "notices",
  "otlp-exporters",
  "rate-limit",
  "revocation",
  "revocation-slow",
  "webhooks-isolation",
  "webhooks-schedule",
  "webhooks-secrets",
];
const LONG_OTHERS = [
  "services/ledger/src/search/search-events.test.ts",
  "services/ledger/src/retention/worker/lifecycle-kills.test.ts",
  "test/verifiers/evidence-mutations.test.ts",
  "test/verifiers/evidence-python.test.ts",
  "test/verifiers/parquet.test.ts",
  "test/wire/intake-events.test.ts",
  "test/wire/intake-otlp.test.ts",
];

/** Properties, whose random cases are few in `npm test`. */
const PROPERTIES = globSync("{libs,services,test/sdk}/**/*.test.ts", {
  exclude: ["**/node_modules"],
})
  .filter((file) => readFileSync(file, "utf8").includes('from "fast-check"'))
  .filter((file) => !LONG_OTHERS.includes(file));

function files(...names: readonly string[]): string[] {
  return names.map((name) => `test/faults/${name}.test.ts`);
}

export default defineConfig(({ mode }) => {
  const isShort = mode === "short";
  const form = isShort ? FORMS.short : FORMS.full;
  const common = {
    // Measures what each file costs.
    setupFiles: ["test/cpu/setup.ts", "test/property-runs.ts"],
    testTimeout: TEST_TIMEOUT_MS,
    hookTimeout: HOOK_TIMEOUT_MS,
  };
  const project = (name: string, groupOrder: number, maxWorkers: number) => ({
    ...common,
    name,
    maxWorkers,
    sequence: { groupOrder },
  });
  const flows = LONG_FLOWS.map((flow) => `test/flows/${flow}.test.ts`);
  const long = [...ALL, ...flows, ...LONG_OTHERS, ...PROPERTIES];
  return {
    resolve: { conditions: ["source"] },
    ssr: { resolve: { conditions: ["source"] } },
    // What the global setup imports.
    environments: { __vitest__: { resolve: { conditions: ["source"] } } },
    test: {
      provide: {
        form,
        lifecycleKills: form.lifecycleKills.rounds,
        searches: form.search.queries,
      },
      // The flows use the stack that it starts.
      globalSetup: isShort ? [] : "test/global-setup.ts",
      projects: isShort
        ? [
            {
              extends: true,
              test: {
                ...project("faults", 0, 2),
                include: ALL,
                exclude: [...configDefaults.exclude, ...WAITING, ...ALONE, ...FULL_ONLY],
              },
            },
            { extends: true, test: { ...project("waiting", 1, 1), include: WAITING } },
            { extends: true, test: { ...project("alone", 2, 1), include: ALONE } },
          ]
        : [{ extends: true, test: { ...project("faults", 0, 1), include: long } }],
    },
  };
});
