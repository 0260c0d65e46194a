// A client of the admin API for the tests of it: TLS with the name of keys, a token or none, any body.

import { certificateFiles } from "@annals/certificates";
import type { Stack } from "@annals/local";
import { eventually } from "@annals/testing";
import { readFile } from "node:fs/promises";
import { type RequestOptions, request } from "node:https";
import { join } from "node:path";

export interface Asked {
  readonly token?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  // oxlint-disable-next-line no-explicit-any -- each test knows the shape
  readonly body: any;
}

export type AdminApi = (method: string, path: string, asked?: Asked) => Promise<Answered>;

export interface At {
  readonly ca: string;
  readonly port: number;
  readonly token: string;
}

/** Where the keys service of a stack has opened it, whose setting asks for any port. */
export async function adminApiAt(
  { certificates, dataDir }: Pick<Stack, "certificates" | "dataDir">,
  token: string,
): Promise<At> {
  const port = await eventually("the admin API is listening", async () => {
    const log = await readFile(join(dataDir, "log/keys-1.log"), "utf8");
    const [, found] = /"port":(\d+).*the admin API is listening/.exec(log) ?? [];
    return found !== undefined && Number(found);
  });
  const ca = await readFile(certificateFiles(certificates, "keys").ca, "utf8");
  return { ca, port, token };
}

/** Sends a request that renames an account. What is returned leaves before the answer. */
export function renameAndLeave({ ca, port, token }: At, path: string): () => void {
  const text = '{"name": "left"}';
  const sent = request({
    ...toKeys(ca, port),
    method: "PATCH",
    path,
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "content-length": String(text.length),
    },
  });
  sent.on("error", () => {});
  sent.end(text);
  return () => void sent.destroy();
}

function toKeys(ca: string, port: number): RequestOptions {
  return { host: "127.0.0.1", port, ca, servername: "keys.annals.internal", agent: false };
}

export function adminApi(at: At): AdminApi {
  return (method, path, asked = {}) => call(at, method, path, asked);
}

function call(
  { ca, port, token: usual }: At,
  method: string,
  path: string,
  asked: Asked,
): Promise<Answered> {
  const token = "token" in asked ? asked.token : usual;
  const text = typeof asked.body === "string" ? asked.body : JSON.stringify(asked.body);
  const options: RequestOptions = {
    ...toKeys(ca, port),
    method,
    path,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(text !== undefined && { "content-type": "application/json" }),
      ...asked.headers,
    },
  };
  return new Promise((resolve, reject) => {
    const sent = request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("error", reject);
      response.once("end", () => {
        const got = Buffer.concat(chunks).toString();
        const { headers, statusCode: status = 0 } = response;
        resolve({ status, headers, body: got === "" ? undefined : JSON.parse(got) });
      });
    });
    sent.once("error", reject);
    sent.end(text);
  });
}

/** For the methods that take one. */
export const bodyFor = (method: string) => (method.startsWith("P") ? { body: { name: "x" } } : {});

/** Path of an account that does not exist. */
export const UNKNOWN_ACCOUNT = "/admin/v1/accounts/acct_00000000000000000000000000";
/** Every route, of things that do not exist. */
export const ROUTES = [
  ["POST", "/admin/v1/accounts"],
  ["GET", "/admin/v1/accounts"],
  ["GET", UNKNOWN_ACCOUNT],
  ["PATCH", UNKNOWN_ACCOUNT],
  ["POST", `${UNKNOWN_ACCOUNT}/keys`],
  ["GET", `${UNKNOWN_ACCOUNT}/keys`],
  ["DELETE", "/admin/v1/keys/key_00000000000000000000000000"],
  ["GET", "/admin/v1/plans"],
] as const;

/** With those of people and their roles, and two that there are not. */
export const PATHS = [
  ...ROUTES,
  ["GET", `${UNKNOWN_ACCOUNT}/role-mappings`],
  ["POST", `${UNKNOWN_ACCOUNT}/role-mappings`],
  ["DELETE", `${UNKNOWN_ACCOUNT}/role-mappings/rmap_00000000000000000000000000`],
  ["GET", `${UNKNOWN_ACCOUNT}/workloads`],
  ["DELETE", `${UNKNOWN_ACCOUNT}/workloads/wkl_00000000000000000000000000`],
  ["GET", `${UNKNOWN_ACCOUNT}/state`],
  ["GET", "/admin/v1/states"],
  ["GET", "/admin/v1/health"],
  ["POST", "/admin/v1/audit-token"],
  ["GET", "/admin/v1/people"],
  ["POST", "/admin/v1/people/usr_00000000000000000000000000/block"],
  ["POST", "/admin/v1/people/usr_00000000000000000000000000/unblock"],
  ["DELETE", "/admin/v1/people/usr_00000000000000000000000000/sessions"],
  ["GET", "/admin/v1/nothing"],
  ["GET", "/readyz"],
] as const;
