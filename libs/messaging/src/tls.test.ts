// Guarantee: over `tls://` a service connects to a NATS server of its authority with the name of the URL and
// the right password, and to no other; what is wrong is in the log. Without TLS nothing is sent to it.

import { CertificateAuthority } from "@annals/certificates";
import { createLog } from "@annals/chassis";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { connectMessaging } from "./connection.ts";
import { TestNats } from "./testing/nats.ts";

const folder = mkdtempSync(join(tmpdir(), "annals-nats-tls-"));
const file = (name: string) => join(folder, name);

let secure: TestNats;
let plain: TestNats;

beforeAll(async () => {
  const authority = await CertificateAuthority.create();
  const { cert, key } = await authority.issue(["localhost"]);
  const other = await CertificateAuthority.create();
  const texts = {
    "ca.pem": authority.cert,
    "other.pem": other.cert,
    "cert.pem": cert,
    "key.pem": key,
  };
  for (const [name, text] of Object.entries(texts)) writeFileSync(file(name), text);
  [secure, plain] = await Promise.all([TestNats.start(), TestNats.start()]);
  await secure.configure(`
    tls { cert_file: "${file("cert.pem")}", key_file: "${file("key.pem")}" }
    authorization { user: annals, password: "s3cret" }
  `);
});
afterAll(async () => {
  await secure?.remove();
  await plain?.remove();
  rmSync(folder, { recursive: true });
});

/** The first line that the connection logs at info or above. */
async function firstLine({
  server = secure,
  host = "localhost",
  login = "annals:s3cret",
  ca = "ca.pem",
}) {
  const lines: { msg: string; err?: { message: string } }[] = [];
  const log = createLog(
    { service: "test", level: "info" },
    { write: (line: string) => void lines.push(JSON.parse(line)) },
  );
  const url = `tls://${login}@${host}:${new URL(server.url).port}`;
  const messaging = await connectMessaging({ url, caFile: file(ca), name: "test", log });
  onTestFinished(() => messaging.close());
  await vi.waitFor(() => expect(lines).not.toHaveLength(0), { timeout: 5_000 });
  expect(JSON.stringify(lines)).not.toContain("s3cret");
  return lines.find(({ msg }) => !msg.startsWith("stream")) ?? expect.fail("no line");
}

test("the right server and login are connected to", async () => {
  expect((await firstLine({})).msg).toBe("connected to NATS");
});

test.each([
  ["another authority", { ca: "other.pem" }, /signed certificate|unable to verify|issuer/],
  ["another name", { host: "127.0.0.1" }, /IP: 127.0.0.1 is not in the cert's list/],
  ["a wrong password", { login: "annals:wr0ng" }, /Authorization Violation/i],
  ["an unknown user", { login: "nobody:s3cret" }, /Authorization Violation/i],
  ["an authority that cannot be read", { ca: "absent.pem" }, /absent.pem/],
] as const)("%s is refused, and the log says so", async (_, given, reason) => {
  const line = await firstLine(given);
  expect(line.msg).toBe("NATS is unreachable: webhooks are delayed");
  expect(line.err?.message).toMatch(reason);
});

test("a server without TLS is refused", async () => {
  const line = await firstLine({ server: plain });
  expect(line.msg).toBe("NATS is unreachable: webhooks are delayed");
  expect(line.err?.message).toBe("tls");
});
