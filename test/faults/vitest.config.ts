// How the suite of faults runs: one file at a time, each with a system of its own, apart from `npm test`.
// `npm run test:faults` is the full form, `npm run test:faults -- --mode short` the one of continuous
// integration.

import { defineConfig } from "vitest/config";
import { FORMS } from "./form.ts";

/** The full form takes minutes a test; what hangs is told by the tests' own bounds. */
const TEST_TIMEOUT_MS = 30 * 60_000;
const HOOK_TIMEOUT_MS = 120_000;

export default defineConfig(({ mode }) => ({
  resolve: { conditions: ["source"] },
  ssr: { resolve: { conditions: ["source"] } },
  test: {
    include: ["test/faults/**/*.test.ts"],
    exclude: mode === "short" ? ["test/faults/schemathesis.test.ts"] : [],
    provide: { form: FORMS[mode === "short" ? "short" : "full"] },
    fileParallelism: false,
    testTimeout: TEST_TIMEOUT_MS,
    hookTimeout: HOOK_TIMEOUT_MS,
  },
}));
