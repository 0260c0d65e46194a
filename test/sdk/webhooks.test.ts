// Guarantee: verifyWebhook accepts what the service signs, by either signature and while a secret is
// replaced, and nothing that was changed, is too old or too new, or has another secret.

import { verifyWebhook, type VerifyWebhookOptions } from "@annals/sdk";
import fc from "fast-check";
import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";

const SECRET = `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}`;
const OTHER = `whsec_${Buffer.from("f".repeat(32)).toString("base64")}`;
const NOW = Date.parse("2026-01-31T09:30:00Z");
const BODY = JSON.stringify({
  id: "wh_evt_1",
  event: "webhook.test",
  data: { webhook_id: "wh_1" },
  timestamp: "2026-01-31T09:29:00.000000Z",
});

/** As docs/webhooks.md describes them; the second one by the library of Standard Webhooks. */
function headersOf(body: string, secret = SECRET, at = NOW): Record<string, string> {
  return {
    "x-service-signature": createHmac("sha256", secret).update(body).digest("hex"),
    "webhook-id": "wh_evt_1",
    "webhook-timestamp": String(at / 1_000),
    "webhook-signature": new Webhook(secret).sign("wh_evt_1", new Date(at), body),
  };
}

const verify = (
  body: Parameters<typeof verifyWebhook>[0],
  headers: Parameters<typeof verifyWebhook>[1],
  options: VerifyWebhookOptions = {},
  secret: string | string[] = SECRET,
) => verifyWebhook(body, headers, secret, { now: () => NOW, ...options });

describe.each(["standard", "service"] as const)("the signature %s", (signature) => {
  const options = { signature };

  test("is accepted, of text and of bytes, with headers of fetch and of Node", async () => {
    const payload = JSON.parse(BODY) as unknown;
    const headers = headersOf(BODY);
    expect(await verify(BODY, headers, options)).toEqual(payload);
    expect(await verify(Buffer.from(BODY), new Headers(headers), options)).toEqual(payload);
    const upper = Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]);
    expect(await verify(BODY, Object.fromEntries(upper), options)).toEqual(payload);
  });

  test("is accepted by one of two secrets", async () => {
    const secrets = [OTHER, SECRET];
    expect(await verify(BODY, headersOf(BODY), options, secrets)).toBeDefined();
  });

  test("is refused for any other body, secret or signature", async () => {
    const wrong = { reason: "wrong_signature" };
    await expect(verify(BODY, headersOf(BODY, OTHER), options)).rejects.toMatchObject(wrong);
    await expect(verify(`${BODY} `, headersOf(BODY), options)).rejects.toMatchObject(wrong);
    const name = signature === "standard" ? "webhook-signature" : "x-service-signature";
    const right = headersOf(BODY)[name] ?? "";
    const position = fc.nat(right.length - 1);
    const character = fc.string({ minLength: 1, maxLength: 1, unit: "grapheme-ascii" });
    await fc.assert(
      fc.asyncProperty(position, character, async (at, other) => {
        const forged = right.slice(0, at) + other + right.slice(at + 1);
        // The last digit of base64 holds two bits of nothing.
        const isSame = Buffer.from(forged.slice(3), "base64").equals(
          Buffer.from(right.slice(3), "base64"),
        );
        if (forged === right || (isSame && forged.startsWith("v1,"))) return;
        const headers = { ...headersOf(BODY), [name]: forged };
        await expect(verify(BODY, headers, options)).rejects.toMatchObject(wrong);
      }),
    );
  });

  test("is refused without its header, and without a secret of a webhook", async () => {
    await expect(verify(BODY, {}, options)).rejects.toMatchObject({ reason: "missing_header" });
    await expect(verify(BODY, headersOf(BODY), options, "secret")).rejects.toThrow("whsec_");
    await expect(verify(BODY, headersOf(BODY), options, [])).rejects.toThrow("whsec_");
  });
});

test("a delivery of another time is refused, at the edge of the window and however it is written", async () => {
  const late = { reason: "wrong_time" };
  for (const off of [-300_000, 300_000])
    expect(await verify(BODY, headersOf(BODY, SECRET, NOW + off))).toBeDefined();
  for (const off of [-301_000, 301_000])
    await expect(verify(BODY, headersOf(BODY, SECRET, NOW + off))).rejects.toMatchObject(late);
  const service = { signature: "service", now: () => Date.parse("2026-01-31T10:29:00Z") } as const;
  expect(await verify(BODY, headersOf(BODY), service)).toBeDefined();
  const later = { ...service, now: () => Date.parse("2026-01-31T10:29:01Z") };
  await expect(verify(BODY, headersOf(BODY), later)).rejects.toMatchObject(late);
});

test("the time is the signed one: another header of it is refused", async () => {
  const headers = { ...headersOf(BODY, SECRET, NOW - 9e6), "webhook-timestamp": `${NOW / 1_000}` };
  await expect(verify(BODY, headers)).rejects.toMatchObject({ reason: "wrong_signature" });
});

test("two signatures, as during a rotation, are accepted by the new secret alone", async () => {
  const [now, before] = [headersOf(BODY), headersOf(BODY, OTHER)];
  const both = `${before["webhook-signature"]} ${now["webhook-signature"]}`;
  expect(await verify(BODY, { ...before, "webhook-signature": both })).toBeDefined();
});

test("a body that is signed and no JSON is refused", async () => {
  await expect(verify("{", headersOf("{"))).rejects.toMatchObject({ reason: "not_json" });
});
