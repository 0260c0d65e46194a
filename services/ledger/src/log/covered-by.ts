// What covers an account: how many events, since which epoch, and which witnesses have seen it. Called by the
// RPCs that show it.

import type { CoveredEvents } from "@annals/contract";
import type { Database } from "@annals/postgres";
import type { CoveredSchema } from "@annals/proto/ledger";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { getEpoch, getServingEpoch } from "./store/epochs.ts";
import { cosigned } from "./cosigned.ts";
import { coveredHead } from "./covered-head.ts";

/** Undefined if no served epoch has the account. */
export async function coveredBy(
  database: Database,
  accountId: string,
): Promise<CoveredEvents | undefined> {
  const head = await coveredHead(database, accountId);
  if (head === undefined) return undefined;
  const { epoch, log, size } = head;
  const [first] = await database.run(getEpoch, [log, String(epoch)]);
  const [serving] = await database.run(getServingEpoch, [log, String(epoch)]);
  const witnesses = serving ? (await cosigned(database, log, serving)).witnesses : [];
  return { sequenceNumber: size, epoch, time: first?.time ?? "", witnesses };
}

export function renderCovered(covered: CoveredEvents): MessageInitShape<typeof CoveredSchema> {
  const { epoch, sequenceNumber, time, witnesses } = covered;
  return {
    size: BigInt(sequenceNumber),
    epoch: BigInt(epoch),
    time,
    witnesses: witnesses.map(({ name, time: seenAt }) => ({ name, time: seenAt })),
  };
}
