// Guarantee: NATS may be left out, and a URL that cannot work is refused at start rather than retried
// forever.

import { ConfigError, parseConfig } from "@annals/chassis";
import { expect, test } from "vitest";
import { messagingSettings } from "./settings.ts";

test.for([
  [undefined, undefined],
  ["", undefined],
  ["nats://127.0.0.1:4222", "nats://127.0.0.1:4222"],
  ["tls://annals:secret@nats.example:4222", "tls://annals:secret@nats.example:4222"],
] as const)("%s is taken", ([given, value]) => {
  expect(parseConfig(messagingSettings, { ANNALS_NATS_URL: given }).natsUrl).toBe(value);
});

test.for(["localhost:4222", "http://nats:4222", "nats://:4222", "nats://a:4222,nats://b:4222"])(
  "%s is refused, and not shown",
  (given) => {
    const parse = () => parseConfig(messagingSettings, { ANNALS_NATS_URL: given });
    expect(parse).toThrow(ConfigError);
    expect(parse).not.toThrow(given);
  },
);
