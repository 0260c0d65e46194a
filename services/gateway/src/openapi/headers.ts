// The headers that responses share, in the document.

import { PRIVATE_HEADERS } from "../edge/private-headers.ts";

/** `components.headers`. */
export const HEADERS = {
  "Cache-Control": {
    description: "The response must not be stored.",
    required: true,
    schema: { type: "string", const: PRIVATE_HEADERS["cache-control"] },
    example: PRIVATE_HEADERS["cache-control"],
  },
  "X-Content-Type-Options": {
    description: "Browsers must not guess the content type.",
    required: true,
    schema: { type: "string", const: PRIVATE_HEADERS["x-content-type-options"] },
    example: PRIVATE_HEADERS["x-content-type-options"],
  },
  "X-RateLimit-Limit": {
    description: "Maximum requests in the current window.",
    required: true,
    schema: { type: "integer", minimum: 1 },
    example: 100,
  },
  "X-RateLimit-Remaining": {
    description: "Requests remaining in the current window.",
    required: true,
    schema: { type: "integer", minimum: 0 },
    example: 99,
  },
  "X-Request-Id": {
    description: "Include this id when you report a problem.",
    required: true,
    schema: { type: "string", pattern: "^req_[0-9a-z]+$" },
    example: "req_4c7f0j3m6q9t2w5z8b1e4h7k0n",
  },
  "Retry-After": {
    description: "Seconds to wait before retrying.",
    schema: { type: "integer", minimum: 1 },
    example: 17,
  },
} as const;

/** What every response has. */
const ALWAYS = [
  "Cache-Control",
  "X-Content-Type-Options",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-Request-Id",
] as const;

/** References to the headers of every response, and to `more`. */
export function headerReferences(more: readonly (keyof typeof HEADERS)[]) {
  return Object.fromEntries(
    [...ALWAYS, ...more].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}
