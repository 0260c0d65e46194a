// How `npm test` runs. Everything runs on real processes, real PostgreSQL and real NATS. The flows
// come after the rest and one at a time: each starts a constellation of its own and measures what
// happens under load.

import { defineConfig } from "vitest/config";

const common = {
  exclude: ["**/node_modules/**", "**/dist/**"],
  testTimeout: 60_000,
  hookTimeout: 120_000,
};

export default defineConfig({
  resolve: { conditions: ["source"] },
  ssr: { resolve: { conditions: ["source"] } },
  // What the global setup imports.
  environments: { __vitest__: { resolve: { conditions: ["source"] } } },
  test: {
    globalSetup: "test/global-setup.ts",
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          ...common,
          name: "unit",
          include: [
            "{libs,services}/**/*.test.ts",
            "deploy/local/**/*.test.ts",
            "test/{tidy,verifiers}/**/*.test.ts",
          ],
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          ...common,
          name: "api",
          include: ["test/api/**/*.test.ts"],
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          ...common,
          name: "flows",
          include: ["test/{flows,wire}/**/*.test.ts"],
          fileParallelism: false,
          testTimeout: 300_000,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
