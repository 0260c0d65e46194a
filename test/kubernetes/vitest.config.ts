// How `npm run test:kubernetes` runs: the chart on a real cluster, one namespace a file, one file at a time.
// `-- --mode short` runs, side by side, what continuous integration has time for.

import { defineConfig } from "vitest/config";

/** The first run builds images. */
const SETUP_TIMEOUT_MS = 30 * 60_000;

/** Said, and not only done: a run without a cluster proves nothing. */
const isWithout = process.env["ANNALS_TEST_CLUSTER"] === "none";
if (isWithout)
  process.stderr.write("ANNALS_TEST_CLUSTER is none: the chart is not tested on a cluster\n");

const ALL = ["test/kubernetes/**/*.test.ts"];
const SHORT = ["install", "policies"].map((name) => `test/kubernetes/${name}.test.ts`);

export default defineConfig(({ mode }) => ({
  resolve: { conditions: ["source"] },
  ssr: { resolve: { conditions: ["source"] } },
  environments: { __vitest__: { resolve: { conditions: ["source"] } } },
  test: {
    name: "kubernetes",
    include: isWithout ? [] : mode === "short" ? SHORT : ALL,
    passWithNoTests: isWithout,
    globalSetup: isWithout ? [] : "test/kubernetes/cluster.ts",
    // The two short files fit on one node together.
    maxWorkers: mode === "short" ? SHORT.length : 1,
    testTimeout: SETUP_TIMEOUT_MS,
    hookTimeout: SETUP_TIMEOUT_MS,
  },
}));
