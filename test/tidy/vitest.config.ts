// The tests of this folder and of test/chart alone, without the stack that the run of all tests starts: what
// `npm run tidy` runs.

import { defineConfig } from "vitest/config";

export default defineConfig({
  ssr: { resolve: { conditions: ["source"] } },
  test: { include: ["test/{chart,tidy}/*.test.ts"], isolate: false, testTimeout: 120_000 },
});
