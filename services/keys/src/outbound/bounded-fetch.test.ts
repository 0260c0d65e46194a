// Guarantee: a request to an identity provider ends within its time and its bytes, whatever the server does.
// It follows no redirect, and trusts the authority of its operator alone. Real servers on loopback.

import { CertificateAuthority } from "@annals/certificates";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect, type Server } from "node:net";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { boundedFetch, FetchFailure } from "./bounded-fetch.ts";

let authority: CertificateAuthority;

beforeAll(async () => {
  authority = await CertificateAuthority.create();
});

async function listen(server: Server & { closeAllConnections?: () => void }): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections?.();
    await closed;
  });
  return (server.address() as AddressInfo).port;
}

async function plain(respond: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listen(createServer(respond))}`;
}

async function encrypted(respond: RequestListener, by = authority): Promise<string> {
  const certificate = await by.issue(["127.0.0.1", "localhost"]);
  return `https://127.0.0.1:${await listen(createTlsServer(certificate, respond))}`;
}

/** The error of a request that fails. */
async function failureOf(request: Promise<Response>): Promise<string> {
  const error: unknown = await request.then(String, (failure: unknown) => failure);
  if (!(error instanceof FetchFailure)) throw new Error(`no FetchFailure: ${String(error)}`);
  return error.message;
}

test("a form is sent, and a response is read", async () => {
  const url = await plain((request, response) => {
    void (async () => {
      let body = "";
      for await (const piece of request) body += String(piece);
      const { authorization, "content-type": type } = request.headers;
      response.writeHead(201, { "content-type": "application/json", "x-a": "b" });
      response.end(JSON.stringify({ body, type, authorization, method: request.method }));
    })();
  });
  const response = await boundedFetch()(`${url}/token`, {
    method: "POST",
    headers: { authorization: "Basic x", "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ a: "1 ä" }),
  });
  expect(response.status).toBe(201);
  expect(response.headers.get("x-a")).toBe("b");
  expect(await response.json()).toEqual({
    authorization: "Basic x",
    body: "a=1+%C3%A4",
    method: "POST",
    type: "application/x-www-form-urlencoded",
  });
});

test("a redirect is a response, and is not followed", async () => {
  let requests = 0;
  const url = await plain((_, response) => {
    requests += 1;
    response.writeHead(302, { location: "/other" }).end();
  });
  const response = await boundedFetch()(url);
  expect(response.status).toBe(302);
  expect(requests).toBe(1);
});

describe("ends", () => {
  test("when the server does not respond", async () => {
    const url = await plain(() => {});
    const fetch = boundedFetch({ timeoutMs: 50 });
    expect(await failureOf(fetch(`${url}/keys`))).toMatch(/^GET http:\/\/127\.0\.0\.1:\d+\/keys: /);
  });

  test("when the body does not end", async () => {
    const url = await plain((_, response) => void response.writeHead(200).write("{"));
    expect(await failureOf(boundedFetch({ timeoutMs: 50 })(url))).toContain("aborted");
  });

  test("when its caller ends it", async () => {
    const url = await plain(() => {});
    const ended = AbortSignal.timeout(50);
    expect(
      await failureOf(boundedFetch({ timeoutMs: 3_600_000 })(url, { signal: ended })),
    ).toContain("aborted");
  });

  test("after 1 MiB, and no earlier", async () => {
    const MIB = 1024 * 1024;
    const url = await plain((request, response) =>
      response.end("x".repeat(Number(request.url?.slice(1)))),
    );
    const response = await boundedFetch()(`${url}/${MIB}`);
    expect((await response.text()).length).toBe(MIB);
    expect(await failureOf(boundedFetch()(`${url}/${MIB + 1}`))).toContain(
      "more than 1048576 bytes",
    );
  });

  test("when the server sends without end", async () => {
    const url = await plain((_, response) => {
      const more = (): void => {
        while (response.write("x".repeat(65_536)));
        response.once("drain", more);
      };
      more();
    });
    const fetch = boundedFetch({ timeoutMs: 3_600_000 });
    expect(await failureOf(fetch(url))).toContain("more than 1048576 bytes");
  });

  test("when there is no server", async () => {
    const url = await plain(() => {});
    const { port } = new URL(url);
    const closed = createServer();
    const free = await listen(closed);
    await new Promise((resolve) => closed.close(resolve));
    expect(port).not.toBe(String(free));
    expect(await failureOf(boundedFetch()(`http://127.0.0.1:${free}`))).toContain("ECONNREFUSED");
  });
});

describe("over TLS", () => {
  const respond: RequestListener = (_, response) => void response.end("ok");

  test("the authority of the operator is trusted, and no other one", async () => {
    const url = await encrypted(respond);
    expect(await (await boundedFetch({ ca: authority.cert })(url)).text()).toBe("ok");
    expect(await failureOf(boundedFetch()(url))).toMatch(/unable to|self-signed/);
    const other = await CertificateAuthority.create("Another");
    const fetch = boundedFetch({ ca: authority.cert });
    expect(await failureOf(fetch(await encrypted(respond, other)))).toMatch(
      /unable to|self-signed/,
    );
  });

  test("the proxy is used, but not for its exceptions", async () => {
    const url = await encrypted(respond);
    const tunnels: string[] = [];
    const proxy = createServer().on("connect", (request, client) => {
      tunnels.push(request.url ?? "");
      const { hostname, port } = new URL(`http://${request.url}`);
      // A tunnel is no connection of the server any longer.
      onTestFinished(() => void client.destroy());
      const onward = connect(Number(port), hostname, () => {
        client.write("HTTP/1.1 200 OK\r\n\r\n");
        onward.pipe(client).pipe(onward);
      });
      for (const end of [onward, client]) end.on("error", () => {});
    });
    const proxyUrl = `http://127.0.0.1:${await listen(proxy)}`;
    const { ca, host } = { ca: authority.cert, host: new URL(url).host };
    const via = boundedFetch({ ca, proxy: { HTTPS_PROXY: proxyUrl } });
    expect(await (await via(url)).text()).toBe("ok");
    expect(tunnels).toEqual([host]);
    const direct = boundedFetch({ ca, proxy: { HTTPS_PROXY: proxyUrl, NO_PROXY: "127.0.0.1" } });
    expect(await (await direct(url)).text()).toBe("ok");
    expect(tunnels).toEqual([host]);
  });
});

test.each(["http://example.com/", "ftp://127.0.0.1/", "https://a:b@127.0.0.1/", "none"])(
  "%s is not asked",
  async (url) => {
    expect(await failureOf(boundedFetch()(url))).toContain("the URL of an identity provider must ");
  },
);
