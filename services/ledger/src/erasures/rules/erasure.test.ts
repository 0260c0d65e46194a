// Guarantee: a request names one selector and known parts, and every other one is refused with the member at
// fault. What is kept of a selector confirms a value, and two of the same value differ.

import { hash, randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { checkErasure, selectorDigest, selectorOf, selectorText } from "./erasure.ts";

const PARTS = ["actor"];

describe("a request is refused", () => {
  test.each([
    ["actor_id", { parts: PARTS }],
    ["actor_id", { actorId: "u", targetId: "t", parts: PARTS }],
    ["target_id", { targetId: "t", eventId: "e", parts: PARTS }],
    ["actor_id", { actorId: "", parts: PARTS }],
    ["target_id", { targetId: "x".repeat(256), parts: PARTS }],
    ["actor_id", { actorId: "a\0", parts: PARTS }],
    ["parts", { actorId: "u", parts: [] }],
    ["parts[1]", { actorId: "u", parts: ["actor", "action"] }],
    ["reference", { actorId: "u", parts: PARTS, reference: "x".repeat(256) }],
    ["reference", { actorId: "u", parts: PARTS, reference: "" }],
  ])("for its %s: %j", (field, given) => {
    expect(() => checkErasure(given)).toThrow(
      expect.objectContaining({ kind: "invalid", faults: [expect.objectContaining({ field })] }),
    );
  });
});

test("a request at its bounds is stored as it was asked for", () => {
  const asked = { actorId: "🦉".repeat(255), reference: "x".repeat(255) };
  const parts = ["target", "actor", "target"];
  const checked = checkErasure({ ...asked, parts });
  expect(checked).toMatchObject({ parts: 17, reference: asked.reference });
  expect(selectorOf(selectorText(checked.selector))).toMatchObject({ actorId: asked.actorId });
});

test("the digest confirms a value, and is another one each time", () => {
  const text = selectorText({ actorId: "u_1" });
  const [one, other] = [selectorDigest(text, randomBytes), selectorDigest(text, randomBytes)];
  expect(one).not.toEqual(other);
  const salted = Buffer.concat([one.subarray(0, 16), Buffer.from('{"actor_id":"u_1"}')]);
  expect(one.subarray(16)).toEqual(hash("sha256", salted, "buffer"));
});
