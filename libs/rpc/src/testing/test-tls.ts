// The certificates of the tests of this library: one authority for a process of tests, and what each service
// would have. Imported by tests only.

import { mkdtempSync, rmSync } from "node:fs";
import { type ClientHttp2Session, connect, type SecureClientSessionOptions } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { certificateFiles, ensureServiceCertificates } from "@annals/certificates";
import type { IdentifiedService } from "@annals/contract";
import { pino } from "pino";
import { Certificates, type CertificatesOptions } from "../certificates.ts";

const directory = mkdtempSync(join(tmpdir(), "annals-rpc-"));
await ensureServiceCertificates(directory);
process.once("exit", () => rmSync(directory, { recursive: true, force: true }));

export function openCertificates(
  service: IdentifiedService,
  options: Partial<CertificatesOptions> & { readonly directory?: string } = {},
): Promise<Certificates> {
  const { ca, cert, key } = certificateFiles(options.directory ?? directory, service);
  return Certificates.open({
    files: { tlsCaFile: ca, tlsCertFile: cert, tlsKeyFile: key },
    service,
    log: pino({ level: "silent" }),
    ...options,
  });
}

export const LEDGER_TLS: Certificates = await openCertificates("ledger");
export const GATEWAY_TLS: Certificates = await openCertificates("gateway");

/** A bare HTTP/2 connection of the gateway to a server. */
export function connectBare(
  address: string,
  options: SecureClientSessionOptions = {},
): ClientHttp2Session {
  const { ca, cert, key } = GATEWAY_TLS.serverOptions;
  const trusting = { checkServerIdentity: () => undefined };
  return connect(`https://${address}`, { ca, cert, key, ...trusting, ...options });
}
