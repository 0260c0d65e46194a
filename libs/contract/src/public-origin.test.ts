// Guarantee: the origin of browsers is encrypted unless it stays on this machine, and nothing but an origin.

import { expect, test } from "vitest";
import { publicOrigin } from "./public-origin.ts";

test.each([
  ["https://audit.example.com", "https://audit.example.com", true],
  ["https://audit.example.com/", "https://audit.example.com", true],
  ["https://Audit.Example.com:443", "https://audit.example.com", true],
  ["https://audit.example.com:8443", "https://audit.example.com:8443", true],
  ["http://127.0.0.1:8080", "http://127.0.0.1:8080", false],
  ["http://localhost:8080", "http://localhost:8080", false],
  ["http://[::1]:8080", "http://[::1]:8080", false],
])("%s", (text, origin, isSecure) => {
  expect(publicOrigin(text)).toEqual({ origin, isSecure });
});

test.each([
  ["", "must be a URL"],
  ["audit.example.com", "must be a URL"],
  ["https://audit.example.com/annals", "must be an origin"],
  ["https://audit.example.com/?a", "must be an origin"],
  ["https://audit.example.com/#a", "must be an origin"],
  ["https://u:p@audit.example.com", "must be an origin"],
  ["http://audit.example.com", "must begin with https://"],
  ["http://127.0.0.1.example.com", "must begin with https://"],
  ["http://128.0.0.1", "must begin with https://"],
  ["ftp://127.0.0.1", "must begin with https://"],
])("not %j", (text, fault) => {
  expect(() => publicOrigin(text)).toThrow(fault);
});
