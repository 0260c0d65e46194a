// A certificate authority and the certificates that it signs, with keys on the curve P-256. Called by
// service-certificates.ts and by tests. It is for one machine: it must never be part of a deployment.

// The library needs it, and it must come first.
import "reflect-metadata";
import {
  createPrivateKey,
  createPublicKey,
  KeyObject,
  randomBytes,
  webcrypto,
  X509Certificate,
} from "node:crypto";
import { isIP } from "node:net";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";

export interface Certificate {
  /** PEM. */
  readonly cert: string;
  readonly key: string;
}

export interface Validity {
  readonly from?: Date;
  readonly until?: Date;
}

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const SERIAL_BYTES = 16;
const DAY_MS = 86_400_000;
/** Clocks of other machines may be behind. */
const BACKDATED_MS = 60_000;
const VALID_MS = 90 * DAY_MS;
const AUTHORITY_VALID_MS = 3_650 * DAY_MS;

export class CertificateAuthority implements Certificate {
  readonly cert: string;
  readonly key: string;
  readonly #signingKey: webcrypto.CryptoKey;

  private constructor({ cert, key }: Certificate, signingKey: webcrypto.CryptoKey) {
    this.cert = cert;
    this.key = key;
    this.#signingKey = signingKey;
  }

  static async create(
    name = "Annals authority",
    validity: Validity = {},
  ): Promise<CertificateAuthority> {
    const keys = await newKeys();
    const cert = await sign({
      subject: `CN=${name}`,
      issuer: `CN=${name}`,
      publicKey: keys.publicKey,
      signingKey: keys.privateKey,
      validity: { until: new Date(Date.now() + AUTHORITY_VALID_MS), ...validity },
      extensions: [
        new BasicConstraintsExtension(true, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      ],
    });
    return new CertificateAuthority({ cert, key: pemOf(keys.privateKey) }, keys.privateKey);
  }

  /** From its PEM texts. Throws when they are not a certificate and its key. */
  static async load({ cert, key }: Certificate): Promise<CertificateAuthority> {
    const privateKey = createPrivateKey(key);
    if (!new X509Certificate(cert).checkPrivateKey(privateKey)) throw new Error("not its key");
    const signingKey = privateKey.toCryptoKey(ALGORITHM, true, ["sign"]);
    return new CertificateAuthority({ cert, key }, signingKey);
  }

  /** A certificate for names and addresses, for either end of a connection. */
  async issue(hosts: readonly string[], validity: Validity = {}): Promise<Certificate> {
    const keys = await newKeys();
    const authority = new X509Certificate(this.cert);
    const names = hosts.map((value) => ({ type: isIP(value) ? "ip" : "dns", value }) as const);
    const authorityKey = createPublicKey(this.cert).toCryptoKey(ALGORITHM, true, ["verify"]);
    const cert = await sign({
      subject: "CN=annals",
      issuer: authority.subject.split("\n").toReversed().join(","),
      publicKey: keys.publicKey,
      signingKey: this.#signingKey,
      validity,
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.clientAuth]),
        new SubjectAlternativeNameExtension(names),
        await AuthorityKeyIdentifierExtension.create(authorityKey),
      ],
    });
    return { cert, key: pemOf(keys.privateKey) };
  }
}

async function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
}

function pemOf(key: webcrypto.CryptoKey): string {
  return KeyObject.from(key).export({ type: "pkcs8", format: "pem" }).toString();
}

async function sign(given: {
  readonly subject: string;
  readonly issuer: string;
  readonly publicKey: webcrypto.CryptoKey;
  readonly signingKey: webcrypto.CryptoKey;
  readonly validity: Validity;
  readonly extensions: Extension[];
}): Promise<string> {
  const { validity, extensions, ...names } = given;
  const now = Date.now();
  const certificate = await X509CertificateGenerator.create({
    ...names,
    serialNumber: randomBytes(SERIAL_BYTES).toString("hex"),
    notBefore: validity.from ?? new Date(now - BACKDATED_MS),
    notAfter: validity.until ?? new Date(now + VALID_MS),
    signingAlgorithm: ALGORITHM,
    extensions: [...extensions, await SubjectKeyIdentifierExtension.create(names.publicKey)],
  });
  return `${certificate.toString("pem")}\n`;
}
