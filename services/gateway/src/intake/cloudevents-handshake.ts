// The handshake of webhooks for CloudEvents: `OPTIONS /v1/intake/cloudevents` (docs/intake.md). A sender asks
// with it whether it may deliver. Called by app.ts. It must never allow a sender whose key could not store an
// event.

import { invalid } from "@annals/errors";
import { RateWindow } from "@annals/proto/keys";
import type { FastifyInstance } from "fastify";
import { takeNoBody } from "../edge/empty-body.ts";
import { refuseRepeated } from "../edge/request-head.ts";
import type { RequestsInFlight } from "../edge/requests-in-flight.ts";

const ORIGIN = "webhook-request-origin";
const PRINTABLE = /^[\x21-\x7e]{1,255}$/;

export function respondToHandshakes(
  v1: FastifyInstance,
  inFlight: Pick<RequestsInFlight, "readBody" | "responded">,
): void {
  v1.route({
    method: "OPTIONS",
    url: "/intake/cloudevents",
    config: { scope: "events:write", window: RateWindow.INTAKE },
    onRequest: [takeNoBody(inFlight), refuseRepeated(ORIGIN)],
    handler: ({ admission, headers, raw }, reply) => {
      const origin = headers[ORIGIN];
      if (typeof origin !== "string" || !PRINTABLE.test(origin))
        throw invalid({
          field: "WebHook-Request-Origin",
          message: "must be the name of the sender, of 1 to 255 printable characters",
        });
      reply.header("webhook-allowed-origin", origin);
      if (admission) reply.header("webhook-allowed-rate", admission.limit);
      reply.header("allow", "OPTIONS, POST");
      reply.code(200).send();
      inFlight.responded(raw);
      return reply;
    },
  });
}
