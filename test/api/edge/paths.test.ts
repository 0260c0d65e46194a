// A path that is not in the table of v1.ts is a 404, and one that cannot be read is a 422: no other
// spelling of a known path reaches it (interface 1 and 4).

import { newAccount } from "@annals/testing";
import { describe, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";
import { exchange } from "./raw-socket.ts";

const { baseUrl, databaseUrl } = inject("stack");
const account = await newAccount(databaseUrl);

async function get(path: string) {
  const head = `GET ${path} HTTP/1.1\r\nHost: annals\r\nAuthorization: Bearer ${account.key}\r\n`;
  const [answer] = await exchange(baseUrl, `${head}Connection: close\r\n\r\n`);
  return answer;
}

describe("404", () => {
  test.each([
    "/index.html",
    "/docs/",
    "/docs/../v1/api-keys",
    "/v1",
    "/v1/",
    "/v2/events",
    "/v1/nope",
    "/v1/api-keys/",
    "/v1//api-keys",
    "//v1/api-keys",
    "/V1/api-keys",
    "/v1/API-KEYS",
    "/v1/api-keys;x=1",
    "/v1/api-keys.json",
    "/v1/./api-keys",
    "/v1/../openapi.json",
    "/v1/%2e%2e/openapi.json",
    "/v1/events/../api-keys",
    "/v1/events/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "/v1/events/%00",
    "/v1/events/batch",
    "/v1/events/evt_1/more",
    "/v1/__proto__",
    "/v1/constructor",
    "/v1/events/__proto__",
    "/documentation",
    "/metrics",
    "/livez",
    "/openapi.json/",
    "*",
  ])("%s", async (path) => {
    expectRefused(await get(path), "not_found");
  });

  test("a long path is not repeated whole", async () => {
    const answer = await get(`/v1/${"a".repeat(2_000)}`);
    expectRefused(answer, "not_found", { message: /^No route matches GET \/v1\/a{196}\.$/ });
  });
});

describe("422", () => {
  test.each([
    "/%",
    "/v1/%zz",
    "/v1/events/%",
    "/v1/events/%ff",
    "/v1/api-keys/%ED%A0%80",
    "/v1/%C0%AE",
  ])("%s", async (path) => {
    expectRefused(await get(path), "validation_error", {
      message: "The path is not a valid URL path.",
    });
  });
});
