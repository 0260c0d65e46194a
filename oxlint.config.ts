// What the linter checks, the import laws of docs/architecture.md included: services never import each
// other, nothing inside a service imports upward, each outside library has one home, no import cycle. Read
// by oxlint (`npm run lint`).

import { defineConfig } from "oxlint";
import { ARROWS, FOR_TESTS } from "./deploy/generate/import-laws.ts";

/** Files that read the environment: the entry of a process, and what replaces one. */
const ENTRIES = [
  "**/main.ts",
  "**/bootstrap.mjs",
  "**/entrypoint.mjs",
  "docs/receivers/**",
  "helm/annals/test.mjs",
  "packages/viewer/examples/**",
];

export default defineConfig({
  plugins: ["typescript", "import", "unicorn", "node", "promise", "vitest"],
  categories: { correctness: "error", suspicious: "error" },
  ignorePatterns: ["**/dist/**", "proto/gen/**", "packages/sdk/src/generated/**"],
  rules: {
    "import/no-cycle": ["error", { ignoreTypes: false }],
    "max-lines": ["error", { max: 300 }],
    "max-lines-per-function": ["error", { max: 60 }],
    "node/no-process-env": "error",
    "no-console": "error",
    "typescript/ban-ts-comment": ["error", { "ts-expect-error": true }],
    "typescript/no-explicit-any": "error",
    "typescript/no-floating-promises": "error",
    "typescript/no-misused-promises": "error",
    "typescript/switch-exhaustiveness-check": [
      "error",
      { considerDefaultExhaustiveForUnions: true },
    ],
    "unicorn/filename-case": ["error", { case: "kebabCase" }],
    "unicorn/prefer-node-protocol": "error",
    "promise/always-return": ["error", { ignoreLastCallback: true }],
    "vitest/expect-expect": ["error", { assertFunctionNames: ["expect", "expect*", "fc.assert"] }],
    "vitest/valid-expect": ["error", { maxArgs: 2 }],

    "import/no-named-as-default-member": "off",
    "import/no-unassigned-import": "off",
    "no-await-in-loop": "off",
    "no-unmodified-loop-condition": "off",
    "promise/no-callback-in-promise": "off",
    "typescript/consistent-return": "off",
    "typescript/no-unsafe-type-assertion": "off",
    "unicorn/consistent-function-scoping": "off",
    "unicorn/no-array-sort": "off",
    "unicorn/require-post-message-target-origin": "off",
    "vitest/no-conditional-expect": "off",
  },
  overrides: [
    ...ARROWS,
    { files: ["docs/**", "packages/viewer/examples/**"], rules: { "no-console": "off" } },
    { files: [...ENTRIES, ...FOR_TESTS], rules: { "node/no-process-env": "off" } },
    {
      files: ["libs/tlog/src/text/**"],
      excludeFiles: FOR_TESTS,
      rules: { "no-restricted-globals": ["error", "Buffer", "process"] },
    },
    // What every runtime loads. The spool alone needs Node.js.
    {
      files: ["packages/sdk/src/**"],
      excludeFiles: ["packages/sdk/src/spool.ts", "packages/sdk/src/spool/**"],
      rules: { "no-restricted-globals": ["error", "Buffer", "process"] },
    },
    { files: FOR_TESTS, rules: { "max-lines-per-function": "off" } },
    // A list of what a service is built from, top to bottom, without logic.
    { files: ["**/serve.ts"], rules: { "max-lines-per-function": ["error", { max: 120 }] } },
  ],
});
