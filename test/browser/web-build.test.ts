// Guarantee: what the gateway serves to browsers is one self-contained module of bounded size, for any
// origin, cached permanently only where its address has its hash. It loads under the strictest policy.

import { HttpClient } from "@annals/testing";
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { expect, inject, onTestFinished, test } from "vitest";
import { expectAccessible, openPage } from "./browser.ts";
import { openBrowser } from "./chromium.ts";
import { openSite, TRUSTED_TYPES } from "./site.ts";

const MAX_GZIP_BYTES = 39_600;
const MAX_DASHBOARD_GZIP_BYTES = 44_300;
const { baseUrl } = inject("stack");
const anonymous = new HttpClient(baseUrl);

test("the viewer is at most 39.6 kB with gzip and imports nothing", async () => {
  const { text, headers } = await anonymous.get("/widget/viewer.js");
  expect(gzipSync(text).length).toBeLessThan(MAX_GZIP_BYTES);
  expect(text).not.toMatch(/\bimport\s*["'{*]|\bfrom\s*["'][^"']+["'];/);
  expect(headers).toMatchObject({
    "content-type": "text/javascript; charset=utf-8",
    "access-control-allow-origin": "*",
    "cross-origin-resource-policy": "cross-origin",
    "cache-control": "no-cache",
    "x-content-type-options": "nosniff",
  });
});

test("the dashboard is at most 44.3 kB and imports nothing but the viewer", async () => {
  const { text } = await anonymous.get("/dashboard/dashboard.js");
  expect(gzipSync(text).length).toBeLessThan(MAX_DASHBOARD_GZIP_BYTES);
  expect(text).not.toMatch(/\bimport\s*["'{*]|\bfrom\s*["'][^"']+["'];/);
});

test("integrity.json says the hash of the viewer and an address that never changes", async () => {
  const { body } = await anonymous.get("/widget/integrity.json");
  const { url, integrity } = body["/widget/viewer.js"];
  const { text, headers } = await anonymous.get(url);
  expect(integrity).toBe(`sha384-${createHash("sha384").update(text).digest("base64")}`);
  expect(headers["cache-control"]).toBe("public, max-age=31536000, immutable");
  expect((await anonymous.get("/widget/viewer-0000000000000000.js")).status).toBe(404);
  expect((await anonymous.get("/widget/..%2f..%2fpackage.json")).status).toBe(404);
});

test("a browser that has the file gets 304, and one that reads gzip gets gzip", async () => {
  const { headers, text } = await anonymous.get("/widget/viewer.js");
  const again = { "if-none-match": headers["etag"] ?? "" };
  expect(await anonymous.get("/widget/viewer.js", { headers: again })).toMatchObject({
    status: 304,
    text: "",
  });
  const packed = await fetch(`${baseUrl}/widget/viewer.js`, {
    headers: { "accept-encoding": "gzip" },
  });
  expect(packed.headers.get("content-encoding")).toBe("gzip");
  expect(packed.headers.get("etag")).not.toBe(headers["etag"]);
  expect(await packed.text()).toBe(text);
});

test("a page of another origin loads it with its integrity hash, under the strictest policy", async () => {
  const { url, integrity } = (await anonymous.get("/widget/integrity.json")).body[
    "/widget/viewer.js"
  ];
  const site = await openSite({
    "/": {
      policy: `default-src 'none'; script-src ${baseUrl}; ${TRUSTED_TYPES}`,
      content: `<script type="module" src="${baseUrl}${url}" integrity="${integrity}" crossorigin></script>`,
    },
  });
  onTestFinished(site.close);
  const browser = await openBrowser();
  onTestFinished(() => browser.close());
  const page = await openPage(browser, { origins: [baseUrl, site.origin] });
  await page.goto(`${site.origin}/`);
  await page.evaluate(() => customElements.whenDefined("annals-viewer"));
  await expectAccessible(page);
});
