// Tracks events of two users side by side, and of a job of the first one. Run by context.test.ts.

import { Annals } from "@annals/sdk";
import { context, run, save } from "@annals/sdk/context";
import { env } from "node:process";
import { setImmediate } from "node:timers/promises";

const annals = new Annals({ baseUrl: env.ANNALS_URL, apiKey: env.ANNALS_KEY });

async function work(id) {
  await setImmediate();
  annals.track({ action: "tracked", metadata: { by: id } });
  return JSON.stringify(save());
}

const [saved] = await Promise.all(
  ["u_1", "u_2"].map((id) => context({ actor: { type: "user", id } }, () => work(id))),
);
run(JSON.parse(saved), () => annals.track({ action: "job", metadata: { by: "u_1" } }));
annals.track({ action: "beside" });
await annals.close();
