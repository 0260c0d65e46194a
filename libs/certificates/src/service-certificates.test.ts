// Guarantee: every service has a current certificate of one authority, readable by its owner only. What is
// there and current stays; what is damaged, foreign or about to expire is made again.

import { X509Certificate } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { IDENTIFIED_SERVICES, identityOf } from "@annals/contract";
import { expect, onTestFinished, test } from "vitest";
import { CertificateAuthority } from "./authority.ts";
import { certificateFiles, ensureServiceCertificates } from "./service-certificates.ts";

const DAY_MS = 86_400_000;
const ALL = ["authority", ...IDENTIFIED_SERVICES];

async function newDirectory(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), "annals-certificates-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  expect(await ensureServiceCertificates(directory)).toStrictEqual(ALL);
  return directory;
}

test("each certificate names its service alone, and the authority of the directory signed it", async () => {
  const directory = await newDirectory();
  for (const service of IDENTIFIED_SERVICES) {
    const files = certificateFiles(directory, service);
    const [ca, cert] = [files.ca, files.cert].map(
      (file) => new X509Certificate(readFileSync(file)),
    );
    expect(cert?.subjectAltName).toBe(`DNS:${identityOf(service)}`);
    expect(cert?.checkIssued(ca!)).toBe(true);
    expect(cert?.verify(ca!.publicKey)).toBe(true);
  }
});

test("only the owner may read the folder and the files", async () => {
  const directory = await newDirectory();
  const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
  expect(mode(directory)).toBe("700");
  const files = readdirSync(directory);
  expect(files).toHaveLength(2 * ALL.length);
  for (const file of files) expect(mode(join(directory, file)), file).toBe("600");
});

test("what is current stays, and is renewed thirty days before it expires", async () => {
  const directory = await newDirectory();
  expect(await ensureServiceCertificates(directory)).toStrictEqual([]);
  expect(await ensureServiceCertificates(directory, Date.now() + 59 * DAY_MS)).toStrictEqual([]);
  const renewed = await ensureServiceCertificates(directory, Date.now() + 61 * DAY_MS);
  expect(renewed).toStrictEqual([...IDENTIFIED_SERVICES]);
});

test("what is damaged, or of another authority, is made again", async () => {
  const directory = await newDirectory();
  const [gateway, keys, ledger] = (["gateway", "keys", "ledger"] as const).map((service) =>
    certificateFiles(directory, service),
  );
  writeFileSync(gateway!.cert, "damaged");
  rmSync(keys!.key);
  const foreign = await (await CertificateAuthority.create()).issue([identityOf("ledger")]);
  writeFileSync(ledger!.cert, foreign.cert);
  writeFileSync(ledger!.key, foreign.key);
  const made = await ensureServiceCertificates(directory);
  expect(made).toStrictEqual(["gateway", "keys", "ledger"]);
  rmSync(join(directory, "ca-key.pem"));
  expect(await ensureServiceCertificates(directory)).toStrictEqual(ALL);
});
