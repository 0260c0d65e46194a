// Guarantee: with `sslmode=verify-full` a service connects to a PostgreSQL server of its authority with the
// name of the URL, over TLS, and to no other, also to cancel a statement. What is wrong is said by readiness,
// by migrate and at the start.

import { CertificateAuthority } from "@annals/certificates";
import { startStack, type Stack } from "@annals/local";
import { eventually, ownerOf } from "@annals/testing";
import { chmodSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrate, schemaCheck } from "./migrate.ts";
import { statement } from "./statement.ts";
import { openPool, startProxy } from "./testing/test-server.ts";

const folder = mkdtempSync(join(tmpdir(), "annals-postgres-tls-"));
const file = (name: string) => join(folder, name);
const MIGRATIONS = { schema: "absent", directory: folder };

const isEncrypted = statement<[], { ssl: boolean; version: string }>(
  "/* test.is-encrypted */ SELECT ssl, version FROM pg_stat_ssl WHERE pid = pg_backend_pid()",
  { route: "local" },
);

const sleep = statement<[seconds: number], object>(
  "/* test.sleep */ SELECT pg_sleep($1::double precision)",
  { route: "local" },
);

let stack: Stack;

beforeAll(async () => {
  const authority = await CertificateAuthority.create();
  writeFileSync(file("ca.pem"), authority.cert);
  writeFileSync(file("other.pem"), (await CertificateAuthority.create()).cert);
  const dataDir = file("stack");
  const { PATH } = process.env;
  stack = await startStack({
    dataDir,
    root: folder,
    environment: { PATH },
    without: ["nats"],
    isDisposable: true,
  });
  const owner = ownerOf(stack.databaseUrl);
  const [{ data_directory: data } = { data_directory: "" }] = await owner.query<{
    data_directory: string;
  }>("SHOW data_directory");
  const { uid, gid } = statSync(data);
  for (const [name, text] of Object.entries(await authority.issue(["localhost"]))) {
    const path = join(data, `server.${name}`);
    writeFileSync(path, text);
    chownSync(path, uid, gid);
    chmodSync(path, 0o600);
  }
  await owner.query("ALTER SYSTEM SET ssl_cert_file = 'server.cert'");
  await owner.query("ALTER SYSTEM SET ssl_key_file = 'server.key'");
  await owner.query("ALTER SYSTEM SET ssl = on");
  await owner.query("SELECT pg_reload_conf()");
  await owner.close();
});
afterAll(async () => {
  await stack?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The URL of the server by a name of its host, with an authority. */
function urlOf(host: string, ca: string): string {
  const url = new URL(stack.databaseUrl);
  url.hostname = host;
  url.searchParams.set("sslmode", "verify-full");
  url.searchParams.set("sslrootcert", file(ca));
  return url.href;
}

test("the right server is connected to over TLS", async () => {
  const pool = openPool(urlOf("localhost", "ca.pem"));
  expect(await pool.run(isEncrypted, [])).toStrictEqual([{ ssl: true, version: "TLSv1.3" }]);
});

test("a statement is cancelled over TLS, and the request is encrypted", async () => {
  const proxy = await startProxy(stack.databaseUrl);
  const url = new URL(urlOf("localhost", "ca.pem"));
  url.port = new URL(proxy.url).port;
  const sent: Buffer[] = [];
  proxy.onRequest = (chunk) => (sent.push(chunk), "pass");
  const pool = openPool(url.href);
  await pool.run(isEncrypted, []);
  const connected = sent.length;
  const left = new AbortController();
  const running = pool.forAccount("a", left.signal).run(sleep, [30]);
  await eventually("it runs", () => sent.length > connected);
  left.abort();
  await expect(running).rejects.toBe(left.signal.reason);
  const codes = sent.slice(connected).map((chunk) => chunk.subarray(4, 8).toString("hex"));
  // The codes of an SSLRequest and a CancelRequest.
  expect(codes).toContain("04d2162f");
  expect(codes).not.toContain("04d2162e");
});

test.each([
  ["of another authority", "localhost", "other.pem", /self-signed certificate|unable to verify/],
  ["with another name", "127.0.0.1", "ca.pem", /IP: 127.0.0.1 is not in the cert's list/],
])("a server %s is refused, with the reason", async (_, host, ca, reason) => {
  const url = urlOf(host, ca);
  const pool = openPool(url);
  await expect(pool.run(isEncrypted, [])).rejects.toMatchObject({ kind: "unavailable" });
  await expect(schemaCheck(pool, MIGRATIONS)()).rejects.toThrow(reason);
  await expect(migrate({ connectionString: url, ...MIGRATIONS })).rejects.toThrow(reason);
});

test("an authority that cannot be read is named at the start, without the password", async () => {
  const url = urlOf("localhost", "absent.pem");
  const refusal = /^ANNALS_DATABASE_URL: ENOENT.*absent\.pem'$/;
  expect(() => openPool(url)).toThrow(refusal);
  await expect(migrate({ connectionString: url, ...MIGRATIONS })).rejects.toThrow(refusal);
});
