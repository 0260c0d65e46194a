// GetLog and GetWidgetLog: what the log of evidence says of an account, and who has seen it
// (docs/evidence.md).

import { complete } from "@annals/errors";
import type { Database, Pool } from "@annals/postgres";
import type { LedgerService } from "@annals/proto/ledger";
import { vkeyOf } from "@annals/tlog";
import type { ServiceImpl } from "@connectrpc/connect";
import { cosigned } from "../evidence/cosigned.ts";
import { coveredHead, notCovered } from "../evidence/covered-head.ts";
import { publicKeysOf, verifierKeys } from "../evidence/log-keys.ts";
import { getEpoch, getNewestEpoch, getServingEpoch } from "../store/epochs.ts";
import { getLog as getLogStatement } from "../store/logs.ts";
import { getUsage } from "../store/get-usage.ts";

interface Deps {
  readonly database: Pool;
}

type Handler<Name extends keyof ServiceImpl<typeof LedgerService>> = ServiceImpl<
  typeof LedgerService
>[Name];

export function getLog({ database }: Deps): Handler<"getLog"> {
  return async ({ accountId }, { signal }) => {
    complete({ account_id: accountId });
    const own = database.forAccount(accountId, signal);
    const [log] = await own.run(getLogStatement, []);
    if (log === undefined) throw notCovered();
    const [newest] = await own.run(getNewestEpoch, [log.log]);
    const [usage] = await own.run(getUsage, [accountId]);
    const covered = await coveredBy(own, accountId);
    return {
      origin: `${log.origin}/${accountId}`,
      logOrigin: log.origin,
      vkeys: verifierKeys(log.origin, publicKeysOf(log.keys)).map(vkeyOf),
      size: BigInt(usage?.sequence_number ?? 0),
      ...(covered && { covered }),
      epoch: BigInt(newest?.epoch ?? 0),
      epochTime: newest?.time ?? "",
      policy: "",
    };
  };
}

export function getWidgetLog({ database }: Deps): Handler<"getWidgetLog"> {
  return async ({ accountId }, { signal }) => {
    complete({ account_id: accountId });
    const covered = await coveredBy(database.forAccount(accountId, signal), accountId);
    return covered === undefined ? {} : { covered };
  };
}

async function coveredBy(database: Database, accountId: string) {
  const head = await coveredHead(database, accountId);
  if (head === undefined) return undefined;
  const { epoch, log, size } = head;
  const [first] = await database.run(getEpoch, [log, String(epoch)]);
  const [serving] = await database.run(getServingEpoch, [log, String(epoch)]);
  const witnesses = serving ? (await cosigned(database, log, serving)).witnesses : [];
  return {
    size: BigInt(size),
    epoch: BigInt(epoch),
    time: first?.time ?? "",
    witnesses: witnesses.map(({ name, time }) => ({ name, time })),
  };
}
