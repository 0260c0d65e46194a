// Runs calls.mjs in a Worker, which receives a delivery of a webhook. Every event of it is stored before it
// ends, by waitUntil().

import { Annals } from "@annals/sdk";
import { calls } from "./calls.mjs";

export default {
  async fetch(request, env, context) {
    const { ANNALS_URL: baseUrl, ANNALS_KEY: apiKey } = env;
    const { pathname } = new URL(request.url);
    if (pathname === "/calls") {
      const delivery = { body: await request.text(), headers: request.headers };
      return Response.json(await calls(env, delivery));
    }
    const annals = new Annals({ baseUrl, apiKey });
    annals.track({ action: "request", context: { path: pathname } });
    context.waitUntil(annals.flush());
    return new Response(null, { status: 204 });
  },
};
