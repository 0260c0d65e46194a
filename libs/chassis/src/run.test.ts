// Guarantees, on real processes: what was opened closes in reverse, also when a start fails half-way, and one
// part that hangs or fails keeps no other from closing; SIGTERM, SIGINT and the end of standard input drain,
// a second signal ends at once; an unhandled rejection or an uncaught exception is logged and ends the
// process; the exit status says whether all went well. Workers are told to stop together, and then calls to
// other services end.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { Closers } from "./run.ts";
import { createLog } from "./log.ts";

const ENTRY = new URL("index.ts", import.meta.url).href;

/** A process of a few lines; `serve` is the body of its serve function. */
function start(serve: string) {
  const program = `
    import { createLog, run } from ${JSON.stringify(ENTRY)};
    const log = createLog({ service: "test", level: "info" });
    const say = (word) => () => process.stdout.write("closed " + word + "\\n");
    await run({ log, exitWithStdin: true, serve: async (closers) => { ${serve} } });
    process.stdout.write("never\\n");`;
  const child = spawn(process.execPath, ["-C", "source", "--input-type=module", "-e", program], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const said = async (word: string): Promise<void> => {
    while (!output.includes(word)) await once(child.stdout, "data");
  };
  const closed = (): string[] => [...output.matchAll(/^closed (\w+)/gm)].map(([, word]) => word!);
  return { child, said, closed, output: () => output };
}

const exit = async (child: ChildProcess): Promise<unknown> => (await once(child, "close"))[0];

const TWO_PARTS = `
  closers.add("first", 1, say("first"));
  closers.add("second", 2, say("second"));
  setInterval(() => {}, 1000);`;

test.each(["SIGTERM", "SIGINT", "the end of standard input"])(
  "%s closes in reverse and ends with 0",
  async (reason) => {
    const { child, said, closed, output } = start(TWO_PARTS);
    await said('"ready"');
    if (reason === "SIGTERM" || reason === "SIGINT") child.kill(reason);
    else child.stdin?.end();
    expect(await exit(child)).toBe(0);
    expect(closed()).toStrictEqual(["second", "first"]);
    expect(output()).toContain(`"reason":"${reason.replace("the end", "end")}"`);
    expect(output()).not.toContain("never");
  },
);

test("a start that fails closes what was open and ends with 1", async () => {
  const { child, closed, output } = start(`
    closers.add("first", 1, say("first"));
    throw new Error("no database");`);
  expect(await exit(child)).toBe(1);
  expect(closed()).toStrictEqual(["first"]);
  expect(output()).toMatch(/"level":"error".*no database.*start failed/);
  expect(output()).not.toContain('"ready"');
});

test("what Node or a library would print is a line of the log", async () => {
  const { child, said, output } = start(`
    process.emitWarning("too many listeners");
    console.error("handler %s failed", "x", new Error("at\\nlines"));
    ${TWO_PARTS}`);
  await said('"process warning"');
  child.kill("SIGTERM");
  expect(await exit(child)).toBe(0);
  const lines = output()
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("closed"));
  const warned = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === "warn");
  expect(warned).toMatchObject([
    {
      msg: "library output",
      text: expect.stringMatching(/^handler x failed Error: at\nlines/),
    },
    { msg: "process warning", err: { message: "too many listeners" } },
  ]);
});

test("a signal during the start takes effect when the start has ended", async () => {
  const { child, said, closed } = start(`
    closers.add("first", 1, say("first"));
    process.stdout.write("starting\\n");
    await new Promise((resolve) => process.once("SIGTERM", () => setTimeout(resolve, 50)));`);
  await said("starting");
  child.kill("SIGTERM");
  expect(await exit(child)).toBe(0);
  expect(closed()).toStrictEqual(["first"]);
});

test("a second signal ends at once, with 1", async () => {
  const { child, said, closed } = start(`
    closers.add("first", 1, say("first"));
    closers.add("second", 2, () => new Promise(() => process.stdout.write("hanging\\n")));`);
  await said('"ready"');
  child.kill("SIGTERM");
  await said("hanging");
  child.kill("SIGTERM");
  expect(await exit(child)).toBe(1);
  expect(closed()).toStrictEqual([]);
});

test.each([
  ["unhandled rejection", "void Promise.reject(new Error('lost'));"],
  ["uncaught exception", "throw new Error('lost');"],
])("an %s is logged, with all lines before it, and ends the process with 1", async (what, fail) => {
  const { child, closed, output } = start(`
    closers.add("first", 1, say("first"));
    setInterval(() => {}, 1000);
    setTimeout(() => {
      for (let line = 0; line < 2000; line += 1) log.info({ line }, "x".repeat(100));
      ${fail}
    }, 10);`);
  expect(await exit(child)).toBe(1);
  expect(output()).toMatch(new RegExp(`"level":"error".*lost.*"msg":"${what}"}\n$`));
  expect(output().match(/"line":/g)).toHaveLength(2_000);
  expect(closed()).toStrictEqual([]);
});

test("a part that fails to close keeps none from closing", async () => {
  const closed: string[] = [];
  const lines: string[] = [];
  const log = createLog({ service: "x", level: "info" }, { write: (line) => lines.push(line) });
  const closers = new Closers();
  expect(closers.add("one", 1, () => void closed.push("one"))).toBe(1);
  closers.add("two", 2, () => Promise.reject(new Error("late")));
  closers.add("three", 3, () => {
    throw new Error("at once");
  });
  closers.add("four", 4, (part) => void closed.push(`four ${part}`));
  await closers.closeAll(log);
  expect(closed).toStrictEqual(["four 4", "one"]);
  expect(lines.map((line) => JSON.parse(line).part)).toStrictEqual(["three", "two"]);
  // Closed once and for all.
  await closers.closeAll(log);
  expect(closed).toHaveLength(2);
});

test("workers are told to stop together, then calls end, and what they use closes after all of them", async () => {
  const steps: string[] = [];
  const lines: string[] = [];
  const log = createLog({ service: "x", level: "info" }, { write: (line) => lines.push(line) });
  const closers = new Closers();
  const callsEnd = once(closers.stopping, "abort").then(() => steps.push("calls end"));
  // It ends when its call does.
  const worker = (name: string) => ({
    stop: async () => {
      steps.push(`told ${name}`);
      await callsEnd;
      steps.push(`ended ${name}`);
      if (name === "three") throw new Error("late");
    },
  });
  closers.add("database", 1, () => void steps.push("closed database"));
  closers.addWorker("one", worker("one"));
  closers.addWorker("two", worker("two"));
  closers.add("bucket", 1, () => void steps.push("closed bucket"));
  closers.addWorker("three", worker("three"));
  closers.add("server", 1, () => void steps.push("closed server"));
  await closers.closeAll(log);
  expect(steps).toStrictEqual([
    "closed server",
    "told one",
    "told two",
    "told three",
    "calls end",
    "ended one",
    "ended two",
    "ended three",
    "closed bucket",
    "closed database",
  ]);
  expect(lines.map((line) => JSON.parse(line).part)).toStrictEqual(["three"]);
});
