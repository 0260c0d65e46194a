// How the fault suite runs, apart from `npm test`. `npm run test:faults` is the full form, one file at a time,
// with the long form of the flows that have one. `npm run test:faults -- --mode short` is the one of continuous
// integration: there files that assert no duration run two at a time, each with a system of its own.

import { configDefaults, defineConfig } from "vitest/config";
import { FORMS } from "../form.ts";

/** The full form takes minutes a test; the bounds of the tests find what hangs. */
const TEST_TIMEOUT_MS = 30 * 60_000;
const HOOK_TIMEOUT_MS = 120_000;

const ALL = ["test/faults/**/*.test.ts"];
/** Only in the full form. The short form is in test/flows: webhooks-nothing-lost, webhooks-crash-points. */
const FULL_ONLY = files("webhooks-crash-points", "webhooks-outage");
/** They assert how long something takes, so nothing else may use the CPU. */
const TIMED = files("overload", "network-faults", "paused-ledger");
/** Flows whose short form is in `npm test`. */
const LONG_FLOWS = ["chain", "no-false-alarm", "rate-limit", "revocation", "webhooks-secrets"];

function files(...names: readonly string[]): string[] {
  return names.map((name) => `test/faults/${name}.test.ts`);
}

export default defineConfig(({ mode }) => {
  const isShort = mode === "short";
  const common = { testTimeout: TEST_TIMEOUT_MS, hookTimeout: HOOK_TIMEOUT_MS };
  const timed = { ...common, name: "timed", fileParallelism: false, sequence: { groupOrder: 1 } };
  const others = { ...common, name: "faults", maxWorkers: 2, sequence: { groupOrder: 0 } };
  const flows = LONG_FLOWS.map((flow) => `test/flows/${flow}.test.ts`);
  return {
    resolve: { conditions: ["source"] },
    ssr: { resolve: { conditions: ["source"] } },
    // What the global setup imports.
    environments: { __vitest__: { resolve: { conditions: ["source"] } } },
    test: {
      provide: { form: isShort ? FORMS.short : FORMS.full },
      // The flows use the stack that it starts.
      globalSetup: isShort ? [] : "test/global-setup.ts",
      projects: isShort
        ? [
            {
              extends: true,
              test: {
                ...others,
                include: ALL,
                exclude: [...configDefaults.exclude, ...TIMED, ...FULL_ONLY],
              },
            },
            { extends: true, test: { ...timed, include: TIMED } },
          ]
        : [{ extends: true, test: { ...timed, name: "faults", include: [...ALL, ...flows] } }],
    },
  };
});
