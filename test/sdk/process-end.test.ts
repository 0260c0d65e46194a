// Guarantee: a process whose main has ended exits, though the service does not answer, and what it has
// buffered is sent before, or dropped by name. Who waits for flush() keeps the process. The programs are
// processes of their own, since this is about their end.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { failure, json, scriptedServer } from "./scripted-server.ts";

/** Runs a program with the SDK, in which an hour passes for the batch to be sent by time. */
async function run(baseUrl: string, program: string): Promise<string> {
  const text = `
    const { Annals } = await import("@annals/sdk");
    let onRetry = () => {};
    const tracking = {
      maxWaitMs: 3_600_000, onStall: () => {}, onRetry: () => onRetry(),
      onDrop: ({ reason, events }) => console.log(reason, events.length),
    };
    const annals = new Annals({ baseUrl: "${baseUrl}", apiKey: "k", tracking });
    ${program}`;
  const options = ["-C", "source", "--input-type=module", "--eval", text];
  const { stdout } = await promisify(execFile)(process.execPath, options, {
    cwd: import.meta.dirname,
  });
  return stdout.trim();
}

test("what waits for others is sent when the process has nothing else to do", async () => {
  const { baseUrl, received } = await scriptedServer((_, response) => json(response, 201, {}));
  await run(baseUrl, 'annals.track({ action: "a" }); annals.track({ action: "b" });');
  expect(received).toHaveLength(1);
});

test("a service that refuses for an hour does not keep the process, and the events are named", async () => {
  const { baseUrl, received } = await scriptedServer((_, response) =>
    failure(response, 429, "rate_limit_exceeded", { "retry-after": "3600" }),
  );
  // The ten seconds of close() are over after the first attempt.
  const program = `const { setTimeout } = globalThis;
    globalThis.setTimeout = (end, ms) => {
      if (ms === 10_000) onRetry = end;
      return setTimeout(end, ms);
    };
    process.once("beforeExit", () => console.log("main has ended"));
    annals.track({ action: "a" });`;
  expect(await run(baseUrl, program)).toBe("main has ended\nclosed 1");
  expect(received).toHaveLength(1);
});

test("a client that has stored everything leaves no listener, and thousands share one", async () => {
  const { baseUrl } = await scriptedServer((_, response) => json(response, 201, {}));
  const program = `const clients = [1, 2, 3].map(() => new Annals({ baseUrl: "${baseUrl}", apiKey: "k" }));
    const listeners = () => process.listenerCount("beforeExit");
    const before = listeners();
    for (const client of clients) client.track({ action: "a" });
    const during = listeners();
    await Promise.all(clients.map((client) => client.flush()));
    console.log(before, during, listeners());`;
  expect(await run(baseUrl, program)).toBe("0 1 0");
});

test("a program that waits for flush() goes on until everything is stored", async () => {
  const { baseUrl } = await scriptedServer((_, response, count) =>
    count < 3 ? failure(response, 500, "server_error") : json(response, 201, {}),
  );
  const program = 'annals.track({ action: "a" }); await annals.flush(); console.log("flushed");';
  expect(await run(baseUrl, program)).toBe("flushed");
});
