// Guarantee: every fault of the command line or the configuration is reported on standard error, and the
// status is 2; a verb that fails ends with 1 and says where; a port in use is one line that names its
// setting; nothing runs that is not a verb of the table.

import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";

const ENTRY = new URL("index.ts", import.meta.url).href;

function nodeArguments(words: readonly string[]): string[] {
  const program = `
    import { createServer } from "node:http";
    import { ConfigError, integer, main, optional, processSettings, run, UsageError } from ${JSON.stringify(ENTRY)};
    const size = integer("SIZE", "How many.", { min: 1, max: 9 });
    await main({
      service: "test",
      settings: { ...processSettings, size },
      environment: process.env,
      argv: process.argv.slice(1),
      verbs: {
        show: async ({ config, log, words }) => {
          log.info({ words }, "shown");
          process.stdout.write("size " + config.size);
        },
        broken: async () => { throw new TypeError("a fault"); },
        serve: ({ config, log }) => run({
          log,
          exitWithStdin: false,
          serve: async (closers) => {
            setInterval(() => {}, 1_000);
            closers.add("part", undefined, () => log.info("part closed"));
            const server = createServer();
            await new Promise((resolve, reject) => {
              server.once("error", reject).listen(config.adminPort, "127.0.0.1", resolve);
            });
            throw new ConfigError("SOME_FILE cannot be read");
          },
        }),
        picky: async () => { throw new UsageError("picky wants a word"); },
      },
      commands: {
        settings: { ...processSettings, size: optional(size) },
        verbs: { modest: async ({ config }) => void process.stdout.write("size " + config.size) },
      },
    });`;
  return ["-C", "source", "--input-type=module", "-e", program, "--", ...words];
}

function run(words: readonly string[], env: Record<string, string> = {}) {
  const args = nodeArguments(words);
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: "utf8" });
  return { status, stdout, stderr };
}

test("a verb runs with its configuration and the words after it", () => {
  const { status, stdout } = run(["show", "a", "b"], { SIZE: "7" });
  // The log and the verb write independently: either line may come first.
  expect(stdout).toContain('"words":["a","b"]');
  expect(stdout).toContain("size 7");
  expect(status).toBe(0);
});

test.each([[], ["unknown"], ["constructor"], ["toString"], ["__proto__"]])(
  "%s is not a verb: the usage, and the status is 2",
  (...words) => {
    expect(run(words, { SIZE: "7" })).toStrictEqual({
      status: 2,
      stdout: "",
      stderr: "Usage: test show | broken | serve | picky | modest\n",
    });
  },
);

test("--help prints the verbs and ends with 0", () => {
  const stdout = "Usage: test show | broken | serve | picky | modest\n";
  expect(run(["--help"])).toStrictEqual({ status: 0, stdout, stderr: "" });
});

test("every fault of the configuration is reported, without a stack, and the status is 2", () => {
  expect(run(["show"], { ANNALS_LOG_LEVEL: "loud" })).toStrictEqual({
    status: 2,
    stdout: "",
    stderr:
      'ANNALS_LOG_LEVEL must be one of debug, info, warn, error (is "loud")\n' +
      "SIZE is required: How many.\n",
  });
});

test("a command need not have what other verbs require, and refuses a wrong value", () => {
  expect(run(["modest"])).toStrictEqual({ status: 0, stdout: "size undefined", stderr: "" });
  expect(run(["modest"], { SIZE: "9" })).toMatchObject({ status: 0, stdout: "size 9" });
  expect(run(["modest"], { SIZE: "10" })).toStrictEqual({
    status: 2,
    stdout: "",
    stderr: 'SIZE must be an integer from 1 to 9 (is "10")\n',
  });
});

test("a fault of the command line is reported without a stack, and the status is 2", () => {
  const { status, stderr } = run(["picky"], { SIZE: "7" });
  expect({ status, stderr }).toStrictEqual({ status: 2, stderr: "picky wants a word\n" });
});

test("a verb that fails ends with 1 and says where", () => {
  const { status, stderr } = run(["broken"], { SIZE: "7" });
  expect(status).toBe(1);
  expect(stderr).toMatch(/^TypeError: a fault\n\s+at /);
});

test("a fault that the start finds closes what is open and is one line without a stack", () => {
  const { status, stdout, stderr } = run(["serve"], { SIZE: "7", ANNALS_ADMIN_PORT: "0" });
  expect({ status, stderr }).toStrictEqual({ status: 2, stderr: "SOME_FILE cannot be read\n" });
  expect(stdout).toContain("part closed");
});

test("a port in use is one line that names its setting", async () => {
  const holder = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void holder.close());
  await once(holder, "listening");
  const { port } = holder.address() as AddressInfo;
  const env = { SIZE: "7", ANNALS_ADMIN_PORT: String(port) };
  // Not the synchronous form: it would hold up the server that has the port.
  const ended = promisify(execFile)(process.execPath, nodeArguments(["serve"]), { env });
  await expect(ended).rejects.toMatchObject({
    code: 1,
    stderr: `ANNALS_ADMIN_PORT: cannot listen on port ${port} of 127.0.0.1 (another process uses it)\n`,
  });
});
