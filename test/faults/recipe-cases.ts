// What the programs of docs/recipes.md are asked, and the events that are stored of it. Called by
// recipes.test.ts.

import { ADMIN, type SOURCES } from "../system/recipe-sources.ts";

export const SECRET = "secret-of-an-input";
/** A double does not keep it. */
const LARGE = "9007199254740993";
/** Plays a part of the log itself, as if the client could write it. */
const INJECTED = 'x", userId="victim';

export type Name = keyof typeof SOURCES;

/** An event as far as a recipe makes it. An id that Keycloak gives is the word ID. */
export interface Made {
  readonly action: string;
  readonly actor: string | null;
  readonly target: readonly [type: string | null, id: string | null];
  readonly outcome: string;
}

interface Case {
  readonly ask: (url: string) => Promise<void>;
  /** In the order in which they happen. */
  readonly events: readonly Made[];
  /** A name that it gives a log that was too large. */
  readonly rotated: string;
  /** Must be in the events. */
  readonly kept: string;
}

/** What each program is asked, and the events of that. */
export const CASES: Readonly<Record<Name, Case>> = {
  opa: {
    rotated: "decisions-2026-11-30T12-00-00.000.log",
    kept: `"number":"${LARGE}"`,
    ask: async (url) => {
      const decide = (path: string, input: string) =>
        post(`${url}/v1/data/${path}`, `{"input": ${input}}`);
      const secrets = `"password": "${SECRET}", "token": "${SECRET}", "number": ${LARGE}`;
      await decide("authz/allow", `{"user": "alice", "resource": "doc_1", ${secrets}}`);
      await decide("authz/allow", '{"user": "bob", "resource": "doc_1"}');
      await decide("authz", '{"user": {"id": "carol"}}');
    },
    events: [
      made("opa.authz.allow", "success", "alice", [null, "doc_1"]),
      made("opa.authz.allow", "failure", "bob", [null, "doc_1"]),
      made("opa.authz", "unknown", null, [null, null]),
    ],
  },
  cerbos: {
    rotated: "audit-2026-11-30T12-00-00.000.log",
    kept: '"delete":{"effect":"EFFECT_DENY"',
    ask: async (url) => {
      const principal = { id: "alice", roles: ["user"], attr: { secret: SECRET } };
      const document = (id: string) => ({ kind: "document", id, attr: { secret: SECRET } });
      const check = (actions: readonly string[], ...ids: readonly string[]) =>
        post(`${url}/api/check/resources`, {
          principal,
          resources: ids.map((id) => ({ actions, resource: document(id) })),
        });
      await check(["view"], "doc_1");
      await check(["view", "delete"], "doc_2");
      await check(["view"], "doc_3", "doc_4");
      const resource = { kind: "document", attr: { secret: SECRET } };
      await post(`${url}/api/plan/resources`, { principal, resource, action: "view" });
    },
    events: [
      made("cerbos.check_resources", "success", "alice", ["document", "doc_1"]),
      made("cerbos.check_resources", "failure", "alice", ["document", "doc_2"]),
      made("cerbos.check_resources", "success", "alice", [null, null]),
      made("cerbos.plan_resources", "unknown", "alice", ["document", null]),
    ],
  },
  keycloak: {
    rotated: "keycloak.log.1",
    kept: JSON.stringify(INJECTED.replaceAll('"', '\\"')).slice(1, -1),
    ask: async (url) => {
      const logIn = (more: Readonly<Record<string, string>>) => {
        const grant = { grant_type: "password", client_id: "admin-cli", ...ADMIN, ...more };
        return post(
          `${url}/realms/master/protocol/openid-connect/token`,
          new URLSearchParams(grant),
        );
      };
      await logIn({ password: "wrong" });
      await logIn({ username: INJECTED });
      await logIn({ client_id: INJECTED });
      const { access_token: token } = (await (await logIn({})).json()) as Record<string, string>;
      const headers = { authorization: `Bearer ${token}` };
      await post(`${url}/admin/realms/master/users`, { username: "bob" }, headers);
    },
    events: [
      made("keycloak.login_error", "failure", "ID", ["client", "admin-cli"]),
      made("keycloak.login_error", "failure", null, ["client", "admin-cli"]),
      made("keycloak.login_error", "failure", null, ["client", INJECTED.replaceAll('"', '\\"')]),
      made("keycloak.login", "success", "ID", ["client", "admin-cli"]),
      made("keycloak.admin.user.create", "success", "ID", ["user", "users/ID"]),
    ],
  },
};

function made(action: string, outcome: string, actor: Made["actor"], target: Made["target"]): Made {
  return { action, actor, target, outcome };
}

async function post(
  url: string,
  body: object | string,
  more: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const isForm = body instanceof URLSearchParams;
  const headers = { ...(isForm ? {} : { "content-type": "application/json" }), ...more };
  const sent = isForm || typeof body === "string" ? body : JSON.stringify(body);
  return fetch(url, { method: "POST", headers, body: sent });
}
