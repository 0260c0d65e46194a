// Guarantee: annals-verify reads a server whatever the first address of its name does: one that refuses or is
// silent is passed over, and one that is slow is waited for. The real process is run, with a resolver of its
// own.

import { BusyHost, CertificateAuthority, commandArguments } from "@annals/testing";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { createServer as createHttp, type RequestListener } from "node:http";
import { createServer as createHttps } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { vectorBytes } from "./made-bundle.ts";

const WORKING = "127.0.0.3";
const REFUSING = "127.0.0.2";
const SILENT = "127.0.0.4";
const SLOW = "127.0.0.5";
const ADDRESSES = {
  "refuses.example": [REFUSING, WORKING],
  "is-silent.example": [SILENT, WORKING],
  "is-slow.example": [SLOW, REFUSING],
};
const NAMES = Object.keys(ADDRESSES);
const COMMAND = commandArguments("annals-verify");

/** Replaces the resolver, and tells the test when the first address has been tried. */
const RESOLVER = `
  import dns from "node:dns";
  const addresses = ${JSON.stringify(ADDRESSES)};
  dns.lookup = (name, options, callback) => {
    callback(null, addresses[name].map((address) => ({ address, family: 4 })));
    setImmediate(() => process.send("tried"));
  };
`;

async function listen(server: Server): Promise<number> {
  server.listen(0, WORKING);
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

async function newBusyHost(host: string, ports: readonly number[]): Promise<BusyHost> {
  const busy = await BusyHost.start({ host, ports, forwardTo: WORKING });
  onTestFinished(() => busy.close());
  return busy;
}

test("a name whose first address refuses, is silent, or is slow to accept", async () => {
  const authority = await CertificateAuthority.create();
  const answer: RequestListener = (_request, response) => void response.end("{}");
  const http = await listen(createHttp(answer));
  const https = await listen(createHttps(await authority.issue(NAMES), answer));
  await newBusyHost(SILENT, [http, https]);
  const slow = await newBusyHost(SLOW, [http, https]);
  using folder = mkdtempDisposableSync(join(tmpdir(), "annals-first-address-"));
  const [policy, ca] = [join(folder.path, "policy"), join(folder.path, "ca")];
  writeFileSync(policy, vectorBytes("policy.txt"));
  writeFileSync(ca, authority.cert);
  const urls = NAMES.flatMap((name) => [`http://${name}:${http}/`, `https://${name}:${https}/`]);
  const tried = Promise.withResolvers<void>();
  const trying = new Set<string>();
  const runs = urls.map(async (url) => {
    const words = [
      "watch",
      "--url",
      url,
      "--policy",
      policy,
      "--state",
      join(folder.path, "state"),
    ];
    const preload = `data:text/javascript,${encodeURIComponent(RESOLVER)}`;
    const child = spawn(process.execPath, ["--import", preload, ...COMMAND, ...words], {
      env: { ...process.env, ANNALS_API_KEY: "key", NODE_EXTRA_CA_CERTS: ca },
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    child.on("message", () => {
      trying.add(url);
      if (trying.size === urls.length) tried.resolve();
    });
    return child.stderr && (await text(child.stderr));
  });
  await Promise.race([tried.promise, Promise.all(runs)]);
  slow.release();
  // What the server answers is no log.
  expect(await Promise.all(runs)).toEqual(
    urls.map(
      (url) =>
        `not checked: GET ${url}v1/log: the response cannot be read: the data is not an object\n`,
    ),
  );
});
