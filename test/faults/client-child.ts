// A process that a test kills: a client with a spool that tracks events until then, or the relay of an
// outbox. Started by client-kills.test.ts. It prints the number of events that were accepted.
//
//   node client-child.ts spool BASE_URL KEY FOLDER RUN
//   node client-child.ts outbox BASE_URL KEY DATABASE_URL

import { Annals } from "@annals/sdk";
import { Outbox } from "@annals/sdk/outbox";
import { Spool } from "@annals/sdk/spool";
import { writeSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import pg from "pg";

const STDOUT = 1;
const PRINT_EACH = 20;

// The test has ended, or was killed.
process.stdin.on("end", () => process.exit()).resume();

const [what = "", baseUrl = "", apiKey = "", place = "", run = ""] = process.argv.slice(2);

if (what === "outbox") {
  const annals = new Annals({ baseUrl, apiKey });
  const pool = new pg.Pool({ connectionString: place });
  const outbox = new Outbox({ annals, pool, batchEvents: 20, pollMs: 10 });
  await outbox.run(new AbortController().signal);
} else {
  const spool = new Spool(place, { maxBytes: 4_000_000 });
  const annals = new Annals({
    baseUrl,
    apiKey,
    tracking: { spool, batchEvents: 100, maxWaitMs: 20, onStall: () => {} },
  });
  for (let number = 1; ; number += 1) {
    await annals.ready();
    if (!annals.track({ action: "tracked", metadata: { run: Number(run), number } })) break;
    if (number % PRINT_EACH === 0) {
      writeSync(STDOUT, `${number}\n`);
      await setImmediate();
    }
  }
}
