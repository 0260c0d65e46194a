// Guarantee: every fault of the command line or the configuration is reported on standard error, and the
// status is 2; a command that fails ends with 1 and says where; a port in use is one line that names its
// setting; a command needs its own settings alone, and none for its help.

import { command, EXIT, type Options, option, UsageError } from "@annals/cli";
import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { integer, optional } from "./config.ts";
import { type CommandContext, statusOf } from "./main.ts";
import { processSettings } from "./settings.ts";

const ENTRY = new URL("index.ts", import.meta.url).href;
const CLI = import.meta.resolve("@annals/cli");

const size = integer("SIZE", "How many.", { min: 1, max: 9 });
const SERVING = { ...processSettings, size };
const COMMANDS = { ...processSettings, size: optional(size) };

type Words = readonly string[];
type Environment = Readonly<Record<string, string>>;

/** Runs a command in this process. It must not be one whose work goes on. */
async function run(argv: Words, environment: Environment = {}) {
  const printed = { stdout: "", stderr: "" };
  const output = {
    stdout: { write: (text: string) => (printed.stdout += text) },
    stderr: { write: (text: string) => (printed.stderr += text) },
  };
  const operator = (name: string, work: () => Promise<number>, options: Options = {}) =>
    command<CommandContext<typeof COMMANDS>>({ name, summary: "Act", options }, work);
  const commands = {
    settings: COMMANDS,
    migrate: async ({ config }: CommandContext<typeof COMMANDS>) =>
      void output.stdout.write(`size ${config.size}`),
    operator: [
      operator("show", async () => EXIT.ok, { color: option("<color>", "A color") }),
      operator("broken", () => Promise.reject(new TypeError("a fault"))),
      operator("picky", () => Promise.reject(new UsageError("picky wants more"))),
    ],
  };
  const serve = () => expect.unreachable();
  const given = { service: "test", settings: SERVING, environment, argv, serve, commands };
  const status = await statusOf(given, output);
  return { status, ...printed };
}

function nodeArguments(words: Words): string[] {
  const program = `
    import { createServer } from "node:http";
    import { ConfigError, integer, main, optional, processSettings, run } from ${JSON.stringify(ENTRY)};
    import { command, EXIT, option } from ${JSON.stringify(CLI)};
    const size = integer("SIZE", "How many.", { min: 1, max: 9 });
    const operator = (name, work, options = {}) => command({ name, summary: "Act", options }, work);
    await main({
      service: "test",
      environment: process.env,
      argv: process.argv.slice(1),
      settings: { ...processSettings, size },
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
      commands: {
        settings: { ...processSettings, size: optional(size) },
        migrate: async () => {},
        operator: [
          operator("show", async ({ color }, { config, log }) => {
            log.info({ color }, "shown");
            process.stdout.write("size " + config.size);
          }, { color: option("<color>", "A color") }),
          operator("check", async () => {
            setInterval(() => {}, 1_000);
            return EXIT.checkFailed;
          }),
        ],
      },
    });`;
  return ["-C", "source", "--input-type=module", "-e", program, "--", ...words];
}

/** Runs a command as a process. */
function start(words: Words, given: Environment = {}) {
  const { NODE_COMPILE_CACHE } = process.env;
  const options = { env: { NODE_COMPILE_CACHE, ...given }, encoding: "utf8" } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, nodeArguments(words), options);
  return { status, stdout, stderr };
}

test("a command runs with its configuration and its options", () => {
  const { status, stdout } = start(["show", "--color", "red"], { SIZE: "7" });
  // The log and the command write independently: either line may come first.
  expect(stdout).toContain('"color":"red"');
  expect(stdout).toContain("size 7");
  expect(status).toBe(0);
});

test.each(["unknown", "constructor", "__proto__"])(
  "%s is not a command: the status is 2",
  async (word) => {
    expect(await run([word], { SIZE: "7" })).toStrictEqual({
      status: 2,
      stdout: "",
      stderr: `unknown command "${word}"\nRun "test --help" for the list of commands.\n`,
    });
  },
);

test("--help lists the commands, and that of a command is its own; neither needs a setting", async () => {
  const list = await run(["--help"]);
  expect(list).toMatchObject({ status: 0, stderr: "" });
  expect(list.stdout).toMatch(/^Usage: test <command> \[options\]\n/);
  for (const name of ["serve", "migrate", "show", "broken", "picky"])
    expect(list.stdout).toMatch(new RegExp(`^  ${name} `, "m"));
  expect((await run(["serve", "--help"])).stdout).toMatch(
    /^Usage: test serve \[--exit-with-stdin\]\n/,
  );
  expect((await run(["show", "--help"])).stdout).toMatch(
    /^Usage: annals show \[--color <color>\]\n/,
  );
});

test("every fault of the configuration is reported, without a stack, and the status is 2", async () => {
  expect(await run(["serve"], { ANNALS_LOG_LEVEL: "loud" })).toStrictEqual({
    status: 2,
    stdout: "",
    stderr:
      'ANNALS_LOG_LEVEL must be one of debug, info, warn, error (is "loud")\n' +
      "SIZE is required: How many.\n",
  });
});

test("a command need not have what serve requires, and refuses a wrong value", async () => {
  expect(await run(["migrate"])).toStrictEqual({ status: 0, stdout: "size undefined", stderr: "" });
  expect(await run(["migrate"], { SIZE: "9" })).toMatchObject({ status: 0, stdout: "size 9" });
  expect(await run(["migrate"], { SIZE: "10" })).toStrictEqual({
    status: 2,
    stdout: "",
    stderr: 'SIZE must be an integer from 1 to 9 (is "10")\n',
  });
});

test("wrong arguments are reported before wrong settings", async () => {
  expect(await run(["show", "now"], { SIZE: "10" })).toStrictEqual({
    status: 2,
    stdout: "",
    stderr: 'unexpected argument "now"\nUsage: annals show [--color <color>]\n',
  });
  expect((await run(["migrate", "now"], { SIZE: "10" })).stderr).toMatch(
    /^unexpected argument "now"\n/,
  );
});

test("migrate waits for as long as it says, a day at most", async () => {
  for (const wait of ["0", "86400"])
    expect(await run(["migrate", "--wait", wait], { SIZE: "7" })).toMatchObject({ status: 0 });
  for (const wait of ["86401", "-1", "1.5", "soon", ""])
    expect(await run(["migrate", `--wait=${wait}`], { SIZE: "7" })).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("--wait: must be an integer from 0 to 86400"),
    });
});

test("a fault that a command finds is reported without a stack, and the status is 2", async () => {
  const { status, stderr } = await run(["picky"], { SIZE: "7" });
  expect({ status, stderr }).toStrictEqual({ status: 2, stderr: "picky wants more\n" });
});

test("a process ends with the status that a command returns, whatever is open", () => {
  expect(start(["check"])).toStrictEqual({ status: 3, stdout: "", stderr: "" });
});

test("a command that fails ends with 1 and says where", async () => {
  const { status, stderr } = await run(["broken"], { SIZE: "7" });
  expect(status).toBe(1);
  expect(stderr).toMatch(/^TypeError: a fault\n\s+at /);
});

test("a fault that the start finds closes what is open and is one line without a stack", () => {
  const { status, stdout, stderr } = start(["serve"], { SIZE: "7", ANNALS_ADMIN_PORT: "0" });
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
