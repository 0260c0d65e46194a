// Guarantee: an identity file is closed, and each fault names the member that has it. Nothing that is not
// encrypted is taken, but for this machine itself, and no issuer that is a template.

import { describe, expect, test } from "vitest";
import { IdentityFault, parseIdentity } from "./parse-identity.ts";

const OKTA = {
  name: "okta",
  title: "Okta",
  issuer: "https://example.okta.com",
  client_id: "0oa1",
  client_secret_file: "/run/secrets/okta",
  accounts: "*",
};
const CLUSTER = {
  name: "cluster",
  issuer: "https://kubernetes.default.svc.cluster.local",
  jwks_uri: "https://kubernetes.default.svc/openid/v1/jwks",
  ca_file: "/run/kubernetes/ca.crt",
  token_file: "/run/kubernetes/token",
  accounts: ["acct_1", "acct_2"],
};

const parse = (file: unknown) => parseIdentity(Buffer.from(JSON.stringify(file)));

function faultsOf(file: unknown): string[] {
  try {
    parse(file);
    return [];
  } catch (error) {
    if (!(error instanceof IdentityFault)) throw error;
    return error.message.split("\n");
  }
}

test("a file is read, with what it leaves out", () => {
  expect(parse({ people: [OKTA], workloads: [CLUSTER] })).toEqual({
    people: [
      {
        name: "okta",
        title: "Okta",
        issuer: "https://example.okta.com",
        clientId: "0oa1",
        clientSecretFile: "/run/secrets/okta",
        caFile: undefined,
        scopes: ["openid", "profile", "email"],
        groupsClaim: ["groups"],
        accounts: "*",
        operators: { groups: [], subjects: [] },
      },
    ],
    workloads: [
      {
        name: "cluster",
        issuer: "https://kubernetes.default.svc.cluster.local",
        jwksUri: "https://kubernetes.default.svc/openid/v1/jwks",
        caFile: "/run/kubernetes/ca.crt",
        tokenFile: "/run/kubernetes/token",
        accounts: ["acct_1", "acct_2"],
      },
    ],
  });
  expect(parse({})).toEqual({ people: [], workloads: [] });
});

describe("a member with a fault is named", () => {
  test.each<[string, object, string]>([
    ["unknown", { clientId: "x" }, 'people[0]: "clientId" is unknown: it may contain accounts, '],
    ["name", { name: "Okta" }, "people[0].name: must be 1 to 31 of a to z, "],
    ["title", { title: "" }, "people[0].title: must be a text of 1 to 255 characters"],
    ["title with a line", { title: "a\nb" }, "people[0].title: must be a text"],
    ["client_id", { client_id: 7 }, "people[0].client_id: must be a text of 1 to 255 characters"],
    ["scopes", { scopes: ["profile"] }, "people[0].scopes: must contain openid"],
    [
      "a scope",
      { scopes: ["openid", "a b"] },
      "people[0].scopes: must be a list of 0 to 1000 scopes",
    ],
    [
      "groups_claim",
      { groups_claim: [] },
      "people[0].groups_claim: must be a list of 1 to 8 names",
    ],
    [
      "groups_claim",
      { groups_claim: "groups" },
      "people[0].groups_claim: must be a list of 1 to 8",
    ],
    [
      "accounts",
      { accounts: "all" },
      "people[0].accounts: must be a list of 0 to 1000 ids of accounts",
    ],
    ["an account", { accounts: ["x"] }, "people[0].accounts: must be a list of 0 to 1000 ids"],
    [
      "operators",
      { operators: { groups: ["a", "a"] } },
      "people[0].operators.groups: must be a list",
    ],
    ["operators", { operators: { roles: [] } }, 'people[0].operators: "roles" is unknown'],
    ["ca_file", { ca_file: 1 }, "people[0].ca_file: must be the path of a file"],
  ])("%s %j", (_, change, fault) => {
    const faults = faultsOf({ people: [{ ...OKTA, ...change }] });
    expect(faults).toEqual([expect.stringContaining(fault)]);
  });

  test.each(["name", "title", "issuer", "client_id", "client_secret_file", "accounts"])(
    "%s is required",
    (member) => {
      const { [member]: _, ...rest } = OKTA as Record<string, unknown>;
      expect(faultsOf({ people: [rest] })).toEqual([`people[0].${member}: is required`]);
    },
  );

  test("all faults are reported at once", () => {
    const people = [
      { ...OKTA, title: 1 },
      { ...OKTA, name: "other" },
    ];
    expect(faultsOf({ people, workloads: [{ ...CLUSTER, jwks_uri: "x" }], more: 1 })).toEqual([
      '"more" is unknown: it may contain people, workloads',
      "people[0].title: must be a text of 1 to 255 characters",
      "workloads[0].jwks_uri: must be a URL",
      'people[1].issuer: "https://example.okta.com" is in an earlier entry',
    ]);
  });

  test.each([
    ["{", "the text ends (byte 1)"],
    ['{"people": [], "people": []}', "people"],
    ["[]", "must be an object"],
  ])("%s", (text, fault) => {
    expect(() => parseIdentity(Buffer.from(text))).toThrow(fault);
  });
});

test("two clusters may have the same issuer", () => {
  expect(parse({ workloads: [CLUSTER, { ...CLUSTER, name: "other" }] }).workloads).toHaveLength(2);
});

describe("an issuer", () => {
  test.each([
    "https://login.example.com/",
    "https://login.microsoftonline.com/72f988bf-86f1-41af-91ab-2d7cd011db47/v2.0",
    "https://login.example.com/common",
    "http://127.0.0.1:8080",
    "http://[::1]:8080/realms/annals",
    "http://localhost",
  ])("may be %s", (issuer) => {
    expect(parse({ people: [{ ...OKTA, issuer }] }).people).toMatchObject([{ issuer }]);
  });

  test.each([
    ["http://example.com", "must begin with https://, except on loopback"],
    ["http://127.0.0.1.example.com", "must begin with https://, except on loopback"],
    ["http://128.0.0.1", "must begin with https://, except on loopback"],
    ["http://[::ffff:8.8.8.8]", "must begin with https://, except on loopback"],
    ["ftp://127.0.0.1", "must begin with https://"],
    ["https://user:secret@example.com", "must contain no user and no password"],
    ["https://example.com/#", "must contain no fragment"],
    ["https://example.com/?", "must contain no query"],
    ["example.com", "must be a URL"],
    ["https://login.microsoftonline.com/common/v2.0", 'the issuer of "common" is a template'],
    ["https://login.microsoftonline.com/Organizations/v2.0", '"organizations" is a template'],
    ["https://login.microsoftonline.us/consumers/v2.0", '"consumers" is a template'],
    ["https://login.example.com/{tenantid}/v2.0", "must be the issuer of one tenant"],
  ])("may not be %s", (issuer, fault) => {
    const faults = faultsOf({ people: [{ ...OKTA, issuer }] });
    expect(faults).toEqual([expect.stringMatching(/^people\[0\]\.issuer: /)]);
    expect(faults[0]).toContain(fault);
  });
});
