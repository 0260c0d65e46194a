// A web site of somebody who embeds the viewer: pages with a content security policy each, on an origin of
// its own. Used by the tests of this folder.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** What a page may make of text, where its policy refuses all the rest. */
export const TRUSTED_TYPES =
  "require-trusted-types-for 'script'; trusted-types lit-html annals-viewer";

export interface SitePage {
  readonly policy: string;
  /** What follows the heading. */
  readonly html: string;
}

/** Closed when the test ends. */
export async function openSite(pages: Readonly<Record<string, SitePage>>) {
  const server = createServer((request, response) => {
    const page = pages[new URL(request.url ?? "/", "http://site").pathname];
    if (request.url === "/favicon.ico") return void response.writeHead(204).end();
    if (!page) return void response.writeHead(404).end();
    response.writeHead(200, {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": page.policy,
    });
    response.end(
      `<!doctype html><html lang="en"><title>A page</title><body><main><h1>A page</h1>${page.html}</main></body></html>`,
    );
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
