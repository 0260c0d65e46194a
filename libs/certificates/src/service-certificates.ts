// The certificates of the services of one machine, in a directory: an authority of its own, and a certificate
// and key for each service. Called by `npm start` and the tests' systems, at each start and once a day. Every
// file is readable by its owner only.

import { createPrivateKey, X509Certificate } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { IDENTIFIED_SERVICES, type IdentifiedService, identityOf } from "@annals/contract";
import { type Certificate, CertificateAuthority } from "./authority.ts";

const DAY_MS = 86_400_000;
/** A certificate with less time left is made again. */
const RENEW_BEFORE_MS = 30 * DAY_MS;

/** Files of one service. */
export interface CertificateFiles {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

export function certificateFiles(directory: string, service: IdentifiedService): CertificateFiles {
  return {
    ca: join(directory, "ca.pem"),
    cert: join(directory, `${service}.pem`),
    key: join(directory, `${service}-key.pem`),
  };
}

/**
 * The files of a directory, current for as long as they are kept so. Services read changed files by
 * themselves.
 */
export class ServiceCertificates {
  readonly #directory: string;
  readonly #log: (line: string) => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(directory: string, log: (line: string) => void) {
    this.#directory = directory;
    this.#log = log;
  }

  /** Resolves when every file is there. */
  async begin(): Promise<void> {
    await ensureServiceCertificates(this.#directory);
    this.#timer = setInterval(() => void this.#renew(), DAY_MS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #renew(): Promise<void> {
    try {
      for (const made of await ensureServiceCertificates(this.#directory)) {
        this.#log(`renewed the certificate of ${made}`);
      }
    } catch (error) {
      this.#log(`the certificates cannot be renewed: ${String(error)}`);
    }
  }
}

/** Makes what is absent, damaged, or about to expire. Resolves to what was made. */
export async function ensureServiceCertificates(
  directory: string,
  now: number = Date.now(),
): Promise<string[]> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  chmodSync(directory, 0o700);
  const caKey = join(directory, "ca-key.pem");
  const { ca } = certificateFiles(directory, "gateway");
  const kept = readPair(ca, caKey);
  const isKept = kept !== undefined && isCurrent(kept, now);
  const authority = isKept
    ? await CertificateAuthority.load(kept)
    : await CertificateAuthority.create();
  if (!isKept) writePair(ca, caKey, authority);
  const issuer = new X509Certificate(authority.cert);
  const isUsable = (pair: Certificate | undefined): boolean =>
    pair !== undefined &&
    isCurrent(pair, now) &&
    new X509Certificate(pair.cert).verify(issuer.publicKey);
  const missing = IDENTIFIED_SERVICES.filter((service) => {
    const { cert, key } = certificateFiles(directory, service);
    return !isUsable(readPair(cert, key));
  });
  for (const service of missing) {
    const { cert, key } = certificateFiles(directory, service);
    writePair(cert, key, await authority.issue([identityOf(service)]));
  }
  return isKept ? missing : ["authority", ...missing];
}

function isCurrent({ cert }: Certificate, now: number): boolean {
  return new X509Certificate(cert).validToDate.getTime() - now > RENEW_BEFORE_MS;
}

/** Undefined unless both are there and readable as PEM. */
function readPair(certFile: string, keyFile: string): Certificate | undefined {
  try {
    const pair = { cert: readFileSync(certFile, "utf8"), key: readFileSync(keyFile, "utf8") };
    return new X509Certificate(pair.cert).checkPrivateKey(createPrivateKey(pair.key))
      ? pair
      : undefined;
  } catch {
    return undefined;
  }
}

function writePair(certFile: string, keyFile: string, { cert, key }: Certificate): void {
  for (const [file, text] of [
    [keyFile, key],
    [certFile, cert],
  ] as const) {
    const part = `${file}.${process.pid}`;
    writeFileSync(part, text, { mode: 0o600 });
    renameSync(part, file);
  }
}
