// How `npm run test:citus` runs: the tests of this folder, and the suites of the API and the flows, over a
// Citus cluster that the run starts from the folder `CITUS_ROOT`. Without it one line says what was left out.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { FORMS } from "../form.ts";

const root = process.env["CITUS_ROOT"];
if (root === undefined || !existsSync(join(root, "bin/postgres"))) {
  process.stdout.write(
    "CITUS_ROOT does not name a folder with bin, lib and share of a PostgreSQL with Citus: nothing was tested over Citus\n",
  );
  process.exit(0);
}

const TEST_TIMEOUT_MS = 180_000;
const HOOK_TIMEOUT_MS = 120_000;
/** They stop or measure a PostgreSQL of their own, which is not Citus. */
const EXCLUDED = ["**/node_modules/**", "**/dist/**"];

const project = (
  name: string,
  groupOrder: number,
  include: readonly string[],
  setupFiles: readonly string[] = [],
) => ({
  extends: true as const,
  test: {
    name,
    setupFiles: [...setupFiles],
    include: [...include],
    exclude: EXCLUDED,
    testTimeout: TEST_TIMEOUT_MS,
    hookTimeout: HOOK_TIMEOUT_MS,
    maxWorkers: 2,
    sequence: { groupOrder },
  },
});

export default defineConfig({
  resolve: { conditions: ["source"] },
  ssr: { resolve: { conditions: ["source"] } },
  // What the global setup imports.
  environments: { __vitest__: { resolve: { conditions: ["source"] } } },
  test: {
    globalSetup: "test/citus/global-setup.ts",
    provide: {
      form: FORMS.short,
      lifecycleKills: FORMS.short.lifecycleKills.rounds,
      searches: FORMS.short.search.queries,
    },
    projects: [
      project("citus", 0, ["test/citus/**/*.test.ts"]),
      project("stores", 1, ["services/{ledger,export,webhook-dispatcher}/src/**/*.test.ts"]),
      project("api", 2, ["test/api/**/*.test.ts"], ["test/api/openapi/check-traffic.ts"]),
      project("flows", 3, ["test/flows/**/*.test.ts"]),
    ],
  },
});
