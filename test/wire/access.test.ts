// Guarantee: an RPC is answered only for the services that the table names, over gRPC and over
// Connect. A certificate of no caller is refused by the table. One that is expired or of another authority,
// none, and plaintext get no answer at all. Each refusal is counted. The health service is open to every
// service.

import { CertificateAuthority, type Certificate } from "@annals/certificates";
import {
  type Client,
  credentials,
  Client as GrpcClient,
  type ServiceError,
  status,
} from "@grpc/grpc-js";
import { readFileSync } from "node:fs";
import { connect, type SecureClientSessionOptions } from "node:http2";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { CALLERS, GRANTS, mayCall } from "./grants.ts";
import {
  callBytes,
  collect,
  type Endpoint,
  endpointsOf,
  filesOf,
  Health,
  pathOf,
  stockClient,
} from "../system/services.ts";
import { shared, type SharedSystem } from "../system/shared-systems.ts";

const SERVICES = ["keys", "ledger", "export", "webhook-dispatcher"] as const;
const REFUSAL = "This caller is not authorized to call this method.";

let stack: SharedSystem;
let endpoints: Endpoint[];
let authority: CertificateAuthority;

beforeAll(async () => {
  stack = await shared("one");
  endpoints = endpointsOf(stack);
  authority = await CertificateAuthority.load({
    cert: readFileSync(join(stack.certificates, "ca.pem"), "utf8"),
    key: readFileSync(join(stack.certificates, "ca-key.pem"), "utf8"),
  });
});

const endpointOf = (service: string): Endpoint =>
  endpoints.find(({ process }) => process.service === service) ?? expect.fail(`no ${service}`);

/** The authority of the stack, and a certificate that may be another's. */
function withCertificate({ cert, key }: Certificate) {
  return { ca: Buffer.from(authority.cert), cert: Buffer.from(cert), key: Buffer.from(key) };
}

type Answer = "called" | "refused" | "unreachable";

/**
 * Of a call with an empty message, of any RPC. `called`: its handler has run, whatever it thought of that.
 */
async function answerOf(client: Client, path: string): Promise<Answer> {
  const { code, details } = await callBytes(client, path, Buffer.alloc(0)).then(
    () => ({ code: status.OK, details: "" }),
    (error: ServiceError) => error,
  );
  if (code === status.PERMISSION_DENIED && details === REFUSAL) return "refused";
  return code === status.UNAVAILABLE ? "unreachable" : "called";
}

/** Of each RPC of a service. */
async function answersFor(endpoint: Endpoint, client: Client): Promise<Record<string, Answer>> {
  onTestFinished(() => client.close());
  const answers: Record<string, Answer> = {};
  for (const method of endpoint.service.methods)
    answers[method.name] = await answerOf(client, pathOf(method));
  return answers;
}

const every = (service: string, answer: string) =>
  Object.fromEntries(Object.keys(GRANTS[service] ?? {}).map((rpc) => [rpc, answer]));

describe.each(SERVICES)("%s", (service) => {
  test("has an entry in the table for each of its RPCs", () => {
    const names = endpointOf(service).service.methods.map(({ name }) => name);
    expect(Object.keys(GRANTS[service] ?? {}).toSorted()).toStrictEqual(names.toSorted());
  });

  test.each(CALLERS)("called by %s", async (caller) => {
    const endpoint = endpointOf(service);
    const client = stockClient(endpoint, filesOf(stack, caller));
    const expected = Object.keys(GRANTS[service] ?? {}).map((rpc) => [
      rpc,
      mayCall(service, rpc).some((each) => each === caller) ? "called" : "refused",
    ]);
    expect(await answersFor(endpoint, client)).toStrictEqual(Object.fromEntries(expected));
  });

  test.each([
    ["a stranger", ["stranger.annals.internal"]],
    ["the bare name of a caller", ["gateway"]],
    ["two services", ["gateway.annals.internal", "export.annals.internal"]],
    ["no service but a host", ["10.0.0.1", "localhost"]],
  ])("called with a certificate of the authority for %s", async (_, names) => {
    const endpoint = endpointOf(service);
    const client = stockClient(endpoint, withCertificate(await authority.issue(names)));
    expect(await answersFor(endpoint, client)).toStrictEqual(every(service, "refused"));
  });

  test("called with an expired certificate, one of another authority, none, or in plaintext", async () => {
    const endpoint = endpointOf(service);
    const name = ["gateway.annals.internal"];
    const past = { from: new Date(Date.now() - 2_000), until: new Date(Date.now() - 1_000) };
    const future = { from: new Date(Date.now() + 3_600_000) };
    const foreign = await CertificateAuthority.create();
    const clients = [
      stockClient(endpoint, withCertificate(await authority.issue(name, past))),
      stockClient(endpoint, withCertificate(await authority.issue(name, future))),
      stockClient(endpoint, withCertificate(await foreign.issue(name))),
      stockClient(endpoint, { ca: Buffer.from(authority.cert) }),
      new GrpcClient(endpoint.address, credentials.createInsecure()),
    ];
    for (const client of clients) {
      expect(await answersFor(endpoint, client)).toStrictEqual(every(service, "unreachable"));
    }
  });

  test("called over Connect with JSON obeys the same table", async () => {
    const endpoint = endpointOf(service);
    for (const caller of CALLERS) {
      const post = poster(endpoint, filesOf(stack, caller));
      for (const method of endpoint.service.methods) {
        if (method.methodKind !== "unary") continue;
        const isRefused = (await post(pathOf(method))).includes(REFUSAL);
        const isGranted = mayCall(service, method.name).includes(caller);
        expect(isRefused, `${method.name} by ${caller}`).toBe(!isGranted);
      }
    }
  });

  test("answers the health service to every certificate of the authority", async () => {
    const endpoint = endpointOf(service);
    const client = stockClient(endpoint, withCertificate(await authority.issue(["stranger"])));
    onTestFinished(() => client.close());
    expect(await answerOf(client, pathOf(Health.method.check))).toBe("called");
    expect(await collect(client, Health.method.watch, {}, { atMost: 1 })).toHaveLength(1);
  });
});

test("a refusal is counted by method and caller, and an unknown name is no label", async () => {
  const endpoint = endpointOf("keys");
  const refusals = async () => {
    const page = await (await fetch(`${endpoint.process.adminUrl}/metrics`)).text();
    const lines = page.split("\n").filter((line) => line.includes('rpc_method="create-api-key"'));
    return lines.flatMap((line) => {
      const found = /^annals_rpc_access_refused_total\{.*caller="([^"]+)".*\} (\d+)$/.exec(line);
      return found ? [[found[1], Number(found[2])] as const] : [];
    });
  };
  const before = Object.fromEntries(await refusals());
  const clients = [
    filesOf(stack, "export"),
    filesOf(stack, "ledger"),
    withCertificate(await authority.issue(["stranger.annals.internal"])),
  ].map((files) => stockClient(endpoint, files));
  for (const client of clients) {
    onTestFinished(() => client.close());
    expect(await answerOf(client, "/annals.keys.v1.KeysService/CreateApiKey")).toBe("refused");
  }
  const after = Object.fromEntries(await refusals());
  expect(Object.keys(after).toSorted()).toStrictEqual([
    "export",
    "keys",
    "ledger",
    "unknown",
    "webhook-dispatcher",
  ]);
  expect(after["export"]).toBe((before["export"] ?? 0) + 1);
  expect(after["ledger"]).toBe((before["ledger"] ?? 0) + 1);
  expect(after["unknown"]).toBe((before["unknown"] ?? 0) + 1);
});

/** Posts an empty JSON message over HTTP/2 and resolves to the body of the answer. */
function poster({ address }: Endpoint, files: SecureClientSessionOptions) {
  const session = connect(`https://${address}`, { ...files, checkServerIdentity: () => undefined });
  onTestFinished(() => session.destroy());
  return (path: string): Promise<string> => {
    const headers = { ":method": "POST", ":path": path, "content-type": "application/json" };
    return text(session.request(headers).end("{}"));
  };
}
