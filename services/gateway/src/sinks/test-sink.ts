// POST /v1/sinks/{id}/test (docs/interface.md): sends one checkpoint and says how it was received.

import { Type } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import { dataOf } from "../render/data.ts";
import { idIn, named, Nullable } from "../render/schema.ts";
import { SinkId } from "./render-sink.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

/** For the wait for a turn, up to 10 s, and for the time that a receiver has for one batch, 30 s. */
const TIMEOUT_MS = 42_000;

const Tested = named(
  "SinkTest",
  Type.Object({
    success: Type.Boolean({ examples: [true] }),
    error: Nullable(Type.String(), {
      description: "Why the receiver did not accept it; null after a success.",
      examples: [null],
    }),
  }),
);

export function testSink({ webhooks }: Pick<Deps, "webhooks">): Route {
  return route({
    summary: "Test a sink",
    description:
      "Sends one checkpoint, even if the sink is paused, and waits for the receiver, up to half a minute. The cursor " +
      "stays. An account may test its sinks 20 times a minute, one at a time.",
    feature: "webhooks",
    params: idIn(SinkId),
    success: { status: 200, body: dataOf(Tested) },
    failures: [404],
    handle: async ({ admission, params, signal }) => {
      const request = { accountId: admission.accountId, id: params.id };
      const { error, success } = await webhooks.testSink(request, {
        ...admittedBy(admission, signal),
        timeoutMs: TIMEOUT_MS,
      });
      return { body: { data: { success, error: error ?? null } } };
    },
  });
}
