// An issuer of workloads on loopback, with its keys and the tokens that it makes. Imported by tests only.

import { createHmac, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Issuer } from "../identity/rules/identity.ts";

interface TokenKey {
  readonly kid: string;
  readonly alg: "RS256" | "ES256";
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

export function newTokenKey(alg: TokenKey["alg"] = "ES256"): TokenKey {
  const pair =
    alg === "ES256"
      ? generateKeyPairSync("ec", { namedCurve: "P-256" })
      : generateKeyPairSync("rsa", { modulusLength: 2048 });
  return { kid: randomBytes(6).toString("hex"), alg, ...pair };
}

export type TokenClaims = Readonly<Record<string, unknown>>;

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** A token of the claims, signed with the key. */
export function signedToken(claims: TokenClaims, key: TokenKey, header: object = {}): string {
  const signed = `${encode({ alg: key.alg, kid: key.kid, typ: "JWT", ...header })}.${encode(claims)}`;
  const by = { key: key.privateKey, dsaEncoding: "ieee-p1363" } as const;
  return `${signed}.${sign("sha256", Buffer.from(signed), by).toString("base64url")}`;
}

/** The same by HMAC, with whatever secret. */
export function hmacToken(claims: TokenClaims, secret: string | Buffer, kid: string): string {
  const signed = `${encode({ alg: "HS256", kid, typ: "JWT" })}.${encode(claims)}`;
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
}

/** One that nobody has signed. */
export function unsignedToken(claims: TokenClaims, kid: string): string {
  return `${encode({ alg: "none", kid, typ: "JWT" })}.${encode(claims)}.`;
}

const NOT_ACCEPTABLE = 406;

export class WorkloadIssuerServer {
  /** The keys that it shows, the first of which signs. */
  keys: TokenKey[] = [newTokenKey()];
  /** Paths of requests, with the token that they had. */
  readonly requests: string[] = [];
  status = 200;
  /** A request of its keys that does not accept this is a 406. */
  keyType = "application/json";
  /** Answers wait for it. */
  gate: Promise<void> = Promise.resolve();
  /** What its discovery document is of, and where that has its keys. */
  named: string;
  keysAt: string;
  /** Its keys, if they are not those of `keys`. */
  document: object | undefined;
  readonly issuer: string;
  readonly #server: Server;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.issuer = this.named = `http://127.0.0.1:${port}`;
    this.keysAt = `${this.issuer}/keys`;
  }

  static async start(): Promise<WorkloadIssuerServer> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const one = new WorkloadIssuerServer(server, (server.address() as AddressInfo).port);
    server.on("request", ({ headers, url = "" }, response) => {
      one.requests.push([url, headers.authorization ?? ""].join(" ").trim());
      void one.gate.then(() => {
        const type = url === "/keys" ? one.keyType : "application/json";
        const isAccepted = headers.accept?.split(", ").includes(type);
        response.statusCode = isAccepted ? one.status : NOT_ACCEPTABLE;
        response.setHeader("content-type", type);
        response.end(JSON.stringify(one.#answer(url)));
      });
    });
    return one;
  }

  #answer(url: string): object {
    if (url === "/keys") return this.document ?? { keys: this.keys.map(shown) };
    return { issuer: this.named, jwks_uri: this.keysAt };
  }

  token(claims: TokenClaims, key = this.keys[0] ?? newTokenKey()): string {
    return signedToken({ iss: this.issuer, ...claims }, key);
  }

  entry(more: Partial<Issuer> = {}): Issuer {
    const absent = { ca: undefined, caFile: undefined, jwksUri: undefined, tokenFile: undefined };
    return { ...absent, name: "cluster", issuer: this.issuer, accounts: "*", ...more };
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

function shown({ alg, kid, publicKey }: TokenKey): object {
  return { ...publicKey.export({ format: "jwk" }), alg, kid, use: "sig" };
}
