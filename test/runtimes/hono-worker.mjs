// A Worker with Hono's middleware, which stores the event of a request after its response. Bundled and run by
// context.test.ts.

import { Annals } from "@annals/sdk";
import { annalsAudit } from "@annals/sdk/hono";
import { Hono } from "hono";

export default {
  fetch(request, env, context) {
    const annals = new Annals({ baseUrl: env.ANNALS_URL, apiKey: env.ANNALS_KEY });
    const app = new Hono();
    const actor = (c) => ({ type: "user", id: c.req.header("x-user") });
    app.use(annalsAudit(annals, { actor }));
    app.post("/invoices", (c) => {
      annals.track({ action: "invoice.create" });
      c.executionCtx.waitUntil(annals.flush());
      return c.body(null, 204);
    });
    return app.fetch(request, env, context);
  },
};
