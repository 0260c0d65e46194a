// `/` says what this is, and `/docs` is the reference of every operation and schema. Both need no key, run
// nothing, load nothing from anywhere, and take no body; their links lead somewhere.

import { type Answer, HttpClient } from "@annals/testing";
import { createHash } from "node:crypto";
import { describe, expect, inject, test } from "vitest";
import { operationsOf, type Json } from "../../system/openapi-document.ts";
import { expectRefused } from "../refusal.ts";

const anonymous = new HttpClient(inject("stack").baseUrl);
const document: Json = (await anonymous.get("/openapi.json")).body;
const PAGES = ["/", "/docs"];

const all = (text: string, pattern: RegExp) => Array.from(text.matchAll(pattern), ([, one]) => one);

describe.each(PAGES)("%s", (path) => {
  test("is HTML that a browser may load nothing with but its own style", async () => {
    const { status, headers, text } = await anonymous.get(path);
    expect(status).toBe(200);
    expect(headers["content-type"]).toBe("text/html; charset=utf-8");
    const [style = ""] = all(text, /<style>([^]*?)<\/style>/g);
    const hash = createHash("sha256")
      .update(style ?? "")
      .digest("base64");
    expect(headers["content-security-policy"]).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(headers).toMatchObject({
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    });
    expect(text).not.toMatch(/<script|<link|<img|<iframe|\ssrc=|\sstyle=|\son\w+=|url\(|@import/i);
  });

  test("its links lead to what is there", async () => {
    const { text } = await anonymous.get(path);
    const links = all(text, /href="([^"]*)"/g);
    expect(links.length).toBeGreaterThan(1);
    const ids = all(text, /\sid="([^"]*)"/g);
    expect(new Set(ids).size).toBe(ids.length);
    for (const link of links) {
      if (link?.startsWith("#")) expect(ids).toContain(link.slice(1));
      else expect((await anonymous.get(link ?? "")).status, link).toBe(200);
    }
  });
});

test("the reference has every operation with its examples, and every schema", async () => {
  const { text } = await anonymous.get("/docs");
  const ids = all(text, /<section id="([^"]*)"/g);
  const names = operationsOf(document).map(({ operation }) => operation.operationId);
  const received = Object.values<Json>(document.webhooks).map(({ post }) => post.operationId);
  const schemas = Object.keys(document.components.schemas);
  expect(new Set(ids)).toEqual(new Set([...names, ...received, ...schemas]));
  expect(text).toContain("&quot;action&quot;: &quot;invoice.update&quot;");
  expect(text).toContain("X-Service-Signature");
  expect(text).not.toMatch(/undefined|\[object Object\]/);
});

describe.each([...PAGES, "/openapi.json"])("%s", (path) => {
  test("HEAD has the headers of GET and no body", async () => {
    const shown = ({ headers }: Answer) => {
      const { date: _, "x-request-id": _id, ...rest } = headers;
      return rest;
    };
    const head = await anonymous.send("HEAD", path);
    expect(head).toMatchObject({ status: 200, text: "" });
    expect(shown(head)).toEqual(shown(await anonymous.get(path)));
  });

  test("another method is 404, a body is 422", async () => {
    expectRefused(await anonymous.post(path), "not_found");
    expectRefused(await anonymous.send("GET", path, { body: { a: 1 } }), "validation_error");
  });
});
