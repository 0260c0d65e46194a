// ReadHeadLog: the checkpoint, the tiles and the entries of the head log up to the newest served epoch, and
// its keys. Nothing of it names an account, so anyone may read it.

import { invalid, notFound } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { LedgerService } from "@annals/proto/ledger";
import { TILE_WIDTH, type TilePath, vkeyOf, splitHashes } from "@annals/tlog";
import type { ServiceImpl } from "@connectrpc/connect";
import { cosigned } from "../cosigned.ts";
import { entryBundle } from "../entry-bundle.ts";
import { HeadLog } from "../head-log.ts";
import { verifierKeys } from "../log-keys.ts";
import { getNewestServedEpoch } from "../store/epochs.ts";
import { getLogOf } from "../store/logs.ts";

/** Name under which the pool counts these calls: they are for no account, and have the share of one. */
const PUBLIC = "head log";
const MAX_LOG = 32_767;
const MAX_LEVEL = 63;

interface Deps {
  readonly database: Pool;
}

export function readHeadLog({ database }: Deps): ServiceImpl<typeof LedgerService>["readHeadLog"] {
  return async ({ log: number, part }, { signal }) => {
    const log = number === 0 ? 1 : number;
    if (log > MAX_LOG) throw notFound("log", String(log));
    const shared = database.forAccount(PUBLIC, signal);
    const [row] = await shared.run(getLogOf, [log]);
    const [served] = await shared.run(getNewestServedEpoch, [log]);
    if (row === undefined || served === undefined) throw notFound("log", String(log));
    const size = Number(served.epoch);
    const headLog = new HeadLog(shared, log);
    if (part.case === "checkpoint") {
      const { checkpoint } = await cosigned(shared, log, served);
      return { content: Buffer.from(checkpoint) };
    }
    if (part.case === "vkey") {
      const vkeys = verifierKeys(row.origin, splitHashes(row.keys)).map(vkeyOf);
      return { content: Buffer.from(`${vkeys.join("\n")}\n`) };
    }
    if (part.case === "entries") {
      const { index, width } = placeOf(size, { ...part.value, level: 0 });
      const entries = await headLog.readEntries(index, width);
      return { content: entryBundle(entries.map((entry) => Buffer.from(entry))) };
    }
    if (part.case === "tile") {
      const hashes = await headLog.readTile(placeOf(size, part.value));
      if (hashes === undefined) throw notFound("tile", String(part.value.index));
      return { content: hashes };
    }
    throw invalid({ field: "part", message: "Ask for one part of the log." });
  };
}

interface Place {
  readonly level: number;
  readonly index: bigint;
  readonly width: number;
}

/** Throws `not_found` for a tile that a log of this size does not have. */
function placeOf(size: number, { index, level, width }: Place): TilePath {
  const hashes = level > MAX_LEVEL ? 0 : Math.floor(size / TILE_WIDTH ** level);
  const isThere = width >= 1 && width <= TILE_WIDTH && Number(index) * TILE_WIDTH + width <= hashes;
  if (!isThere) throw notFound("tile", String(index));
  return { level, index: Number(index), width };
}
