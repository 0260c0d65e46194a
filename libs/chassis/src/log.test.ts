// Guarantee: a log line is one JSON object with the service, the level's name and an ISO time, and
// a member named like a secret is never printed, in the line itself or in an object of it.

import { describe, expect, test } from "vitest";
import { createLog, type LogLevel } from "./log.ts";

function collecting(level: LogLevel = "info") {
  const lines: string[] = [];
  const log = createLog({ service: "keys", level }, { write: (line) => void lines.push(line) });
  return { log, lines };
}

test("a line is one JSON object that says who, how loud, when and what", () => {
  const { log, lines } = collecting();
  log.info({ port: 1 }, "ready\nand more");
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^[^\n]+\n$/);
  const line: Record<string, unknown> = JSON.parse(lines[0] ?? "");
  expect(line).toMatchObject({ service: "keys", level: "info", msg: "ready\nand more", port: 1 });
  expect(line["time"]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});

test("an error is logged with its message, its stack and its cause", () => {
  const { log, lines } = collecting();
  log.error({ err: new Error("outer", { cause: new Error("inner") }) }, "failed");
  expect(lines[0]).toMatch(/outer.*inner/);
  expect(JSON.parse(lines[0] ?? "").err.stack).toContain("log.test.ts");
});

test.each([
  ["error", 1],
  ["warn", 2],
  ["info", 3],
  ["debug", 4],
] as const)("at the level %s %d of four lines are written", (level, count) => {
  const { log, lines } = collecting(level);
  for (const each of ["debug", "info", "warn", "error"] as const) log[each]("x");
  expect(lines).toHaveLength(count);
});

describe.each([
  "authorization",
  "secret",
  "key",
  "password",
  "connectionString",
  "databaseUrl",
  "natsUrl",
])("%s", (name) => {
  test("is redacted at the top, in an object, in headers of a request and in a child", () => {
    const { log, lines } = collecting();
    log.info({ [name]: "hunter2" }, "x");
    log.info({ config: { [name]: "hunter2" } }, "x");
    log.info({ request: { headers: { [name]: "hunter2" } } }, "x");
    log.child({ [name]: "hunter2" }).info("x");
    expect(lines).toHaveLength(4);
    expect(lines.join("")).not.toContain("hunter2");
    expect(lines.join("").match(/\[redacted\]/g)).toHaveLength(4);
  });
});
