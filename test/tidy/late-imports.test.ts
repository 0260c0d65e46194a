// Guarantee: no service loads a module while it serves, since that blocks the event loop for as long as the
// module and all that it imports take to run. Only what starts a service imports at run time.

import { expect, test } from "vitest";
import { PRODUCT } from "../../deploy/generate/sources.ts";

/** Files that import at run time before the service is ready: by a setting, or to serve at all. */
const AT_START = [
  "libs/chassis/src/tracing.ts",
  "services/export/src/program.ts",
  "services/export/src/storage/open-storage.ts",
  "services/gateway/src/program.ts",
  "services/keys/src/outbound/provider-metadata.ts",
  "services/keys/src/program.ts",
  "services/ledger/src/program.ts",
  "services/webhook-dispatcher/src/program.ts",
];

const SERVED = PRODUCT.filter(({ path }) => /^(libs\/(?!testing\/)|services\/)/.test(path));

test("only what starts a service imports at run time", () => {
  const late = SERVED.filter(({ text }) =>
    /\bimport\(["'`\w]/.test(text.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, "")),
  );
  expect(late.map(({ path }) => path).toSorted()).toEqual(AT_START);
});
