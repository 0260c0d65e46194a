// Guarantee: the errors of requests whose connection has closed have no stack trace, and all others have
// theirs.

import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { abortWithoutStackTraces } from "./aborted-requests.ts";

const PIPELINE = 8;
const REQUEST = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

/** Lines of the traces of what happens when a connection with unanswered requests is closed. */
async function tracesOf({ isCheap }: { isCheap: boolean }): Promise<number[]> {
  const server = createServer();
  onTestFinished(() => void server.close());
  if (isCheap) abortWithoutStackTraces(server);
  const requests: IncomingMessage[] = [];
  const arrived = Promise.withResolvers<void>();
  const errors: Promise<Error>[] = [];
  server.on("request", (request) => {
    errors.push(once(request, "error").then(([error]) => error as Error));
    if (requests.push(request) === PIPELINE) arrived.resolve();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.write(REQUEST.repeat(PIPELINE));
  await arrived.promise;
  const closed = once(requests[0]!.socket, "close");
  client.destroy();
  const aborted = await Promise.all(errors);
  await closed;
  return aborted.map(linesOf);
}

const linesOf = ({ stack = "" }: Error) => stack.split("\n").length;

test("what is aborted has no trace, and what fails afterwards has one", async () => {
  expect(await tracesOf({ isCheap: true })).toStrictEqual(
    Array.from({ length: PIPELINE }, () => 1),
  );
  expect(linesOf(new Error("of another kind"))).toBeGreaterThan(1);
});

test("the control: Node.js makes a trace for each", async () => {
  for (const lines of await tracesOf({ isCheap: false })) expect(lines).toBeGreaterThan(1);
});
