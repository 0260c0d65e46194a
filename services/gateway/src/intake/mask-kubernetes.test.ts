// Guarantee: no value of a secret and no token is left in an event of Kubernetes, however the object is
// shaped, and not even its hash; all else of the object stays.

import { describe, expect, test } from "vitest";
import { eventOf, ITEM, mapped, nested } from "../testing/kubernetes-item.ts";

const ofResource = (resource: string, more: object = {}) => ({
  ...ITEM,
  objectRef: { ...ITEM.objectRef, resource, ...more },
});

const VALUE = "c2VjcmV0LXZhbHVl";
const SECRET = {
  kind: "Secret",
  metadata: {
    name: "db",
    annotations: { "kubectl.kubernetes.io/last-applied-configuration": `{"data":"${VALUE}"}` },
  },
  data: { password: VALUE },
  stringData: { user: VALUE },
};
const { kind: _kind, ...UNTYPED } = SECRET;

/** What a policy may record of secrets and tokens: the item, with the value in it. */
const SECRETS: readonly (readonly [string, object])[] = [
  ["a secret", { ...ofResource("secrets"), requestObject: SECRET, responseObject: SECRET }],
  [
    "a list of secrets",
    { ...ofResource("secrets"), responseObject: { kind: "SecretList", items: [UNTYPED] } },
  ],
  [
    "a table of secrets",
    { ...ofResource("secrets"), responseObject: { kind: "Table", rows: [{ object: UNTYPED }] } },
  ],
  [
    "a merge patch of a secret",
    { ...ofResource("secrets"), requestObject: { Data: { a: VALUE } } },
  ],
  [
    "a JSON patch of a secret",
    { ...ofResource("secrets"), requestObject: [{ op: "add", path: "/data/a", value: VALUE }] },
  ],
  ["a patch that is a text", { ...ofResource("secrets"), requestObject: `data: ${VALUE}` }],
  ["data that is a text", { ...ofResource("secrets"), requestObject: { data: VALUE } }],
  ["a secret where none is expected", { ...ofResource("pods"), requestObject: SECRET }],
  [
    "a secret that nests too deep",
    { ...ofResource("secrets"), requestObject: { a: nested(40, VALUE), data: { a: VALUE } } },
  ],
  [
    "a token review",
    {
      ...ofResource("tokenreviews"),
      requestObject: { spec: { token: VALUE } },
      responseObject: { spec: { token: VALUE } },
    },
  ],
  [
    "a token of a service account",
    {
      ...ofResource("serviceaccounts", { subresource: "token" }),
      responseObject: { status: { token: VALUE } },
    },
  ],
];

describe("what is secret", () => {
  test.each(SECRETS)("%s is masked, and said to be", (_, item) => {
    const text = JSON.stringify(mapped(item));
    expect(text).not.toContain(VALUE);
    expect(text).toMatch(/annals_masked|annals_omitted/);
  });

  test.each(SECRETS.filter(([name]) => !name.includes("deep")))(
    "the control: without the mask %s has its value",
    (_, item) => {
      expect(JSON.stringify(mapped(item, { mask: (value) => value }))).toContain(VALUE);
    },
  );

  test("keeps the names of its values, and all else of the object", () => {
    const { metadata } = eventOf({ ...ofResource("secrets"), requestObject: SECRET });
    expect(metadata["request_object"]).toEqual({
      kind: "Secret",
      metadata: {
        name: "db",
        annotations: {
          "kubectl.kubernetes.io/last-applied-configuration": { annals_masked: true },
        },
      },
      data: { password: { annals_masked: true } },
      stringData: { user: { annals_masked: true } },
    });
  });

  test("is not even hashed where it could not be read", () => {
    const [, item] = SECRETS.find(([name]) => name.includes("deep")) ?? expect.fail();
    const { metadata } = eventOf(item);
    expect(metadata["request_object"]).toEqual({ annals_omitted: { bytes: expect.any(Number) } });
  });

  test("of another resource is kept: a config map is no secret", () => {
    const requestObject = { kind: "ConfigMap", data: { a: VALUE } };
    const { metadata } = eventOf({ ...ofResource("configmaps"), requestObject });
    expect(metadata["request_object"]).toEqual(requestObject);
  });
});
