// How `npm run test:kubernetes` runs: the chart on a real cluster, one namespace a file, one file at a time.

import { defineConfig } from "vitest/config";

/** The first run builds images. */
const SETUP_TIMEOUT_MS = 30 * 60_000;

/** Said, and not only done: a run without a cluster proves nothing. */
const isWithout = process.env["ANNALS_TEST_CLUSTER"] === "none";
if (isWithout)
  process.stderr.write("ANNALS_TEST_CLUSTER is none: the chart is not tested on a cluster\n");

export default defineConfig({
  resolve: { conditions: ["source"] },
  ssr: { resolve: { conditions: ["source"] } },
  environments: { __vitest__: { resolve: { conditions: ["source"] } } },
  test: {
    name: "kubernetes",
    include: isWithout ? [] : ["test/kubernetes/**/*.test.ts"],
    passWithNoTests: isWithout,
    globalSetup: isWithout ? [] : "test/kubernetes/cluster.ts",
    fileParallelism: false,
    testTimeout: SETUP_TIMEOUT_MS,
    hookTimeout: SETUP_TIMEOUT_MS,
  },
});
