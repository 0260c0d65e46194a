// An example of a server that makes widget tokens, in Node.js without a dependency. It serves index.html too:
//
//   ANNALS_URL=https://audit.example.com ANNALS_KEY=annals_sk_… node token-server.mjs
//
// The API key, with the scope events:read, stays here: it must never reach a page.

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";

const { ANNALS_URL, ANNALS_KEY, PORT = "3000" } = process.env;
const ORIGIN = process.env.ORIGIN ?? `http://localhost:${PORT}`;
const FILES = { "/": ["index.html", "text/html"], "/page.js": ["page.js", "text/javascript"] };

createServer((request, response) => {
  respond(request, response).catch((error) => {
    console.error(error);
    response.writeHead(502).end();
  });
}).listen(Number(PORT), () => console.log(`listening on ${PORT}`));

async function respond(request, response) {
  if (request.method === "POST" && request.url === "/audit-token") {
    const { token, expires_at } = await makeToken(personOf(request));
    response.writeHead(201, { "content-type": "application/json", "cache-control": "no-store" });
    return response.end(JSON.stringify({ token, expires_at }));
  }
  const [file, type] = FILES[new URL(request.url, ORIGIN).pathname] ?? [];
  if (file === undefined) return response.writeHead(404).end();
  const text = await readFile(join(import.meta.dirname, file), "utf8");
  response.writeHead(200, {
    "content-type": `${type}; charset=utf-8`,
    "content-security-policy":
      `default-src 'none'; script-src 'self' ${ANNALS_URL}; connect-src 'self' ${ANNALS_URL}; ` +
      "require-trusted-types-for 'script'; trusted-types lit-html annals-viewer",
  });
  response.end(text.replaceAll("https://audit.example.com", ANNALS_URL));
}

/** Who looks: replace it with the person of your session, and refuse all others. */
function personOf(_request) {
  return { id: "u_1", name: "Ada" };
}

/** What the person may see: here everything that was done to a customer's invoices. */
async function makeToken(person) {
  const created = await fetch(`${ANNALS_URL}/v1/widget-tokens`, {
    method: "POST",
    headers: { authorization: `Bearer ${ANNALS_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({
      filter: { target_type: "invoice" },
      parts: ["actor.meta", "target.meta", "diff"],
      expires_in: 900,
      origins: [ORIGIN],
      viewer: person,
    }),
  });
  if (!created.ok)
    throw new Error(`the request for a token failed: ${created.status}: ${await created.text()}`);
  return (await created.json()).data;
}
