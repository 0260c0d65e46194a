// How `npm run test:runtimes` runs: what is published in the runtimes that it names, and in Next.js. They are
// 1 GB on disk, so they are no part of the install, of `npm test` or of `.ci/run`.

import { defineConfig } from "vitest/config";
import { FORMS } from "../form.ts";

/** The first run downloads the runtimes. */
const TIMEOUT_MS = 10 * 60_000;

export default defineConfig({
  resolve: { conditions: ["source"] },
  ssr: { resolve: { conditions: ["source"] } },
  environments: { __vitest__: { resolve: { conditions: ["source"] } } },
  test: {
    name: "runtimes",
    include: ["test/runtimes/**/*.test.ts"],
    // The first file installs the runtimes.
    fileParallelism: false,
    globalSetup: "test/global-setup.ts",
    // The global setup reads it.
    provide: { form: FORMS.short },
    testTimeout: TIMEOUT_MS,
    hookTimeout: TIMEOUT_MS,
  },
});
