// The tidy tests alone, without the stack that the run of all tests starts: what `npm run tidy`
// runs in a second.

import { defineConfig } from "vitest/config";

export default defineConfig({
  ssr: { resolve: { conditions: ["source"] } },
  test: { include: ["test/tidy/*.test.ts"], testTimeout: 60_000 },
});
