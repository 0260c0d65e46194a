// Guarantees: a process opens only with files that work, and says which setting is wrong. New files are used
// without a restart on both ends, and a broken file replaces nothing. A server admits a client of its
// authority only, and a client accepts no service but the one it wants.

import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls, type PeerCertificate } from "node:tls";
import {
  CertificateAuthority,
  certificateFiles,
  ensureServiceCertificates,
} from "@annals/certificates";
import { Closers, createRegistry } from "@annals/chassis";
import { type IdentifiedService, identityOf } from "@annals/contract";
import { pino } from "pino";
import { afterEach, describe, expect, it, onTestFinished, test, vi } from "vitest";
import { Certificates, openTls } from "./certificates.ts";
import { collectingLog, echo, Opened } from "./testing/test-ledger.ts";
import { connectBare, GATEWAY_TLS, openCertificates } from "./testing/test-tls.ts";

const RELOAD_MS = 20;

const opened = new Opened();
afterEach(() => opened.closeAll());

/** A folder with certificates of its own, which the test may change. */
async function newDirectory(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), "annals-rpc-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  await ensureServiceCertificates(directory);
  return directory;
}

async function open(
  service: IdentifiedService,
  directory: string,
  log = pino({ level: "silent" }),
) {
  const certificates = await openCertificates(service, {
    directory,
    log,
    reloadIntervalMs: RELOAD_MS,
  });
  onTestFinished(() => certificates.close());
  return certificates;
}

/** A new authority and new certificates, in the place of the old ones. */
async function replaceAll(directory: string): Promise<void> {
  rmSync(join(directory, "ca.pem"));
  await ensureServiceCertificates(directory);
}

/** The serial number of the certificate that the server presents. */
async function presented(port: number): Promise<string> {
  const { cert, key } = GATEWAY_TLS.serverOptions;
  const socket = connectTls({ port, host: "127.0.0.1", cert, key, rejectUnauthorized: false });
  socket.on("error", () => {});
  await once(socket, "secureConnect");
  const { serialNumber }: PeerCertificate = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}

describe("at the start", () => {
  const around = (service: IdentifiedService = "gateway") => ({
    service,
    log: pino({ level: "silent" }),
    registry: createRegistry("test"),
    closers: new Closers(),
  });
  const config = (directory: string, service: IdentifiedService = "gateway") => {
    const { ca, cert, key } = certificateFiles(directory, service);
    return { tlsCaFile: ca, tlsCertFile: cert, tlsKeyFile: key, plaintext: false };
  };
  const nothing = {
    tlsCaFile: undefined,
    tlsCertFile: undefined,
    tlsKeyFile: undefined,
    plaintext: false,
  };

  test("neither certificates nor plaintext is refused, and both are", async () => {
    await expect(openTls(nothing, around())).rejects.toThrow(
      "ANNALS_TLS_CA_FILE, ANNALS_TLS_CERT_FILE, ANNALS_TLS_KEY_FILE are required",
    );
    const both = { ...config(await newDirectory()), plaintext: true };
    await expect(openTls(both, around())).rejects.toThrow("mutually exclusive");
    expect(await openTls({ ...nothing, plaintext: true }, around())).toBe("plaintext");
  });

  test("when they expire is a metric", async () => {
    const deps = around();
    await openTls(config(await newDirectory()), deps);
    const name = "annals_tls_certificate_expiry_timestamp_seconds";
    const { values = [] } = (await deps.registry.getSingleMetric(name)?.get()) ?? {};
    await deps.closers.closeAll(deps.log);
    const inDays = values.map(({ labels, value }) => [
      labels["certificate"],
      Math.round((value - Date.now() / 1_000) / 86_400),
    ]);
    expect(inDays).toStrictEqual([
      ["service", 90],
      ["authority", 3_650],
    ]);
  });

  test.each([
    ["tlsCaFile", "ANNALS_TLS_CA_FILE"],
    ["tlsCertFile", "ANNALS_TLS_CERT_FILE"],
    ["tlsKeyFile", "ANNALS_TLS_KEY_FILE"],
  ] as const)("a %s that is absent or damaged is named", async (member, setting) => {
    const files = config(await newDirectory());
    rmSync(files[member]);
    await expect(openTls(files, around())).rejects.toThrow(`${setting} ${files[member]}: ENOENT`);
    writeFileSync(files[member], "damaged");
    await expect(openTls(files, around())).rejects.toThrow(`${setting} ${files[member]}: `);
  });

  test("the certificate of another service, an expired one, and another key are refused", async () => {
    const directory = await newDirectory();
    const files = config(directory);
    const another = config(directory, "keys");
    await expect(openTls(another, around())).rejects.toThrow("not the certificate of gateway");
    const swapped = { ...files, tlsKeyFile: another.tlsKeyFile };
    await expect(openTls(swapped, around())).rejects.toThrow("ANNALS_TLS_KEY_FILE");
    const authority = await CertificateAuthority.create();
    const expired = await authority.issue([identityOf("gateway")], { until: new Date(1) });
    writeFileSync(files.tlsCertFile, expired.cert);
    await expect(openTls(files, around())).rejects.toThrow("has expired on Jan  1 00:00:00 1970");
  });
});

describe("deploy/make-certificates.sh", () => {
  const script = join(import.meta.dirname, "../../../deploy/make-certificates.sh");
  const openFrom = (folder: string, service: IdentifiedService) =>
    Certificates.open({
      files: {
        tlsCaFile: join(folder, service, "ca.crt"),
        tlsCertFile: join(folder, service, "tls.crt"),
        tlsKeyFile: join(folder, service, "tls.key"),
      },
      service,
      log: pino({ level: "silent" }),
    });

  it("makes what services accept of each other, and renews it under the same authority", async () => {
    const folder = mkdtempSync(join(tmpdir(), "annals-rpc-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const { status } = spawnSync(script, [folder]);
    // Of a shell that does not find a command: OpenSSL is no part of the project.
    if (status === 127) return;
    const server = await opened.server(echo, { tls: await openFrom(folder, "ledger") });
    for (let renewed = 0; renewed < 2; renewed += 1) {
      const { client } = opened.client(server.address, { tls: await openFrom(folder, "gateway") });
      expect((await client.getEvent({ id: "evt_1" })).event?.id).toBe("evt_1");
      expect(spawnSync(script, [folder]).status).toBe(0);
    }
  });
});

describe("new files", () => {
  it("are used by server and client for new connections, with one process on either end", async () => {
    const directory = await newDirectory();
    const atServer = await open("ledger", directory);
    const atClient = await open("gateway", directory);
    const server = await opened.server(echo, { tls: atServer, maxConnectionAgeMs: 50 });
    const { client } = opened.client(server.address, { tls: atClient });
    const before = await presented(server.port);
    expect((await client.getEvent({ id: "evt_1" })).event?.id).toBe("evt_1");
    await replaceAll(directory);
    await vi.waitFor(async () => expect(await presented(server.port)).not.toBe(before));
    // A client that had kept the old files would trust no server, and no server would trust it.
    await vi.waitFor(async () => {
      const { session } = await newSession(server.address, atClient);
      session.destroy();
      expect((await client.getEvent({ id: "evt_2" })).event?.id).toBe("evt_2");
    });
  });

  it("may have the old authority beside the new one, so that a replacement fails no call", async () => {
    const [before, after, directory] = [
      await newDirectory(),
      await newDirectory(),
      await newDirectory(),
    ];
    for (const file of readdirSync(before)) copyFileSync(join(before, file), join(directory, file));
    const { log, lines } = collectingLog();
    const tls = await open("gateway", directory, log);
    const server = await opened.server(echo, { tls: await open("ledger", directory, log) });
    const read = (folder: string) => readFileSync(join(folder, "ca.pem"), "utf8");
    const write = (service: IdentifiedService) => {
      for (const part of ["cert", "key"] as const)
        copyFileSync(
          certificateFiles(after, service)[part],
          certificateFiles(directory, service)[part],
        );
    };
    const steps = [
      () => writeFileSync(join(directory, "ca.pem"), read(before) + read(after)),
      () => (write("gateway"), write("ledger")),
      () => writeFileSync(join(directory, "ca.pem"), read(after)),
    ];
    let reloads = 0;
    for (const step of steps) {
      step();
      reloads += 2;
      await vi.waitFor(() => expect(lines).toHaveLength(reloads));
      const { client } = opened.client(server.address, { tls });
      expect((await client.getEvent({ id: "evt_1" })).event?.id).toBe("evt_1");
    }
    expect(new Set(lines.map(({ msg }) => msg))).toStrictEqual(
      new Set(["new certificates are in use"]),
    );
  });

  it("that are broken replace nothing, and are reported once", async () => {
    const directory = await newDirectory();
    const { log, lines } = collectingLog();
    const atServer = await open("ledger", directory, log);
    const server = await opened.server(echo, { tls: atServer });
    const before = await presented(server.port);
    const { cert } = certificateFiles(directory, "ledger");
    copyFileSync(cert, `${cert}.kept`);
    writeFileSync(cert, "damaged");
    await vi.waitFor(() => expect(lines).toHaveLength(1));
    expect(lines[0]).toMatchObject({
      level: 50,
      msg: "failed to load new certificates: keeping the current ones",
      reason: expect.stringContaining("ANNALS_TLS_CERT_FILE"),
    });
    expect(await presented(server.port)).toBe(before);
    copyFileSync(`${cert}.kept`, cert);
    await replaceAll(directory);
    await vi.waitFor(async () => expect(await presented(server.port)).not.toBe(before));
    // Files that are replaced one after the other may be read in between: that has another reason.
    expect(lines.filter(({ reason }) => reason === lines[0]?.reason)).toHaveLength(1);
  });
});

/** Resolves when the server has admitted the connection. */
async function newSession(address: string, tls: typeof GATEWAY_TLS) {
  const { ca, cert, key } = tls.serverOptions;
  const session = connectBare(address, { ca, cert, key });
  session.on("error", () => {});
  await once(session, "remoteSettings");
  return { session };
}
