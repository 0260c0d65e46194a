// Guarantee: a caller needs what the table grants it: nothing where it calls as itself, and where it calls
// for a client a statement of the account in the request, of every request and every stream. Handlers learn
// whom the call was admitted for.

import { type Clock, parseKeyFile } from "@annals/contract";
import { LedgerService } from "@annals/proto/ledger";
import {
  type CallOptions,
  createClient,
  createRouterTransport,
  type Interceptor,
} from "@connectrpc/connect";
import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { type Access, type Caller, callerKey } from "../access.ts";
import { serverErrors } from "../interceptors/errors.ts";
import { requireAccess } from "../interceptors/require-access.ts";
import { LEDGER_TLS } from "../testing/test-tls.ts";
import { ADMISSION_HEADER, admissionOf } from "./require-admission.ts";
import { AdmissionSigner, AdmissionVerifier } from "./statement.ts";

const clock: Pick<Clock, "nowMicros"> = { nowMicros: () => Date.now() * 1_000 };
const secrets = parseKeyFile(`one:${randomBytes(32).toString("base64")}`);
const signer = new AdmissionSigner({ clock, secrets });
const verifier = new AdmissionVerifier({ clock, secrets });

const ACCESS: Access<typeof LedgerService> = {
  createEvents: { gateway: "events:write" },
  appendEvents: { gateway: "events:write" },
  getEvent: { gateway: "events:read" },
  listEvents: { gateway: "events:read", export: "itself" },
  readEvents: { "webhook-dispatcher": "itself" },
  measureEvents: { "webhook-dispatcher": "itself" },
  streamEvents: { gateway: "events:read" },
  verifyChain: {},
  getPositions: { "webhook-dispatcher": "itself" },
  listAccounts: { "webhook-dispatcher": "itself" },
  listOutbox: { "webhook-dispatcher": "itself" },
  recordAuditEvents: { keys: "itself" },
  getWidgetEvent: { gateway: "widget" },
  listWidgetEvents: { gateway: "widget" },
  listWidgetFilters: { gateway: "widget" },
  countEvents: { gateway: "events:read" },
  countValues: { gateway: "events:read" },
  countWidgetEvents: { gateway: "widget" },
  countWidgetValues: { gateway: "widget" },
  getUsage: { gateway: "any_key" },
  getLog: {},
  getWidgetLog: {},
  readCheckpoint: {},
  readTile: {},
  readEntries: {},
  proveInclusion: {},
  proveConsistency: {},
  listHeads: {},
  getCheckpointPositions: {},
  listCheckpoints: {},
  readHeadLog: {},
  listAnchorWork: {},
  addAnchor: {},
  placeHold: {},
  releaseHold: {},
  listHolds: {},
  createSearchField: {},
  listSearchFields: {},
  listSearchPaths: {},
  deleteSearchField: {},
  createSavedSearch: {},
  listSavedSearches: {},
  updateSavedSearch: {},
  deleteSavedSearch: {},
  resolveFilter: {},
  createErasure: {},
  getErasure: {},
  listErasures: {},
  cancelErasure: {},
  listOpenErasures: {},
  confirmErasure: {},
  reportErasureMatches: {},
  getRetention: {},
  setRetention: {},
  listLifecycles: {},
  confirmArchive: {},
  reportState: { keys: "itself" },
};

const log = { error: () => {}, info: () => {}, warn: () => {} };
const OPTIONS = {
  service: LedgerService,
  access: ACCESS,
  admissions: verifier,
  log,
  refused: { inc: () => {} },
};

/** A ledger that says for which key it was called, and its caller, as a certificate would. */
function ledger(caller?: Caller) {
  const tls = caller === undefined ? "plaintext" : LEDGER_TLS;
  const asCaller: Interceptor = (next) => (request) => {
    request.contextValues.set(callerKey, caller);
    return next(request);
  };
  const interceptors = [serverErrors(log), asCaller, requireAccess({ ...OPTIONS, tls })];
  const transport = createRouterTransport(
    (router) =>
      router.service(LedgerService, {
        getEvent: (_, context) => ({ event: { id: admissionOf(context)?.keyId ?? "" } }),
        listEvents: (_, context) => ({ events: [{ id: admissionOf(context)?.keyId ?? "" }] }),
        async *streamEvents(_, context) {
          yield { text: Buffer.from(admissionOf(context)?.keyId ?? "") };
        },
        getPositions: () => ({}),
        createEvents: () => ({}),
      }),
    { router: { interceptors } },
  );
  return createClient(LedgerService, transport);
}

const withStatement = (accountId: string, scopes = ["events:read"]): CallOptions => {
  const token = signer.issue({ accountId, keyId: "key_a", scopes });
  return { headers: { [ADMISSION_HEADER]: token } };
};
const REQUEST = { accountId: "acct_a" };
const DENIED = expect.objectContaining({ message: expect.stringContaining("permission_denied") });

test("a gateway needs a statement of the account in the request, and the handler learns of the key", async () => {
  const client = ledger("gateway");
  await expect(client.getEvent(REQUEST)).rejects.toEqual(DENIED);
  await expect(client.getEvent(REQUEST, withStatement("acct_b"))).rejects.toEqual(DENIED);
  await expect(client.getEvent({}, withStatement("acct_a"))).rejects.toEqual(DENIED);
  await expect(client.getEvent(REQUEST, withStatement("acct_a", ["verify"]))).rejects.toEqual(
    DENIED,
  );
  const { event } = await client.getEvent(REQUEST, withStatement("acct_a"));
  expect(event?.id).toBe("key_a");
});

test("so does a stream, before its handler has given anything", async () => {
  const read = async (options?: CallOptions) => {
    const texts: string[] = [];
    for await (const { text } of ledger("gateway").streamEvents(REQUEST, options)) {
      texts.push(Buffer.from(text).toString());
    }
    return texts;
  };
  await expect(read()).rejects.toEqual(DENIED);
  await expect(read(withStatement("acct_b"))).rejects.toEqual(DENIED);
  expect(await read(withStatement("acct_a"))).toEqual(["key_a"]);
});

test("a service that calls as itself needs none, and a gateway cannot call as that service", async () => {
  expect((await ledger("export").listEvents(REQUEST)).events[0]?.id).toBe("");
  await expect(ledger("gateway").listEvents(REQUEST)).rejects.toEqual(DENIED);
  await ledger("webhook-dispatcher").getPositions({});
});

test("a caller that the row does not name is refused, with any statement", async () => {
  for (const caller of ["export", "webhook-dispatcher"] as const) {
    const call = ledger(caller).getEvent(REQUEST, withStatement("acct_a"));
    await expect(call).rejects.toEqual(DENIED);
  }
  await expect(ledger("gateway").verifyChain(REQUEST)).rejects.toEqual(DENIED);
});

test("of a caller that nothing proves, a statement is demanded unless some service needs none", async () => {
  const client = ledger();
  await expect(client.getEvent(REQUEST)).rejects.toEqual(DENIED);
  await expect(client.verifyChain(REQUEST)).rejects.toEqual(DENIED);
  await client.listEvents(REQUEST);
  await expect(client.listEvents(REQUEST, withStatement("acct_b"))).rejects.toEqual(DENIED);
  await client.getPositions({});
});

test("requests that carry their statements are left to their handler", async () => {
  expect((await ledger("gateway").createEvents({})).outcomes).toEqual([]);
});

test("a table that grants a scope on a request without an account is refused at once", () => {
  const access = { ...ACCESS, getPositions: { gateway: "verify" as const } };
  expect(() => requireAccess({ ...OPTIONS, access, tls: LEDGER_TLS })).toThrow("GetPositions");
});
