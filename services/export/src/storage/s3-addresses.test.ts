// Guarantee: the storage of exports is reached by a name of which the first address refuses, is silent, or is
// slow to accept, over TLS and without. first-address.test.ts of the dispatcher has the other transports.

import { BusyHost, CertificateAuthority } from "@annals/testing";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createServer as createHttps } from "node:https";
import type { AddressInfo, LookupFunction, Server } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { s3Storage } from "./s3-storage.ts";

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

async function listen(server: Server): Promise<number> {
  server.listen(0, WORKING);
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** Servers with an empty bucket of any name. */
async function newServers() {
  const authority = await CertificateAuthority.create();
  const trusted = getCACertificates("default");
  setDefaultCACertificates([...trusted, authority.cert]);
  onTestFinished(() => setDefaultCACertificates(trusted));
  const answer: RequestListener = (request, response) =>
    void request.resume().on("end", () => response.end());
  const certificate = await authority.issue(NAMES);
  return [
    `https:${await listen(createHttps(certificate, answer))}`,
    `http:${await listen(createServer(answer))}`,
  ].map((each) => each.split(":") as [string, string]);
}

async function newBusyHost(host: string, ports: readonly number[]): Promise<BusyHost> {
  const busy = await BusyHost.start({ host, ports, forwardTo: WORKING });
  onTestFinished(() => busy.close());
  return busy;
}

/** Resolves to undefined if the bucket is reached. `onConnect` is called when the first address was tried. */
async function check(endpoint: string, onConnect: () => void): Promise<string | undefined> {
  const lookup: LookupFunction = (name, _options, callback) => {
    const addresses = ADDRESSES[name] ?? [];
    callback(
      null,
      addresses.map((address) => ({ address, family: 4 })),
    );
    setImmediate(onConnect);
  };
  const credentials = { accessKeyId: "a", secretAccessKey: "b" };
  const bucket = { bucket: "exports", prefix: "", region: "us-east-1" };
  const storage = s3Storage({ ...bucket, credentials, endpoint, lookup });
  onTestFinished(() => storage.close());
  return storage.check();
}

test("storage is reached by a name whose first address refuses, is silent, or is slow to accept", async () => {
  const servers = await newServers();
  const ports = servers.map(([, port]) => Number(port));
  await newBusyHost(SILENT, ports);
  const slow = await newBusyHost(SLOW, ports);
  let tried = 0;
  const endpoints = servers.flatMap(([scheme, port]) =>
    NAMES.map((name) => `${scheme}://${name}:${port}`),
  );
  const onConnect = (): void => {
    tried += 1;
    if (tried === endpoints.length) slow.release();
  };
  const faults = await Promise.all(endpoints.map((endpoint) => check(endpoint, onConnect)));
  expect(Object.fromEntries(endpoints.map((endpoint, at) => [endpoint, faults[at]]))).toEqual(
    Object.fromEntries(endpoints.map((endpoint) => [endpoint, undefined])),
  );
  // At once: the storage's client would try again.
  expect(tried).toBe(endpoints.length);
});
