// Guarantees: a witness gets the request of the specification, and whatever it answers is bounded in size and
// time and ends in an outcome. No redirect is followed. The policy's URLs are the only places that are asked.

import { KEY_TYPE, keyOf, vkeyOf } from "@annals/tlog";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { witnessTargets } from "./rules/witness-targets.ts";
import { addCheckpoint, readView } from "./witness.ts";

const NOTE = "log.example\n2\nAAAA\n\n— log.example AAAA\n";
const SHOWN = { checkpoint: NOTE, oldSize: 1n, proof: [Buffer.alloc(32, 1), Buffer.alloc(32, 2)] };
const KEY = keyOf("witness.example", KEY_TYPE.ed25519Cosignature, Buffer.alloc(32, 7));

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

async function serve(handler: Handler): Promise<URL> {
  const server = createServer(handler);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/add-checkpoint`);
}

async function ask(handler: Handler, timeoutMs = 10_000) {
  const url = await serve(handler);
  const to = { extraAuthorities: undefined, timeoutMs, url };
  return addCheckpoint(to, SHOWN, new AbortController().signal);
}

const answering = (status: number, body = "", headers = {}) =>
  ask((_, response) => void response.writeHead(status, headers).end(body));

test("it is shown the checkpoint with the proof from what it has seen", async () => {
  let seen = "";
  const answer = await ask((request, response) => {
    request.on("data", (chunk: Buffer) => (seen += chunk.toString()));
    request.on("end", () => response.end("— w AAAA\n"));
  });
  expect(answer).toEqual({ outcome: "cosigned", lines: "— w AAAA\n" });
  const hashes = SHOWN.proof.map((hash) => `${hash.toString("base64")}\n`);
  expect(seen).toBe(`old 1\n${hashes.join("")}\n${NOTE}`);
});

describe("an answer with", () => {
  const SIZE = { "content-type": "text/x.tlog.size" };

  test("409 and a size says what it has seen", async () => {
    expect(await answering(409, "7\n", SIZE)).toEqual({ outcome: "conflict", seenSize: 7n });
  });

  test.each([
    ["409 and another type", 409, "7\n", { "content-type": "text/plain" }, "refused"],
    ["409 and no size", 409, "-7\n", SIZE, "refused"],
    ["403", 403, "", {}, "refused"],
    ["404", 404, "", {}, "refused"],
    ["422", 422, "", {}, "inconsistent"],
    ["a redirect", 307, "", { location: "/elsewhere" }, "refused"],
    ["500", 500, "", {}, "failed"],
    ["503", 503, "", {}, "failed"],
  ])("%s signs nothing", async (_, status, body, headers, outcome) => {
    expect(await answering(status, body, headers)).toMatchObject({
      outcome,
      reason: `status ${status}`,
    });
  });

  test("more than 64 KiB is not read to its end", async () => {
    const answer = await answering(200, "x".repeat(65_537));
    expect(answer).toMatchObject({
      outcome: "failed",
      reason: expect.stringContaining("more than 65536 bytes"),
    });
    expect(await answering(200, "x".repeat(65_536))).toMatchObject({ outcome: "cosigned" });
  });

  test("nothing, or only a beginning, ends at its time", async () => {
    expect(await ask(() => {}, 100)).toMatchObject({ outcome: "failed" });
    const begun = await ask((_, response) => void response.write("— w"), 100);
    expect(begun).toMatchObject({ outcome: "failed" });
    const broken = await ask((_, response) => {
      response.writeHead(200, { "content-length": "9" }).write("— w");
      response.destroy();
    });
    expect(broken).toMatchObject({ outcome: "failed" });
  });
});

describe("its own view of a log", () => {
  const view = (handler: Handler) =>
    serve(handler).then((url) =>
      readView({ extraAuthorities: undefined, url }, "log.example", new AbortController().signal),
    );

  test("is below the prefix that the policy has, named by the digest of the origin", async () => {
    let seen = "";
    const shown = await view(({ method, url }, response) => {
      seen = `${method} ${url}`;
      response.end(NOTE);
    });
    const digest = createHash("sha256").update("log.example").digest("hex");
    expect([shown, seen]).toEqual([NOTE, `GET /${digest}/checkpoint`]);
  });

  test.each([404, 301, 500])("is not what comes with the status %i", async (status) => {
    const refused = view(
      (_, response) => void response.writeHead(status, { location: "/" }).end(NOTE),
    );
    await expect(refused).rejects.toThrow(`status ${status}`);
  });

  test("has a bound", async () => {
    const refused = view((_, response) => void response.end("x".repeat(65_537)));
    await expect(refused).rejects.toThrow("more than 65536 bytes");
  });
});

describe("the witnesses that are asked", () => {
  const policy = (url: string) => `witness w ${vkeyOf(KEY)} ${url}\nquorum w\n`;
  const urls = (text: string) => witnessTargets(text).map(({ url }) => url.href);

  test("are those with a URL, whose path is kept", () => {
    expect(urls(policy("https://w.example/a/"))).toEqual(["https://w.example/a/add-checkpoint"]);
    expect(urls(policy("http://10.0.0.7:8080"))).toEqual(["http://10.0.0.7:8080/add-checkpoint"]);
    expect(urls(policy(""))).toEqual([]);
  });

  test.each(["file:///etc/passwd", "w.example", "https://u:p@w.example", "https://w.example/?a"])(
    "are not at %s",
    (url) => {
      expect(() => urls(policy(url))).toThrow("the URL of the witness w is not that of a server");
    },
  );
});
