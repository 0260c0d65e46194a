// Archives within the process of a test: a ledger whose clock the test sets, replicas of the workers of the
// export service with a storage of files, and what is in these files. Imported by tests only.

import { createLog, createRegistry } from "@annals/chassis";
import { createMetrics } from "@annals/export/src/metrics.ts";
import { directoryStorage } from "@annals/export/src/storage/directory-storage.ts";
import type { Storage } from "@annals/export/src/storage/storage.ts";
import { Archives } from "@annals/export/src/archives/worker/archives.ts";
import { erasedCopies } from "@annals/export/src/exports/worker/erased-copies.ts";
import { type ArchivedLedger, NEVER, openArchivedLedger } from "@annals/ledger/testing/archives";
import { createPool, type Pool } from "@annals/postgres";
import { clearErasedCopies } from "@annals/rpc";
import { vkeyOf } from "@annals/tlog";
import { verifyEvidence } from "annals-verify";
import { hash, randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { onTestFinished } from "vitest";

const LEASE_MS = 15_000;
const SLICE_MS = 60_000;

export type ArchivesWorld = Omit<ArchivedLedger, "newReplica"> & ReturnType<typeof withFiles>;

interface ArchivedRow {
  readonly id: string;
  readonly month: string;
  readonly from: number;
  readonly to: number;
  readonly file_token: string;
  readonly events_sha256: string;
  readonly evidence_sha256: string;
}

/** `piece`: maximum events of a piece of an archive. */
export async function openArchives(piece?: number): Promise<ArchivesWorld> {
  const ledger = await openArchivedLedger(piece);
  const folder = await mkdtemp(join(tmpdir(), "annals-archives-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return { ...ledger, ...withFiles(ledger, folder) };
}

function withFiles(ledger: ArchivedLedger, folder: string) {
  const { owner } = ledger.log;
  const files = () => filesIn(folder);
  const pieces = (accountId: string) =>
    owner.query<ArchivedRow & Record<string, unknown>>(
      `SELECT id, month, from_sequence::int AS "from", to_sequence::int AS "to", file_token, events_sha256, evidence_sha256
       FROM exports.archives WHERE account_id = $1 AND status = 'completed' ORDER BY from_sequence`,
      [accountId],
    );
  return {
    owner,
    folder,
    files,
    pieces,
    /** Sets archives of the account. */
    setArchive: (accountId: string, archive = true) =>
      ledger.client.setRetention({ accountId, archive, days: 30 }),
    /** A replica of retention. */
    newRetention: () => ledger.newReplica(),
    /** Deletes all files. */
    clean: () => rm(join(folder, "archive"), { recursive: true, force: true }),
    /** `sliceMs`: how long a pass stays with an account. `client`: the ledger as the replica sees it. */
    newReplica: (
      around: (storage: Storage) => Storage = (storage) => storage,
      sliceMs = SLICE_MS,
      client = ledger.client,
    ) => newReplica({ ...ledger, client }, around(directoryStorage(folder)), sliceMs),
    /** Ends every lease, as the death of its holder does. */
    endLeases: () => owner.query("UPDATE exports.archives SET due_at = now()"),
    /** The files, decompressed, that have a text. */
    filesWith: async (text: string) =>
      [...(await files())].flatMap(([name, bytes]) => (plain(bytes).includes(text) ? [name] : [])),
    /** What annals-verify says of each piece of the account. */
    verified: async (accountId: string) => {
      const [key] = ledger.log.signer.keysOf("");
      if (!key) throw new Error("the log has no key");
      const policy = Buffer.from(`log ${vkeyOf(key)}\nquorum none\n`);
      const reports = [];
      for (const one of await pieces(accountId)) {
        const at = join(folder, "archive", accountId, `${one.month}-${one.from}-${one.to}`);
        const events = join(at, `events.${one.file_token}.jsonl.zst`);
        const evidence = join(at, `evidence.${one.file_token}.tar`);
        const digests = [events, evidence].map(async (path) =>
          hash("sha256", await readFile(path)),
        );
        const said = [one.events_sha256, one.evidence_sha256];
        if ((await Promise.all(digests)).join() !== said.join())
          throw new Error("a row has other digests than its files");
        reports.push(await verifyEvidence(evidence, { policy, events }));
      }
      return reports;
    },
  };
}

function newReplica(
  { client, clock, log }: Pick<ArchivedLedger, "client" | "clock" | "log">,
  storage: Storage,
  sliceMs: number,
) {
  const lines: Record<string, unknown>[] = [];
  const logger = createLog(
    { service: "test", level: "info" },
    { write: (line) => lines.push(JSON.parse(line)) },
  );
  const database: Pool = createPool({
    connectionString: log.owner.url,
    role: "annals_exports",
    applicationName: "test",
    maxConnections: 3,
    statementTimeoutMs: 5_000,
    log: logger,
  });
  let isKilled = false;
  onTestFinished(() => (isKilled ? undefined : database.close()));
  const metrics = createMetrics(createRegistry("test"));
  const deps = {
    clock,
    database,
    failures: metrics.failures,
    leaseMs: LEASE_MS,
    ledger: client,
    log: logger,
    metrics,
    random: randomBytes,
    sliceMs,
    storage,
  };
  const archives = new Archives(deps);
  const copies = erasedCopies({ ...deps, onDeleted: () => {} });
  const pass = () => archives.run(NEVER);
  return {
    lines,
    lagS: async () => (await metrics.archiveLag.get()).values[0]?.value,
    bytes: async () => (await metrics.archiveBytes.get()).values[0]?.value,
    /** Ends its connections, as the death of its process does. */
    kill: () => {
      isKilled = true;
      return database.close();
    },
    pass,
    /** Passes until nothing is left for now. */
    passes: async () => {
      while ((await pass()) === 0);
    },
    /** One pass over the erasures that wait. */
    erase: () => clearErasedCopies(copies, NEVER),
  };
}

function plain(bytes: Buffer): Buffer {
  return bytes.readUInt32LE(0) === 0xfd2fb528 ? zstdDecompressSync(bytes) : bytes;
}

async function filesIn(folder: string): Promise<Map<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  const read = await Promise.all(
    paths.map(async (path) => [path.slice(folder.length + 1), await readFile(path)] as const),
  );
  return new Map(read);
}
