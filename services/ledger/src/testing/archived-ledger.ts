// A ledger within the process of a test that is asked by the workers of archives: a clock, a log, retention
// and erasures. Imported by tests of the whole system only.

import { LedgerService } from "@annals/proto/ledger";
import { type Client, createClient, createRouterTransport } from "@connectrpc/connect";
import { listLifecycles } from "../retention/rpc/list-lifecycles.ts";
import { NEVER } from "./block-fixtures.ts";
import { openErasures } from "./erasure-fixtures.ts";
import { openRetention } from "./retention-fixtures.ts";
import { appendOf, eventOf, eventsJsonOf, type GivenEvent } from "./test-ledger.ts";

export { NEVER };

export type ArchivedLedger = Awaited<ReturnType<typeof openArchivedLedger>>;

/** `piece`: maximum events of a piece of an archive. */
export async function openArchivedLedger(piece?: number) {
  const world = await openRetention();
  const { clock, log } = world;
  const { client, database } = log.ledger;
  log.signer.retention = { days: 365, minDays: 2, archive: true };
  const erasures = openErasures({ clock, owner: log.owner, pool: database });
  const transport = createRouterTransport((router) =>
    router.service(LedgerService, {
      listLifecycles: listLifecycles({
        archivePiece: piece,
        clock,
        database,
        keys: log.signer.client,
      }),
    }),
  );
  const pieces = createClient(LedgerService, transport);
  const ofPieces: Client<typeof LedgerService> = {
    ...client,
    listLifecycles: (...call) => pieces.listLifecycles(...call),
  };
  return {
    ...world,
    client: ofPieces,
    erasures,
    /** Appends an event with each of these members. */
    append: async (accountId: string, events: readonly GivenEvent[]) => {
      const eventsJson = eventsJsonOf(events.map((members) => eventOf(members)));
      const appends = [{ ...appendOf(accountId), eventsJson }];
      const [{ outcome } = { outcome: undefined }] = (await client.createEvents({ appends }))
        .outcomes;
      if (outcome?.case !== "stored") throw new Error(`not stored: ${JSON.stringify(outcome)}`);
    },
    archivedThrough: async (accountId: string) => {
      const { retention } = await client.getRetention({ accountId });
      return Number(retention?.archivedThrough);
    },
  };
}
