// Guarantee: a sealed secret opens only with its key, for its webhook, unchanged. A concealed digest is known
// with its key alone. Both signatures equal those of other implementations.

import { createHmac, randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { type Sealed, SecretKeys } from "./secret-keys.ts";
import {
  newSigningSecret,
  serviceSignature,
  standardSignature,
} from "../../webhooks/rules/signing-secret.ts";

const line = (id: string, bytes = randomBytes(32)) => `${id}:${bytes.toString("base64")}`;
const owner = { accountId: "acct_a", webhookId: "wh_a" };

describe("sealing", () => {
  const keys = new SecretKeys(line("one"));
  const secret = newSigningSecret(randomBytes);
  const sealed = keys.seal(secret, owner, randomBytes);
  const opens = (given: Sealed, by = owner): boolean => {
    try {
      return keys.open(given, by) === secret;
    } catch {
      return false;
    }
  };

  test("opens for its owner, and never seals to the same bytes twice", () => {
    expect(keys.open(sealed, owner)).toBe(secret);
    expect(sealed.keyId).toBe("one");
    expect(keys.seal(secret, owner, randomBytes).bytes).not.toEqual(sealed.bytes);
    expect(Buffer.from(sealed.bytes).includes(secret)).toBe(false);
  });

  test.each([
    { ...owner, accountId: "acct_b" },
    { ...owner, webhookId: "wh_b" },
    { accountId: "acct_aw", webhookId: "h_a" },
  ])("does not open for %j", (other) => {
    expect(opens(sealed, other)).toBe(false);
  });

  test("does not open with any byte changed", () => {
    for (let at = 0; at < sealed.bytes.length; at++) {
      const bytes = Uint8Array.from(sealed.bytes);
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      expect(opens({ ...sealed, bytes })).toBe(false);
    }
    for (let length = 0; length < sealed.bytes.length; length++) {
      expect(opens({ ...sealed, bytes: sealed.bytes.subarray(0, length) })).toBe(false);
    }
  });

  test("the first key of the file seals, all open", () => {
    const [one, two] = [line("one"), line("two")];
    const before = new SecretKeys(one);
    const after = new SecretKeys(`# rotated\n\n${two}\r\n${one}\n`);
    expect(after.sealingKeyId).toBe("two");
    expect(after.keyIds).toEqual(["two", "one"]);
    expect(after.open(before.seal(secret, owner, randomBytes), owner)).toBe(secret);
    const moved = after.seal(secret, owner, randomBytes);
    expect(() => before.open(moved, owner)).toThrow("the sealing key two is not in the key file");
  });

  test("a digest is concealed by each key, the first of the file first", () => {
    const [one, two] = [line("one"), line("two")];
    const sha256 = randomBytes(32);
    const before = new SecretKeys(one).conceal(sha256);
    const during = new SecretKeys(`${two}\n${one}`).conceal(sha256);
    const after = new SecretKeys(two).conceal(sha256);
    expect(during).toEqual([...after, ...before]);
    expect(after).not.toEqual(before);
    expect([...before, ...after]).not.toContainEqual(sha256);
    expect(new SecretKeys(one).conceal(randomBytes(32))).not.toEqual(before);
  });

  test.each([
    ["", "contains no key"],
    ["# only a comment", "contains no key"],
    ["abc", "line 1"],
    [line("one", randomBytes(31)), "line 1"],
    [line("one", randomBytes(33)), "line 1"],
    [`${line("one")}\n${line("one")}`, "line 2 repeats the key id one"],
    [line("a b"), "line 1"],
    [`:${randomBytes(32).toString("base64")}`, "line 1"],
  ])("the file %j is refused, and the error has no key", (text, words) => {
    const fault = catchError(() => new SecretKeys(text));
    expect(fault).toContain(words);
    const [, base64 = ""] = text.split(":");
    if (base64.length > 20) expect(fault).not.toContain(base64.slice(0, 20));
  });
});

function catchError(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return String(error);
  }
  return "";
}

describe("signing", () => {
  test("secrets have 256 bits in base64, and never repeat", () => {
    const secrets = Array.from({ length: 100 }, () => newSigningSecret(randomBytes));
    expect(new Set(secrets).size).toBe(100);
    for (const one of secrets) expect(one).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  });

  test("both equal those of other implementations, for any bytes", () => {
    for (const body of ["", "{}", '{"é":"😀"}', "x".repeat(100_000)]) {
      const secret = newSigningSecret(randomBytes);
      const bytes = Buffer.from(body);
      const mac = createHmac("sha256", secret).update(bytes).digest("hex");
      expect(serviceSignature(secret, bytes)).toBe(mac);
      const timestampS = 1_795_157_726;
      expect(standardSignature(secret, "wh_evt_1", timestampS, bytes)).toBe(
        new Webhook(secret).sign("wh_evt_1", new Date(timestampS * 1000), body),
      );
    }
  });

  // Computed with hmac and base64 of Python.
  test("a worked example", () => {
    const secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
    const body = Buffer.from('{"id":"wh_evt_1"}');
    expect(serviceSignature(secret, body)).toBe(
      "80b5f6bc45a488c772228c91581763970060574764e4bb2f74a8af107ace3bb4",
    );
    expect(standardSignature(secret, "wh_evt_1", 1_700_000_000, body)).toBe(
      "v1,3X9X5FnDPASWpWKt4An1326+oX0GAS+O0vFz/tgFsbg=",
    );
  });
});
