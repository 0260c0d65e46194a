// Guarantee: a command line runs the command that it names, or says on standard error which one it may have
// meant. Help goes to standard output, asks for no context, and ends with 0. The exit status is that of the
// command, 2 for a fault of the command line and 1 for a failure; any other error is left to the caller.

import { describe, expect, test } from "vitest";
import { command } from "./command.ts";
import type { Command } from "./declaration.ts";
import { CommandError, EXIT, UsageError } from "./exit.ts";
import { flag, option, requiredOption } from "./options.ts";
import { runCommands } from "./run-commands.ts";

const made: string[] = [];

const COMMANDS: readonly Command[] = [
  command(
    {
      name: "jobs add",
      summary: "Add a job",
      details: "The job starts at once.",
      options: {
        name: requiredOption("<name>", "Name of the job"),
        json: flag("Print JSON"),
      },
      examples: ["annals jobs add --name nightly"],
      exitStatus: "0 success, 2 usage error",
    },
    async ({ json, name }) => void made.push(`${name} ${json}`),
  ),
  command({ name: "jobs list", summary: "List the jobs" }, async () => EXIT.checkFailed),
  command(
    { name: "fail", summary: "Fail", options: { as: option("<as>", "The error") } },
    ({ as }) =>
      Promise.reject(
        as === "usage"
          ? new UsageError("no such job")
          : as === "other"
            ? new TypeError("a bug")
            : new CommandError("no database"),
      ),
  ),
  {
    name: "other",
    summary: "Run another program",
    usage: "annals other",
    examples: [],
    help: undefined,
    run: async (args) => void made.push(args.join(" ")),
  },
];

async function run(...argv: string[]) {
  const printed = { stdout: "", stderr: "" };
  const status = await runCommands("annals", COMMANDS, argv, {
    stdout: { write: (text) => (printed.stdout += text) },
    stderr: { write: (text) => (printed.stderr += text) },
  });
  return { status, ...printed };
}

const LIST = `Usage: annals <command> [options]

Commands:
  jobs add   Add a job
  jobs list  List the jobs
  fail       Fail
  other      Run another program

Run "annals <command> --help" for the options of a command, with examples.

Exit status: 0 success, 1 failure, 2 usage or configuration error, 3 check failed.
`;
const JOBS = `Usage: annals jobs add --name <name> [--json]
       annals jobs list
`;

describe("the exit status", () => {
  test.each([
    [["jobs", "add", "--name", "a"], 0, ""],
    [["jobs", "list"], 3, ""],
    [["fail"], 1, "no database\n"],
    [["fail", "--as", "usage"], 2, "no such job\n"],
    [["jobs", "list", "all"], 2, 'unexpected argument "all"\nUsage: annals jobs list\n'],
  ])("%j: %i", async (argv, status, stderr) => {
    expect(await run(...argv)).toStrictEqual({ status, stdout: "", stderr });
  });

  test("any other error is left to the caller", async () => {
    await expect(run("fail", "--as", "other")).rejects.toThrow(TypeError);
  });
});

describe("help", () => {
  test("of the program lists its commands", async () => {
    for (const asked of ["--help", "-h"])
      expect(await run(asked)).toStrictEqual({ status: 0, stdout: LIST, stderr: "" });
  });

  test("of a group has the usage of each command, and their examples", async () => {
    expect((await run("jobs", "--help")).stdout).toBe(`${JOBS}
Commands:
  jobs add   Add a job
  jobs list  List the jobs

Examples:
  annals jobs add --name nightly

Run a command with --help for its options.
`);
  });

  test("of a command has its options and its exit status, whatever else is given", async () => {
    made.length = 0;
    const help = await run("jobs", "add", "--colour", "--help");
    expect(help).toMatchObject({ status: 0, stderr: "" });
    expect(help.stdout).toBe(`Usage: annals jobs add --name <name> [--json]

Add a job.

The job starts at once.

Options:
  --name <name>  Name of the job (required)
  --json         Print JSON
  -h, --help     Show this help

Examples:
  annals jobs add --name nightly

Exit status: 0 success, 2 usage error.
`);
    expect(made).toStrictEqual([]);
  });

  test("after -- is an argument", async () => {
    expect(await run("jobs", "list", "--", "--help")).toMatchObject({ status: 2, stdout: "" });
  });

  test("of a command of another program is left to that program", async () => {
    made.length = 0;
    expect(await run("other", "x", "--help")).toStrictEqual({ status: 0, stdout: "", stderr: "" });
    expect(made).toStrictEqual(["x --help"]);
  });
});

describe("without a command", () => {
  const next = 'Run "annals --help" for the list of commands.\n';

  test.each([
    [[], LIST],
    [["jobs"], JOBS],
    [["jobs", "--json"], JOBS],
    [["jbos", "list"], `unknown command "jbos list"; did you mean "jobs"?\n${next}`],
    [["xxxx"], `unknown command "xxxx"\n${next}`],
    [["--version"], `unknown command "--version"\n${next}`],
    [["jobs", "lst", "--json"], `unknown command "jobs lst"; did you mean "jobs list"?\n${JOBS}`],
    [["jobs", "drop"], `unknown command "jobs drop"\n${JOBS}`],
    [["\u001B[2J"], `unknown command "${String.raw`\u001b[2J`}"\n${next}`],
  ])("%j ends with 2", async (argv, stderr) => {
    expect(await run(...argv)).toStrictEqual({ status: 2, stdout: "", stderr });
  });
});

test("a program that is one command takes its arguments at once", async () => {
  const only = command(
    { program: "check", name: "", summary: "Check a file", positionals: ["file"] },
    async ({ file }) => void made.push(file),
  );
  made.length = 0;
  expect(await runCommands("check", [only], ["a.txt"])).toBe(0);
  expect(made).toStrictEqual(["a.txt"]);
  expect(only.usage).toBe("check <file>");
});
