// What an application does with the SDK, in plain JavaScript: some of the runtimes read no TypeScript. Run by
// program.mjs and by worker.mjs. It must use nothing that only one of them has.

import { Annals, AnnalsError, verifyCheckpoint, verifyWebhook, WebhookError } from "@annals/sdk";
import { NOTES, POLICY } from "./notes.mjs";

/** Resolves to what the test expects of every runtime. */
export async function calls({ ANNALS_URL, ANNALS_KEY, WEBHOOK_SECRET }, { body, headers }) {
  const address = { baseUrl: ANNALS_URL, apiKey: ANNALS_KEY };
  const annals = new Annals({ ...address, tracking: { batchEvents: 50 } });
  const { events, verify } = annals;

  const options = { idempotencyKey: "once" };
  const created = await events.create({ action: "created" }, options);
  const repeated = await events.create({ action: "created" }, options);
  await events.createMany(["many.1", "many.2"].map((action) => ({ action })));
  for (let number = 1; number <= 220; number += 1)
    annals.track({ action: "tracked", metadata: { number } });
  await annals.flush();
  annals.track({ action: "last" });
  await annals.close();
  const isTakenAfterClose = annals.track({ action: "too late" });

  const pages = [];
  for await (const page of events.list({ order: "asc", limit: 100 }).pages()) pages.push(page.data);
  const proven = events.list({ order: "asc", include: "proof", limit: 100 }).pages();
  const away = new Annals({ ...address, baseUrl: "http://127.0.0.1:1", maxRetries: 0 });
  const signal = AbortSignal.abort(new Error("stopped"));
  const verified = await verifyWebhook(body, headers, WEBHOOK_SECRET);
  return {
    isStoredOnce: created.id === repeated.id,
    isTakenAfterClose,
    buffered: annals.buffered,
    pages: pages.map(({ length }) => length),
    actions: pages.flat().map(({ action, metadata }) => metadata.number ?? action),
    chain: await verify.chain(),
    checked: await verify.events(proven),
    webhook: verified.event,
    checkpoints: await Promise.all(NOTES.map(checkpoint)),
    failures: [
      await failure(verifyWebhook(`${body} `, headers, WEBHOOK_SECRET)),
      await failure(events.get("evt_none")),
      await failure(events.create({ action: "" })),
      await failure(away.events.get("evt_none")),
      await failure(events.get("evt_none", { signal })),
    ],
  };
}

/** The number of witnesses, or why the note is refused. */
function checkpoint(note) {
  return verifyCheckpoint(note, POLICY).then(
    ({ witnesses }) => witnesses.length,
    ({ message, reason }) => reason ?? message,
  );
}

async function failure(promise) {
  try {
    await promise;
    return "none";
  } catch (error) {
    if (error instanceof WebhookError) return error.reason;
    if (!AnnalsError.is(error)) return error.message;
    return [error.type, ...error.details.map(({ field }) => field)].join(" ");
  }
}
