// How `npm run test:kubernetes` runs: the chart on a real cluster, one namespace a file, one file at a time.
// `-- --mode short` runs, side by side, what continuous integration has time for. At the end comes the audit
// log of a cluster that is started with other flags, where a program can start one.

import { configDefaults, defineConfig } from "vitest/config";
import { FORMS } from "../form.ts";

/** The first run builds images. */
const SETUP_TIMEOUT_MS = 30 * 60_000;

/** Said, and not only done: a run without a cluster proves nothing. */
const folder = process.env["ANNALS_TEST_CLUSTER"] ?? "";
const isWithout = folder === "none";
if (isWithout)
  process.stderr.write("ANNALS_TEST_CLUSTER is none: the chart is not tested on a cluster\n");
const isGiven = folder === "";
if (isGiven)
  process.stderr.write(
    "ANNALS_TEST_CLUSTER is not set: the audit log of a cluster is not tested\n",
  );

const ALL = ["test/kubernetes/**/*.test.ts"];
const SHORT = ["install", "policies", "workloads"].map((name) => `test/kubernetes/${name}.test.ts`);
const AUDIT = "test/kubernetes/audit.test.ts";

export default defineConfig(({ mode }) => {
  const isShort = mode === "short";
  const common = { testTimeout: SETUP_TIMEOUT_MS, hookTimeout: SETUP_TIMEOUT_MS };
  return {
    resolve: { conditions: ["source"] },
    ssr: { resolve: { conditions: ["source"] } },
    environments: { __vitest__: { resolve: { conditions: ["source"] } } },
    test: {
      passWithNoTests: isWithout,
      provide: {
        form: isShort ? FORMS.short : FORMS.full,
        clusterProgram: `${folder}/cluster`,
      },
      projects: [
        {
          extends: true,
          test: {
            ...common,
            name: "kubernetes",
            include: isWithout ? [] : isShort ? SHORT : ALL,
            exclude: [...configDefaults.exclude, AUDIT],
            globalSetup: isWithout ? [] : "test/kubernetes/cluster.ts",
            // Two of the short files fit on one node together.
            maxWorkers: isShort ? 2 : 1,
            sequence: { groupOrder: 0 },
          },
        },
        {
          extends: true,
          test: {
            ...common,
            name: "audit",
            include: isWithout || isGiven ? [] : [AUDIT],
            maxWorkers: 1,
            sequence: { groupOrder: 1 },
          },
        },
      ],
    },
  };
});

declare module "vitest" {
  export interface ProvidedContext {
    /** Starts and ends clusters. */
    readonly clusterProgram: string;
  }
}
