// Pages that embed the viewer in the ways that people do: from the gateway's origin, or with the file on the
// page's own. Used by the tests of this folder. Every page has the strictest policy under which it can work.

import { HttpClient } from "@annals/testing";
import type { Browser } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { openPage, type PageOptions } from "./browser.ts";
import { openSite, TRUSTED_TYPES } from "./site.ts";

const PARTS = ["actor.meta", "target.meta", "context", "diff", "metadata"];

export interface Embedding {
  readonly baseUrl: string;
  /** With an API key. */
  readonly client: HttpClient;
  /** Of the widget token, beside all parts and the origin of the page. */
  readonly token?: object;
  /** Of the element, beside server and token. */
  readonly attributes?: string;
  /** A script of the page, before the viewer is defined. It finds the element under `viewer`. */
  readonly script?: string;
  /** `own`: the page's origin has the file, so a worker of it checks the proofs. */
  readonly host?: "own" | "gateway";
  /** Whether the page's origin may use the token. */
  readonly isAllowed?: boolean;
  readonly lang?: string;
  readonly page?: Omit<PageOptions, "origins">;
  /** Whether the test moves the page's clock. */
  readonly hasClock?: boolean;
  /** The file of the viewer on the page's origin, by default what the gateway serves. */
  readonly file?: { readonly path: string; readonly content: string };
  /** In the page's address. */
  readonly query?: string;
}

/** The element is there, and has begun to load. */
export async function embed(browser: Browser, embedding: Embedding) {
  const { baseUrl, client, attributes = "", host = "own", script = "", page: options } = embedding;
  const file = embedding.file ?? {
    path: "/viewer.js",
    content: (await new HttpClient(baseUrl).get("/widget/viewer.js")).text,
  };
  const source = host === "own" ? file.path : `${baseUrl}/widget/viewer.js`;
  const scripts = host === "own" ? "'self'" : `'self' ${baseUrl}`;
  const files: Record<string, { policy?: string; content: string }> = {
    [file.path]: { content: file.content },
    "/page.js": {
      content: `const viewer = document.querySelector("annals-viewer"); ${script}`,
    },
  };
  const site = await openSite(files);
  onTestFinished(site.close);
  const minted = await client.post("/v1/widget-tokens", {
    parts: PARTS,
    origins: embedding.isAllowed === false ? [] : [site.origin],
    ...embedding.token,
  });
  expect(minted.status, minted.text).toBe(201);
  const { token, id } = minted.body.data;
  files["/"] = {
    policy: `default-src 'none'; script-src ${scripts}; connect-src ${baseUrl}; base-uri 'none'; form-action 'none'; ${TRUSTED_TYPES}`,
    content: `<div lang="${embedding.lang ?? "en"}"><annals-viewer server="${baseUrl}" token="${token}" ${attributes}></annals-viewer></div>
      <script src="/page.js"></script>
      <script type="module" src="${source}"></script>`,
  };
  const page = await openPage(browser, { ...options, origins: [baseUrl, site.origin] });
  if (embedding.hasClock === true) await page.clock.install();
  await page.goto(`${site.origin}/${embedding.query ?? ""}`);
  return { page, token, tokenId: id as string, viewer: page.locator("annals-viewer") };
}
