// Guarantee: a wrong command line or configuration is told on standard error, all of it, and ends
// with 2; a verb that fails ends with 1 and says where; nothing runs that is not a verb of the
// table.

import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

const ENTRY = new URL("index.ts", import.meta.url).href;

function run(words: readonly string[], env: Record<string, string> = {}) {
  const program = `
    import { main, processSettings, UsageError, whole } from ${JSON.stringify(ENTRY)};
    await main({
      service: "test",
      settings: { ...processSettings, size: whole("SIZE", "How many.", { min: 1, max: 9 }) },
      environment: process.env,
      argv: process.argv.slice(1),
      verbs: {
        show: async ({ config, log, words }) => {
          log.info({ words }, "shown");
          process.stdout.write("size " + config.size);
        },
        broken: async () => { throw new TypeError("a fault"); },
        picky: async () => { throw new UsageError("picky wants a word"); },
      },
    });`;
  const args = ["-C", "source", "--input-type=module", "-e", program, "--", ...words];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: "utf8" });
  return { status, stdout, stderr };
}

test("a verb runs with its configuration and the words after it", () => {
  const { status, stdout } = run(["show", "a", "b"], { SIZE: "7" });
  // The log and the verb write each for itself: which line comes first is not said.
  expect(stdout).toContain('"words":["a","b"]');
  expect(stdout).toContain("size 7");
  expect(status).toBe(0);
});

test.each([[], ["unknown"], ["constructor"], ["toString"], ["__proto__"]])(
  "%s is no verb: the usage, and 2",
  (...words) => {
    expect(run(words, { SIZE: "7" })).toStrictEqual({
      status: 2,
      stdout: "",
      stderr: "usage: test show | broken | picky\n",
    });
  },
);

test("all faults of the configuration are told, without a stack, and 2", () => {
  expect(run(["show"], { ANNALS_LOG_LEVEL: "loud" })).toStrictEqual({
    status: 2,
    stdout: "",
    stderr:
      'ANNALS_LOG_LEVEL must be one of debug, info, warn, error (is "loud")\n' +
      "SIZE is required: How many.\n",
  });
});

test("a fault of the command line is told without a stack, and 2", () => {
  const { status, stderr } = run(["picky"], { SIZE: "7" });
  expect({ status, stderr }).toStrictEqual({ status: 2, stderr: "picky wants a word\n" });
});

test("a verb that fails ends with 1 and tells where", () => {
  const { status, stderr } = run(["broken"], { SIZE: "7" });
  expect(status).toBe(1);
  expect(stderr).toMatch(/^TypeError: a fault\n\s+at /);
});
