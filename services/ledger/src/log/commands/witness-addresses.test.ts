// Guarantee: a witness is read by `log status` also if the first address of its name refuses, is silent, or
// is slow to accept. first-address.test.ts of the dispatcher has the transports that send.

import { noteSigner, noteText, parsePolicy } from "@annals/tlog";
import { BusyHost } from "@annals/testing";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, LookupFunction } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { newWitness } from "../../testing/witnesses.ts";
import { readViews } from "./witness-views.ts";

const ORIGIN = "log.example";
const WORKING = "127.0.0.3";
const REFUSING = "127.0.0.2";
const SILENT = "127.0.0.4";
const SLOW = "127.0.0.5";
const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  "refuses.example": [REFUSING, WORKING],
  "is-silent.example": [SILENT, WORKING],
  "is-slow.example": [SLOW, REFUSING],
};
const NAMES = Object.keys(ADDRESSES);

/** One address may take a quarter of it: longer than a packet of TCP that is sent again, after 1 s. */
const TIMEOUT_MS = 16_000;

test("a name whose first address refuses, is silent, or is slow to accept", async () => {
  const [witness, signer] = [newWitness("one", 1), noteSigner(ORIGIN, Buffer.alloc(32, 2))];
  const text = `${ORIGIN}\n3\n${Buffer.alloc(32, 8).toString("base64")}\n`;
  const note = noteText({ text, signatures: [signer.sign(text)] });
  const server = createServer((_, response) => response.end(note + witness.sign(note)));
  server.listen(0, WORKING);
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const busy = (host: string) => BusyHost.start({ host, ports: [port], forwardTo: WORKING });
  const [silent, slow] = [await busy(SILENT), await busy(SLOW)];
  for (const host of [silent, slow]) onTestFinished(() => host.close());

  let tried = 0;
  const lookup: LookupFunction = (name, _options, callback) => {
    const addresses = ADDRESSES[name] ?? [];
    callback(
      null,
      addresses.map((address) => ({ address, family: 4 })),
    );
    tried += 1;
    // Each has tried its first address by then.
    if (tried === NAMES.length) setImmediate(() => slow.release());
  };
  const bounds = { bytes: 64 * 1024, timeoutMs: TIMEOUT_MS, lookup };
  const log = { origin: ORIGIN, keys: [signer.key], has: async () => false };
  const views = NAMES.map((name) => {
    const policy = `witness w ${witness.vkey} http://${name}:${port}/\nquorum none\n`;
    return readViews(parsePolicy(Buffer.from(policy)), log, bounds);
  });
  for (const [view] of await Promise.all(views))
    expect([view?.problem, view?.seen?.size]).toEqual([undefined, 3]);
});
