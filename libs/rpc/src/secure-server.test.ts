// Guarantees: a client accepts no service but the one it wants, and no server of another authority. A server
// verifies each connection anew, in TLS 1.3, and no client that stalls keeps it from closing.

import { mkdtempSync, rmSync } from "node:fs";
import { once } from "node:events";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { ensureServiceCertificates } from "@annals/certificates";
import { afterEach, describe, expect, it, onTestFinished, test } from "vitest";
import { serviceOf } from "./peer.ts";
import { echo, Opened } from "./testing/test-ledger.ts";
import { GATEWAY_TLS, openCertificates } from "./testing/test-tls.ts";

const opened = new Opened();
afterEach(() => opened.closeAll());

describe("a client", () => {
  it("accepts no other service than the one it wants", async () => {
    const tls = await openCertificates("keys");
    onTestFinished(() => tls.close());
    const server = await opened.server(echo, { tls });
    const wanting = (peer: "keys" | "ledger") =>
      opened.client(server.address, { peer }).client.getEvent({ id: "x" });
    expect((await wanting("keys")).event?.id).toBe("x");
    await expect(wanting("ledger")).rejects.toMatchObject({
      kind: "unavailable",
      cause: { rawMessage: expect.stringContaining("not for ledger.annals.internal") },
    });
  });

  it("accepts no server of another authority", async () => {
    const directory = mkdtempSync(join(tmpdir(), "annals-rpc-"));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    await ensureServiceCertificates(directory);
    const foreign = await openCertificates("ledger", { directory });
    onTestFinished(() => foreign.close());
    const server = await opened.server(echo, { tls: foreign });
    await expect(opened.client(server.address).client.getEvent({})).rejects.toMatchObject({
      kind: "unavailable",
    });
  });
});

describe("a server", () => {
  it("speaks TLS 1.3 only, and issues no ticket with which a client could skip verification", async () => {
    const server = await opened.server(echo);
    const { ca, cert, key } = GATEWAY_TLS.serverOptions;
    const to = { port: server.port, host: "127.0.0.1", ca, cert, key, ALPNProtocols: ["h2"] };
    const options = { ...to, checkServerIdentity: () => undefined };
    const old = connectTls({ ...options, maxVersion: "TLSv1.2" });
    const [error] = (await once(old, "error")) as [NodeJS.ErrnoException];
    expect(error.code).toBe("ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION");
    const first = connectTls(options);
    onTestFinished(() => void first.destroy());
    let session: Buffer | undefined;
    first.on("session", (ticket: Buffer) => (session = ticket));
    await once(first, "secureConnect");
    expect(first.getCipher().name).toBe("TLS_AES_128_GCM_SHA256");
    // Its tickets come before its first data, the HTTP/2 settings.
    await once(first, "data");
    const again = connectTls({ ...options, ...(session && { session }) });
    onTestFinished(() => void again.destroy());
    await once(again, "secureConnect");
    expect(again.isSessionReused()).toBe(false);
  });

  it("closes though a client never finishes its handshake", async () => {
    const server = await opened.server(echo);
    const idle = connect(server.port, "127.0.0.1");
    onTestFinished(() => void idle.destroy());
    idle.on("error", () => {});
    await once(idle, "connect");
    await opened.client(server.address).client.getEvent({});
    const closed = once(idle.resume(), "close");
    await server.close({ graceMs: 0 });
    expect(await closed).toHaveLength(1);
  });
});

test("a certificate is of a service only by one plain name", () => {
  const of = (subjectaltname: string | undefined) => serviceOf({ subjectaltname });
  expect(of("DNS:gateway.annals.internal")).toBe("gateway");
  expect(of("DNS:annals-keys.default.svc, DNS:keys.annals.internal, IP Address:10.0.0.1")).toBe(
    "keys",
  );
  for (const none of [
    undefined,
    "",
    "DNS:gateway",
    "DNS:*.annals.internal",
    "DNS:gateway.annals.internal.example.com",
    "URI:spiffe://annals/DNS:gateway.annals.internal",
    "DNS:stranger.annals.internal",
    "DNS:gateway.annals.internal, DNS:keys.annals.internal",
    'URI:"x, DNS:gateway.annals.internal, y"',
  ]) {
    expect(of(none), none).toBe(undefined);
  }
});
