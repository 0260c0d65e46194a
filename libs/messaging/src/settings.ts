// The settings of every service that publishes or consumes notices.

import { optionalText, type Setting } from "@annals/chassis";

const SHAPE = /^(nats|tls):\/\/[^\s,/]+$/;

/** Without it the service runs without NATS: webhooks then wait for the dispatcher's sweep. */
const natsUrl: Setting<string | undefined> = {
  env: "ANNALS_NATS_URL",
  about:
    "NATS, `nats://host:4222` or `tls://`, with `user:password@` or `token@` if needed " +
    "([users](tls.md#nats)). Without it webhooks wait for the dispatcher's sweep.",
  fallback: "",
  secret: true,
  parse: (given) => {
    if (given === "") return undefined;
    if (!SHAPE.test(given) || !URL.canParse(given)) {
      throw new Error("must be the URL of one server, beginning with nats:// or tls://");
    }
    return given;
  },
};

const natsCaFile = optionalText(
  "ANNALS_NATS_CA_FILE",
  "File (PEM) of the authority of NATS, for `tls://`. By default public authorities are trusted. It is " +
    "read for each connection.",
);

export const messagingSettings = { natsUrl, natsCaFile };
