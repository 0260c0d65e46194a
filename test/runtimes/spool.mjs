// Tracks events with a spool and waits until it is killed, or sends what is left. Run by runtimes.test.ts.

import { Annals } from "@annals/sdk";
import { Spool } from "@annals/sdk/spool";
import { env, stdout } from "node:process";

const { ANNALS_KEY, ANNALS_URL, AWAY, SPOOL_DIR } = env;
const spool = new Spool(SPOOL_DIR);
const tracking = { spool, batchEvents: 50, onStall: () => {} };
const annals = new Annals({ baseUrl: AWAY ?? ANNALS_URL, apiKey: ANNALS_KEY, tracking });

if (AWAY === undefined) {
  annals.track({ action: "tracked", metadata: { number: 201 } });
  await annals.close();
  stdout.write(JSON.stringify(spool.stats()));
} else {
  for (let number = 1; number <= 200; number += 1)
    annals.track({ action: "tracked", metadata: { number } });
  stdout.write("tracked");
  await annals.flush();
}
