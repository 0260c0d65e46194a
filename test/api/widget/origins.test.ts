// Which web pages may read what a widget token shows (CORS): those of the origins that it names, of successes
// and of errors, and no others (docs/interface.md).

import { newClient } from "@annals/testing";
import { expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";
import { newToken } from "../../system/widget-client.ts";

const stack = inject("stack");
const { client } = await newClient(stack);
const PATH = "/v1/widget/events";
const ORIGIN = "https://app.example.com";
const EXPOSED = "Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-Request-Id";
const from = (origin: string) => ({ headers: { origin } });
const token = () => newToken(client, { origins: ["https://b.example", ORIGIN] });

test("an origin of the token may read successes and errors", async () => {
  const { widget } = await token();
  const answers = [
    await widget.get(PATH, from(ORIGIN)),
    await widget.get(`${PATH}?limit=0`, from(ORIGIN)),
    await widget.get(`${PATH}/none`, from(ORIGIN)),
    await widget.get("/v1/widget/none", from(ORIGIN)),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 422, 404, 404]);
  for (const { headers } of answers) {
    expect(headers["access-control-allow-origin"]).toBe(ORIGIN);
    expect(headers["access-control-expose-headers"]).toBe(EXPOSED);
    expect(headers["vary"]).toBe("origin");
    expect(headers).not.toHaveProperty("access-control-allow-credentials");
  }
});

test.each([
  "https://other.example",
  "http://app.example.com",
  "https://app.example.com:8443",
  "https://app.example.com.evil.example",
  "https://APP.example.com",
  "null",
  `${ORIGIN}, https://b.example`,
  "",
])("403, unreadable for the origin %j", async (origin) => {
  const { widget } = await token();
  const answer = await widget.get(PATH, from(origin));
  expectRefused(answer, "scope_error", { message: /Name it in `origins`/ });
  expect(answer.headers).not.toHaveProperty("access-control-allow-origin");
  expect(answer.headers["vary"]).toBe("origin");
});

test("a token without origins is for pages of the service alone, which send none", async () => {
  const { widget } = await newToken(client);
  expectRefused(await widget.get(PATH, from(ORIGIN)), "scope_error");
  const { status, headers } = await widget.get(PATH);
  expect(status).toBe(200);
  expect(headers).not.toHaveProperty("access-control-allow-origin");
});

test("every page may read that its token is not valid: that answer tells nothing of any account", async () => {
  const { id, widget } = await token();
  await client.delete(`/v1/widget-tokens/${id}`);
  for (const by of [widget, client, client.as(undefined)]) {
    const answer = await by.get(PATH, from("https://other.example"));
    expectRefused(answer, "authentication_error");
    expect(answer.headers["access-control-allow-origin"]).toBe("*");
  }
});

test("a preflight is answered without a token and is not counted; on other routes it is not allowed", async () => {
  const { widget } = await token();
  const preflight = (path: string) =>
    fetch(stack.baseUrl + path, {
      method: "OPTIONS",
      headers: {
        origin: ORIGIN,
        "access-control-request-method": "GET",
        "access-control-request-headers": "authorization",
      },
    });
  const answer = await preflight(PATH);
  expect(answer.status).toBe(204);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "access-control-allow-origin": "*",
    "access-control-allow-methods": "GET",
    "access-control-allow-headers": "Authorization",
    "x-ratelimit-limit": "120",
    "x-ratelimit-remaining": "120",
  });
  expect((await widget.get(PATH)).headers["x-ratelimit-remaining"]).toBe("119");
  const other = await preflight("/v1/events");
  expect(other.status).toBe(401);
  expect(other.headers.has("access-control-allow-origin")).toBe(false);
});
