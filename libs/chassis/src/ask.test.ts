// Guarantees of a request to a server that the operator has named: no redirect is followed, and no answer
// takes more than its bytes and its time. first-address.test.ts of the dispatcher, and
// witness-addresses.test.ts of the ledger, have names with several addresses.

import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { ask, type Asked, reasonOf } from "./ask.ts";

const HOST = "127.0.0.1";

async function serve(answer: RequestListener): Promise<number> {
  const server = createServer(answer).listen(0, HOST);
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** What a request to the one address gets, or why it gets nothing. */
async function askAt(port: number, more: Partial<Asked> = {}): Promise<string> {
  const url = new URL(`http://${HOST}:${port}/`);
  try {
    const { body, status } = await ask({ url, extraAuthorities: undefined, ...more });
    return `${status} ${body.toString()}`;
  } catch (error) {
    return reasonOf(error);
  }
}

test("a redirect is an answer like any other", async () => {
  let followed = 0;
  const port = await serve(({ url }, response) => {
    if (url === "/there") followed += 1;
    response.writeHead(302, { location: "/there" }).end();
  });
  expect([await askAt(port), followed]).toEqual(["302 ", 0]);
});

test("an answer has at most so many bytes, and does not take longer than it may", async () => {
  const port = await serve((_, response) => response.end("12345"));
  expect(await askAt(port, { maxBytes: 5 })).toBe("200 12345");
  expect(await askAt(port, { maxBytes: 4 })).toBe("the answer has more than 4 bytes");
  const slow = await serve((_, response) => void response.write("1"));
  expect(await askAt(slow, { timeoutMs: 50 })).toContain("timeout");
  const silent = await serve(() => {});
  expect(await askAt(silent, { timeoutMs: 50 })).toContain("timeout");
});
