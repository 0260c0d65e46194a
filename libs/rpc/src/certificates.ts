// The certificate, key and authority with which a process proves itself to the other services, read from
// files and read again when the files change. Opened by serve.ts; server.ts and client.ts use them. A broken
// file never replaces what works. It must never log a key.

import { constants, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createSecureContext, type SecureContext, type SecureContextOptions } from "node:tls";
import { isDeepStrictEqual } from "node:util";
import {
  certificateExpiry,
  type Closers,
  ConfigError,
  type ConfigOf,
  follow,
  type Logger,
  type Loop,
  type Registry,
  type rpcTlsSettings,
} from "@annals/chassis";
import { type IdentifiedService, identityOf } from "@annals/contract";
import { ChannelCredentials } from "@grpc/grpc-js";
import { serviceOf } from "./peer.ts";

/** What `openTls` resolves to: certificates, or nothing is proved and everything is readable. */
export type RpcTls = Certificates | "plaintext";

export interface TlsFiles {
  readonly tlsCaFile: string;
  readonly tlsCertFile: string;
  readonly tlsKeyFile: string;
}

export interface CertificatesOptions {
  readonly files: TlsFiles;
  /** Whose certificate it is. */
  readonly service: IdentifiedService;
  readonly log: Logger;
  /** How often the files are read. */
  readonly reloadIntervalMs?: number;
  readonly onExpiry?: (certificate: "service" | "authority", expiresAt: Date) => void;
}

interface Pem {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

const MESSAGES = {
  isNew: "new certificates are in use",
  cannotBeUsed: "failed to load new certificates: keeping the current ones",
};

const SETTING_OF = {
  tlsCaFile: "ANNALS_TLS_CA_FILE",
  tlsCertFile: "ANNALS_TLS_CERT_FILE",
  tlsKeyFile: "ANNALS_TLS_KEY_FILE",
} as const;

/**
 * TLS options of both ends. The first cipher is the fastest if the CPU has AES. Without tickets each
 * connection verifies the certificate of its peer: a resumed session would not.
 */
const SECURE: SecureContextOptions = {
  minVersion: "TLSv1.3",
  ciphers: "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256",
  secureOptions: constants.SSL_OP_NO_TICKET,
};

/** Reads the files that the settings name. Throws a ConfigError unless they, or plaintext, are configured. */
export async function openTls(
  config: ConfigOf<typeof rpcTlsSettings>,
  around: {
    readonly service: IdentifiedService;
    readonly log: Logger;
    readonly registry: Registry;
    readonly closers: Closers;
  },
): Promise<RpcTls> {
  const { closers, log, registry, service } = around;
  const { plaintext, tlsCaFile, tlsCertFile, tlsKeyFile } = config;
  const given = [tlsCaFile, tlsCertFile, tlsKeyFile].filter((file) => file !== undefined);
  if (plaintext) {
    if (given.length > 0) {
      throw new ConfigError("ANNALS_DANGEROUS_PLAINTEXT and ANNALS_TLS_* are mutually exclusive");
    }
    log.warn("RPC is in plaintext: any client of an RPC port can read every event");
    return "plaintext";
  }
  if (tlsCaFile === undefined || tlsCertFile === undefined || tlsKeyFile === undefined) {
    throw new ConfigError(
      `${Object.values(SETTING_OF).join(", ")} are required: the certificate with which this service proves ` +
        "itself to the others (docs/operators/tls.md)",
    );
  }
  const expiry = certificateExpiry(registry);
  const certificates = await Certificates.open({
    files: { tlsCaFile, tlsCertFile, tlsKeyFile },
    service,
    log,
    onExpiry: (certificate, at) => expiry.set({ certificate }, at.getTime() / 1_000),
  });
  return closers.add("certificates", certificates, () => certificates.close());
}

export class Certificates {
  readonly #options: CertificatesOptions;
  readonly #listeners = new Set<(options: SecureContextOptions) => void>();
  readonly #loop: Loop;
  #pem: Pem;
  #context: SecureContext;

  private constructor(options: CertificatesOptions, pem: Pem) {
    this.#options = options;
    this.#pem = pem;
    this.#context = this.#accept(pem);
    this.#loop = follow({
      name: "certificates",
      log: options.log,
      messages: MESSAGES,
      // The files may be read in the middle of their replacement.
      tolerated: 1,
      intervalMs: options.reloadIntervalMs,
      reload: () => this.#reload(),
    });
  }

  /** Throws a ConfigError that names the setting whose file cannot be used. */
  static async open(options: CertificatesOptions): Promise<Certificates> {
    return new Certificates(options, await check(await readPem(options), options));
  }

  /** For a server: requires a certificate of the authority from every client. */
  get serverOptions(): SecureContextOptions & { requestCert: true; rejectUnauthorized: true } {
    return { ...SECURE, ...this.#pem, requestCert: true, rejectUnauthorized: true };
  }

  /** Calls back with the options of a new context when the files have changed; returns how to stop that. */
  onChange(listener: (options: SecureContextOptions) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** For a channel to `peer`. Each connection is made with the files of its moment. */
  credentialsFor(peer: IdentifiedService): ChannelCredentials {
    const current = (): SecureContext => this.#context;
    const secureContext: SecureContext = {
      get context(): unknown {
        return current().context;
      },
    };
    return ChannelCredentials.createFromSecureContext(secureContext, {
      checkServerIdentity: (_, certificate) =>
        serviceOf(certificate) === peer
          ? undefined
          : new Error(`the server's certificate is not for ${identityOf(peer)}`),
    });
  }

  close(): Promise<void> {
    return this.#loop.stop();
  }

  async #reload(): Promise<boolean> {
    const pem = await readPem(this.#options);
    if (isDeepStrictEqual(pem, this.#pem)) return false;
    await check(pem, this.#options);
    this.#context = this.#accept(pem);
    this.#pem = pem;
    for (const listener of this.#listeners) listener({ ...SECURE, ...pem });
    return true;
  }

  /** Reports when they expire. */
  #accept(pem: Pem): SecureContext {
    const { onExpiry } = this.#options;
    onExpiry?.("service", new X509Certificate(pem.cert).validToDate);
    onExpiry?.("authority", new X509Certificate(pem.ca).validToDate);
    return createSecureContext({ ...SECURE, ...pem });
  }
}

async function readPem({ files }: CertificatesOptions): Promise<Pem> {
  const read = async (setting: keyof TlsFiles): Promise<string> =>
    blaming(setting, files, () => readFile(files[setting], "utf8"));
  return {
    ca: await read("tlsCaFile"),
    cert: await read("tlsCertFile"),
    key: await read("tlsKeyFile"),
  };
}

/** Throws a ConfigError unless the three can be used together, for the service. */
async function check(pem: Pem, { files, service }: CertificatesOptions): Promise<Pem> {
  await blaming("tlsCaFile", files, () => new X509Certificate(pem.ca));
  await blaming("tlsCertFile", files, () => checkCertificate(pem.cert, service));
  await blaming("tlsKeyFile", files, () => createSecureContext({ ...SECURE, ...pem }));
  return pem;
}

async function blaming<T>(
  setting: keyof TlsFiles,
  files: TlsFiles,
  work: () => T | Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : "cannot be used";
    throw new ConfigError(`${SETTING_OF[setting]} ${files[setting]}: ${reason}`, { cause: error });
  }
}

function checkCertificate(pem: string, service: IdentifiedService): void {
  const { subjectAltName, validTo, validToDate } = new X509Certificate(pem);
  if (serviceOf({ subjectaltname: subjectAltName }) !== service) {
    throw new Error(
      `is not the certificate of ${identityOf(service)} (${subjectAltName ?? "no"} names)`,
    );
  }
  if (validToDate.getTime() <= Date.now()) throw new Error(`has expired on ${validTo}`);
}
