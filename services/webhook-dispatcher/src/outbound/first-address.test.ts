// Guarantee: whatever the first address of a name does, each transport reaches the receiver: one that refuses
// or is silent is passed over, and one that is slow is waited for. The process that sends goes on. The S3
// storage of exports: services/export/src/storage/s3-addresses.test.ts.

import { SINK_TYPE_NAMES } from "@annals/interface";
import { BusyHost, eventually } from "@annals/testing";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer as createHttp } from "node:http";
import { createServer as createHttps } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { createInterface } from "node:readline";
import { createServer as createTls } from "node:tls";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { newDnsServer } from "../testing/dns-server.ts";
import type { FirstAddressLine, FirstAddressOptions } from "../testing/first-address-process.ts";
import { authority } from "../testing/receivers.ts";

const PROGRAM = fileURLToPath(new URL("../testing/first-address-process.ts", import.meta.url));

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

/** How each transport says that its receiver has taken what was sent. */
const TAKEN = {
  webhook: "success",
  ...Object.fromEntries(SINK_TYPE_NAMES.map((type) => [`sink ${type}`, "accepted"])),
  witness: "cosigned",
  "witness without TLS": "cosigned",
  "time stamp": "stamped",
  "time stamp without TLS": "stamped",
  bucket: "{}",
  "bucket without TLS": "{}",
};

async function listen(server: Server): Promise<number> {
  server.listen(0, WORKING);
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** One server for each way to speak: HTTPS, HTTP, and syslog over TLS. */
async function newServers() {
  const certificate = await authority.issue(NAMES);
  const answer = createHttps(certificate, (request, response) => {
    // Event Hubs says by this status alone that it has stored a batch.
    if (request.url?.startsWith("/audit/messages")) response.statusCode = 201;
    request.resume();
    request.on("end", () => response.setHeader("content-type", "application/json").end("{}"));
  });
  const plain = createHttp(
    (request, response) => void request.resume().on("end", () => response.end("{}")),
  );
  const syslog = createTls(certificate, (socket) => void socket.on("error", () => {}).resume());
  return { https: await listen(answer), http: await listen(plain), syslog: await listen(syslog) };
}

async function newBusyHost(host: string, ports: Readonly<Record<string, number>>) {
  const busy = await BusyHost.start({ host, ports: Object.values(ports), forwardTo: WORKING });
  onTestFinished(() => busy.close());
  return busy;
}

function startSending(options: FirstAddressOptions) {
  const child = spawn(process.execPath, ["-C", "source", PROGRAM, JSON.stringify(options)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines: FirstAddressLine[] = [];
  createInterface(child.stdout).on("line", (line) => lines.push(JSON.parse(line)));
  return { lines, ended: once(child, "close") };
}

test("each transport reaches a name whose first address refuses, is silent, or is slow to accept", async () => {
  const { servers } = await newDnsServer((name) => ({ addresses: ADDRESSES[name] ?? [] }));
  const ports = await newServers();
  await newBusyHost(SILENT, ports);
  const slow = await newBusyHost(SLOW, ports);
  const { ended, lines } = startSending({
    authority: authority.cert,
    servers,
    names: NAMES,
    ...ports,
  });
  const isSlowOne = (line: FirstAddressLine) =>
    "connects" in line && line.connects === "is-slow.example";
  const isEnded = { now: false };
  void ended.then(() => (isEnded.now = true));
  await eventually(
    "all transports try the slow address",
    () => isEnded.now || lines.filter(isSlowOne).length >= Object.keys(TAKEN).length,
  );
  slow.release();
  const [code, signal] = await ended;
  const results = lines.filter((line) => "result" in line);
  const got = Object.fromEntries(
    NAMES.map((name) => [
      name,
      Object.fromEntries(
        results.filter((line) => line.name === name).map((line) => [line.transport, line.result]),
      ),
    ]),
  );
  expect({ code, signal, got }).toEqual({
    code: 0,
    signal: null,
    got: Object.fromEntries(NAMES.map((name) => [name, TAKEN])),
  });
});
