// A web site that embeds the viewer: pages and scripts with a content security policy, on an
// origin of its own. Used by the tests of this folder.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** What a page may make of text, where its policy refuses all the rest. */
export const TRUSTED_TYPES =
  "require-trusted-types-for 'script'; trusted-types lit-html annals-viewer";

export interface SiteFile {
  /** Of a page; a script has none. */
  readonly policy?: string;
  /** What follows the heading of a page, or a script. */
  readonly content: string;
}

/** Files by path: those that end in `.js` are scripts. */
export async function openSite(files: Readonly<Record<string, SiteFile>>) {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://site").pathname;
    const file = files[path];
    if (path === "/favicon.ico") return void response.writeHead(204).end();
    if (!file) return void response.writeHead(404).end();
    const isScript = path.endsWith(".js");
    response.writeHead(200, {
      "content-type": `text/${isScript ? "javascript" : "html"}; charset=utf-8`,
      // A worker has the policy of its own file.
      "content-security-policy": file.policy ?? "default-src 'none'",
    });
    response.end(isScript ? file.content : pageOf(file.content));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => void server.close(),
  };
}

function pageOf(content: string): string {
  return `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width">
    <title>A page</title><body><main><h1>A page</h1>${content}</main></body></html>`;
}
