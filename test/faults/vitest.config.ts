// How the suite of faults runs: one file at a time, each with a system of its own, apart from `npm test`.
// `npm run test:faults` is the full form, with the long form of the flows that have one; `npm run test:faults
// -- --mode short` is the one of continuous integration.

import { defineConfig } from "vitest/config";
import { FORMS } from "../form.ts";

/** The full form takes minutes a test; the bounds of the tests find what hangs. */
const TEST_TIMEOUT_MS = 30 * 60_000;
const HOOK_TIMEOUT_MS = 120_000;

/** Only in the full form. The short form is in test/flows: webhooks-nothing-lost, webhooks-crash-points. */
const FULL_ONLY = ["webhooks-crash-points", "webhooks-outage"];
/** Flows whose short form is in `npm test`. */
const LONG_FLOWS = ["chain", "no-false-alarm", "rate-limit", "revocation", "webhooks-secrets"];

export default defineConfig(({ mode }) => {
  const form = mode === "short" ? FORMS.short : FORMS.full;
  const flows = form.name === "full" ? LONG_FLOWS : [];
  return {
    resolve: { conditions: ["source"] },
    ssr: { resolve: { conditions: ["source"] } },
    // What the global setup imports.
    environments: { __vitest__: { resolve: { conditions: ["source"] } } },
    test: {
      include: ["test/faults/**/*.test.ts", ...flows.map((flow) => `test/flows/${flow}.test.ts`)],
      exclude: form.name === "full" ? [] : FULL_ONLY.map((name) => `test/faults/${name}.test.ts`),
      // The flows stand on the stack that it starts.
      globalSetup: flows.length > 0 ? "test/global-setup.ts" : [],
      provide: { form },
      fileParallelism: false,
      testTimeout: TEST_TIMEOUT_MS,
      hookTimeout: HOOK_TIMEOUT_MS,
    },
  };
});
