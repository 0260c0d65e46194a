// The setting of every service that publishes or consumes notices.

import type { Setting } from "@annals/chassis";

const SHAPE = /^(nats|tls):\/\/[^\s,/]+$/;

/**
 * Absent, the service runs without NATS: webhooks then wait for the dispatcher's sweep, and nothing else
 * changes.
 */
const natsUrl: Setting<string | undefined> = {
  env: "ANNALS_NATS_URL",
  about:
    "NATS, `nats://host:4222` or `tls://`, with `user:password@` or `token@` where it asks for one. " +
    "Without it webhooks wait for the dispatcher's sweep.",
  fallback: "",
  secret: true,
  parse: (given) => {
    if (given === "") return undefined;
    if (!SHAPE.test(given) || !URL.canParse(given)) {
      throw new Error("must be a URL of one server that begins with nats:// or tls://");
    }
    return given;
  },
};

export const messagingSettings = { natsUrl };
