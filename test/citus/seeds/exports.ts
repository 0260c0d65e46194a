// The rows of exports with which each statement begins. Called by databases.ts.

import { FUTURE, LATER, LONG_AGO } from "../cases/case.ts";
import { auditSeeds } from "./audit.ts";
import { outboxSeeds } from "./outbox.ts";
import type { SeedRow, SeedsOf } from "./seeds.ts";

export const FILTER_JSON = '{"action":"a"}';

const JOB = {
  format: "jsonl",
  include_proofs: true,
  filter_json: FILTER_JSON,
  filter: "\\x0a0161",
  head_sequence: 6,
  head_hash: "00",
  created_at: LONG_AGO,
  status: "pending",
  lease_token: 0,
  attempts: 0,
  due_at: LONG_AGO,
  completed_at: null,
  event_count: null,
  sha256: null,
  size_bytes: null,
  file: null,
  deleted_at: null,
  taken_at: null,
  created_by: "key_1",
  deleted_by: null,
  reserved_bytes: 0,
  max_bytes: 1_000_000,
  waits_for_room: false,
};

const COMPLETED = {
  status: "completed",
  completed_at: LATER,
  event_count: 6,
  sha256: "ab",
  size_bytes: 4_096,
};

const DELETED = { deleted_at: LATER, deleted_by: "key_1" };

const RUNNING = { status: "running", lease_token: 3, attempts: 1, taken_at: LONG_AGO };

const JOBS: Readonly<Record<string, SeedRow>> = {
  exp_1: { due_at: "2020-01-01T00:00:00Z" },
  exp_2: { ...RUNNING, reserved_bytes: 512, created_at: LATER },
  exp_3: { ...RUNNING, lease_token: 5, due_at: LATER, include_proofs: false },
  exp_4: { ...COMPLETED, file: "exp_4.jsonl" },
  exp_5: { status: "failed", reserved_bytes: 77, lease_token: 2, format: "csv" },
  exp_6: { ...DELETED, status: "failed", reserved_bytes: 33 },
  exp_7: { ...COMPLETED, ...DELETED, file: "exp_7.jsonl", created_at: LATER },
  exp_8: { created_at: FUTURE, due_at: FUTURE },
};

/** In the second account one export is being written, and another waits for room. */
const SECOND: Readonly<Record<string, SeedRow>> = {
  exp_2: { due_at: FUTURE },
  exp_8: { waits_for_room: true },
};

const ARCHIVE = {
  id: "arc_1",
  from_sequence: 1,
  to_sequence: 3,
  month: "2026-01",
  head_sequence: 6,
  head_hash: "00",
  created_at: LONG_AGO,
  status: "writing",
  lease_token: 2,
  due_at: LONG_AGO,
  records_through: 6,
  has_leftovers: true,
  written_at: null,
  file_token: null,
  text_bytes: null,
  text_sha256: null,
  events_bytes: null,
  events_sha256: null,
  evidence_bytes: null,
  evidence_sha256: null,
};

const WRITTEN = {
  status: "completed",
  has_leftovers: false,
  written_at: LATER,
  file_token: 2,
  text_bytes: 900,
  text_sha256: "ab",
  events_bytes: 300,
  events_sha256: "cd",
  evidence_bytes: 500,
  evidence_sha256: "ef",
};

/** One that is written, one that no replica holds, one that a replica writes, and two that are deleted. */
const ARCHIVES: readonly SeedRow[] = [
  { ...WRITTEN },
  { id: "arc_2", from_sequence: 4, to_sequence: 5 },
  { id: "arc_3", from_sequence: 6, to_sequence: 6, due_at: FUTURE },
  { ...WRITTEN, id: "arc_4", from_sequence: 7, to_sequence: 7, head_sequence: 7, status: "ending" },
  { ...WRITTEN, id: "arc_5", from_sequence: 8, to_sequence: 8, head_sequence: 8, status: "ended" },
];

export const exportsSeeds: SeedsOf = (accounts) => ({
  jobs: accounts.flatMap((account_id, index) =>
    Object.entries(JOBS).map(([id, job]) => ({
      account_id,
      id,
      ...JOB,
      ...job,
      ...(index === 1 && SECOND[id]),
    })),
  ),
  archives: accounts.flatMap((account_id) =>
    ARCHIVES.map((archive) => ({ account_id, ...ARCHIVE, ...archive })),
  ),
  ...outboxSeeds(accounts, "export.completed"),
  ...auditSeeds(accounts),
});
