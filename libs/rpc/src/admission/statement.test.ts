// Guarantee: a statement is believed only as the keys service has made it, for its account, its scopes and
// its minute. Nothing else that a caller can send admits anything.

import { Holder } from "@annals/proto/admission";
import { type KeyObject, createSecretKey, randomBytes } from "node:crypto";
import { SCOPES } from "@annals/contract";
import { describe, expect, test } from "vitest";
import { AdmissionSigner, AdmissionVerifier } from "./statement.ts";

const START_S = 1_800_000_000;
const clock = {
  s: START_S,
  wrong: undefined as string | undefined,
  nowMicros: () => clock.s * 1_000_000,
  fault: () => clock.wrong,
};
const newSecret = () => createSecretKey(randomBytes(32));

function pair(secrets: Map<string, KeyObject> = new Map([["one", newSecret()]])) {
  clock.s = START_S;
  const deps = { clock, secrets };
  const signer = new AdmissionSigner(deps);
  return { signer, secrets, verifier: new AdmissionVerifier(deps) };
}

const subject = { accountId: "acct_a", keyId: "key_a", scopes: ["events:read", "verify"] };
const needed = { accountId: "acct_a", scope: "verify" } as const;
const DENIED = expect.objectContaining({ kind: "permission_denied" });

describe("a statement", () => {
  test("admits its key, for its account and its scopes", () => {
    const { signer, verifier } = pair();
    const token = signer.issue(subject);
    for (const scope of SCOPES) {
      const verify = () => verifier.verify(token, { ...needed, scope });
      if (subject.scopes.includes(scope)) expect(verify()).toMatchObject(subject);
      else expect(verify).toThrow(DENIED);
    }
    expect(() => verifier.verify(token, { ...needed, accountId: "acct_b" })).toThrow(DENIED);
  });

  test("is valid for a minute, and 10 seconds for clocks that differ", () => {
    const { signer, verifier } = pair();
    const token = signer.issue(subject);
    for (const s of [-10, 0, 60, 70]) {
      clock.s = START_S + s;
      expect(verifier.verify(token, needed)).toMatchObject(subject);
    }
    clock.s = START_S + 70.001;
    expect(() => verifier.verify(token, needed)).toThrow(/expired/);
    clock.s = START_S - 11;
    expect(() => verifier.verify(token, needed)).toThrow(/valid for too long/);
  });

  test("of a clock that was ahead is not issued again", () => {
    const { signer, verifier } = pair();
    clock.s = START_S + 86_400;
    const ahead = signer.issue(subject);
    clock.s = START_S;
    const token = signer.issue(subject);
    expect(token).not.toBe(ahead);
    expect(verifier.verify(token, needed)).toMatchObject(subject);
  });

  test("is neither issued nor valid while the clock is wrong, which is no refusal for good", () => {
    const { signer, verifier } = pair();
    const token = signer.issue(subject);
    const unavailable = expect.objectContaining({ kind: "unavailable", retryAfterS: 1 });
    clock.wrong = "a day ahead";
    expect(() => signer.issue(subject)).toThrow(unavailable);
    expect(() => verifier.verify(token, needed)).toThrow(unavailable);
    clock.wrong = undefined;
    expect(verifier.verify(token, needed)).toMatchObject(subject);
  });

  test("is issued again for half of its life, and only for the same key and plan", () => {
    const { signer, verifier } = pair();
    const token = signer.issue(subject);
    clock.s = START_S + 30;
    expect(signer.issue(subject)).toBe(token);
    expect(signer.issue({ ...subject, keyId: "key_b" })).not.toBe(token);
    expect(signer.issue({ ...subject, scopes: [...SCOPES] })).not.toBe(token);
    const bounded = signer.issue({ ...subject, maxExportBytes: 7n });
    expect(signer.issue({ ...subject, maxExportBytes: 8n })).not.toBe(bounded);
    for (const limit of ["eventsExportedPerDay", "eventsReplayedPerDay"] as const) {
      const issued = signer.issue({ ...subject, [limit]: 7n });
      expect(signer.issue({ ...subject, [limit]: 8n })).not.toBe(issued);
      expect(verifier.verify(issued, needed)).toMatchObject({ [limit]: 7n });
    }
    expect(verifier.verify(bounded, needed)).toMatchObject({ maxExportBytes: 7n });
    expect(verifier.verify(token, needed)?.maxExportBytes).toBeUndefined();
    clock.s = START_S + 30.001;
    const next = signer.issue(subject);
    expect(next).not.toBe(token);
    expect(signer.issue(subject)).toBe(next);
  });

  test("of a person names the session, and that of another session is another one", () => {
    const { signer, verifier } = pair();
    const person = { ...subject, keyId: "usr_a", holder: Holder.PERSON, sessionId: "ses_a" };
    const token = signer.issue(person);
    expect(verifier.verify(token, needed)).toMatchObject(person);
    expect(signer.issue({ ...person, sessionId: "ses_b" })).not.toBe(token);
    expect(verifier.verify(signer.issue(subject), needed)).toMatchObject({
      holder: Holder.UNSPECIFIED,
      sessionId: "",
    });
  });

  test("ends with its key, and is not issued for longer to another expiry of it", () => {
    const { signer, verifier } = pair();
    const endsAt = new Date((START_S + 40) * 1_000).toISOString();
    const token = signer.issue(subject, endsAt);
    clock.s = START_S + 39;
    expect(signer.issue(subject, endsAt)).toBe(token);
    clock.s = START_S + 50;
    expect(verifier.verify(token, needed)).toMatchObject(subject);
    clock.s = START_S + 50.001;
    expect(() => verifier.verify(token, needed)).toThrow(/expired/);
    clock.s = START_S;
    expect(signer.issue(subject)).not.toBe(token);
    const later = new Date((START_S + 4_000) * 1_000).toISOString();
    clock.s = START_S + 65;
    expect(verifier.verify(signer.issue(subject, later), needed)).toMatchObject(subject);
  });

  test("is refused with any byte changed, cut off or added", () => {
    const { signer, verifier } = pair();
    const bytes = Buffer.from(signer.issue(subject), "base64url");
    const refused = (changed: Uint8Array) => {
      const token = Buffer.from(changed).toString("base64url");
      expect(() => verifier.verify(token, needed)).toThrow(DENIED);
    };
    for (let at = 0; at < bytes.length; at += 1) {
      for (const bit of [1, 128]) refused(bytes.with(at, (bytes[at] ?? 0) ^ bit));
      refused(bytes.subarray(0, at));
    }
    refused(Buffer.concat([bytes, Buffer.from([0])]));
  });

  test.each(["", " ", "x", "=", "AA", "not base64 é", "e30"])("is not %j", (token) => {
    expect(() => pair().verifier.verify(token, needed)).toThrow(DENIED);
  });
});

describe("secrets", () => {
  test("the first signs, all verify", () => {
    const before = pair();
    const rotated = pair(new Map([["two", newSecret()], ...before.secrets]));
    expect(rotated.verifier.verify(before.signer.issue(subject), needed)).toMatchObject(subject);
    const token = rotated.signer.issue(subject);
    expect(rotated.verifier.verify(token, needed)).toMatchObject(subject);
    expect(() => before.verifier.verify(token, needed)).toThrow(DENIED);
  });

  test("another of the same id does not verify", () => {
    expect(() => pair().verifier.verify(pair().signer.issue(subject), needed)).toThrow(DENIED);
  });
});

test("a process remembers a bounded number of them, and verifies those that it has forgotten", () => {
  const { signer, verifier } = pair();
  const tokens = Array.from({ length: 10_001 }, (_, n) => {
    const token = signer.issue({ ...subject, keyId: `key_${n}` });
    verifier.verify(token, needed);
    return token;
  });
  expect(verifier.verify(tokens[0] ?? "", needed)).toMatchObject({ keyId: "key_0" });
  clock.s += 1;
  expect(signer.issue({ ...subject, keyId: "key_10000" })).toBe(tokens[10_000]);
  expect(signer.issue({ ...subject, keyId: "key_0" })).not.toBe(tokens[0]);
});
