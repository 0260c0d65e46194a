// Guarantee: sessions are deleted when they have ended, and not before; people when their retention has
// passed since their last login, but neither a blocked one nor one with a session. With a real PostgreSQL,
// the service's own rights and a controlled clock.

import { formatMicros } from "@annals/contract";
import { asDatabaseClock, type TestDatabase } from "@annals/testing";
import type { Pool } from "@annals/postgres";
import { beforeEach, expect, test } from "vitest";
import { migratedDatabase } from "../../testing/database.ts";
import { type SessionSweepDeps, sweepSessions } from "./session-sweep.ts";

const MICROS_PER_DAY = 86_400_000_000;
const LAST_LOGIN = Date.UTC(2026, 0, 1) * 1_000;

let owner: TestDatabase;
let database: Pool;

beforeEach(async () => {
  ({ owner, service: database } = await migratedDatabase());
});

async function sweepAt(days: number, personRetentionDays = 400): Promise<Record<string, number>> {
  const nowMicros = (): number => LAST_LOGIN + days * MICROS_PER_DAY;
  const clock = asDatabaseClock({ nowMicros, nowText: () => formatMicros(nowMicros()) });
  const swept: Record<string, number> = {};
  const inc = ({ kind }: { kind?: string | number } = {}, count = 1) => {
    swept[String(kind)] = (swept[String(kind)] ?? 0) + count;
  };
  const counter = { inc: inc as SessionSweepDeps["swept"]["inc"] };
  await sweepSessions({ clock, database, personRetentionDays, swept: counter });
  return swept;
}

const person = (id: string, blockedAt: string | null = null) =>
  owner.query(
    `INSERT INTO keys.people (id, issuer, subject, provider, groups, created_at, last_login_at, blocked_at)
     VALUES ($1, 'i', $1, 'okta', '{}', $2, $2, $3)`,
    [id, formatMicros(LAST_LOGIN), blockedAt],
  );
const session = (id: string, idle: string, lifetime: string) =>
  owner.query(
    `INSERT INTO keys.sessions (id, person_id, realm, secret_sha256, rotated_at, created_at, idle_at, expires_at)
     VALUES ($1::text, 'usr_1', 'dashboard', sha256(convert_to($1::text, 'UTF8')), now(), now(),
       now() + $2::interval, now() + $3::interval)`,
    [id, idle, lifetime],
  );
const ids = async (table: string) =>
  (await owner.query<{ id: string }>(`SELECT id FROM keys.${table} ORDER BY id`)).map(
    ({ id }) => id,
  );

test("sessions end by either of their times, and states by theirs", async () => {
  await person("usr_1");
  await session("ses_idle", "-1 second", "1 hour");
  await session("ses_live", "1 hour", "1 hour");
  await session("ses_old", "1 hour", "-1 second");
  await owner.query(
    `INSERT INTO keys.used_tokens (sha256, expires_at)
     VALUES (sha256('a'), now() - interval '1 second'), (sha256('b'), now() + interval '1 hour')`,
  );
  expect(await sweepAt(0)).toEqual({ sessions: 2, used_tokens: 1 });
  expect(await ids("sessions")).toEqual(["ses_live"]);
  expect(await sweepAt(0)).toEqual({});
});

test("people are forgotten after their retention, which 0 disables", async () => {
  await person("usr_1");
  await person("usr_2");
  await person("usr_blocked", "2026");
  await session("ses_live", "1 hour", "1 hour");
  expect(await sweepAt(399.9)).toEqual({});
  expect(await sweepAt(100_000, 0)).toEqual({});
  expect(await sweepAt(400.1)).toEqual({ people: 1 });
  expect(await ids("people")).toEqual(["usr_1", "usr_blocked"]);
});

test("any number is deleted in pieces", async () => {
  await owner.query(
    `INSERT INTO keys.used_tokens (sha256, expires_at)
     SELECT sha256(n::text::bytea), now() - interval '1 second' FROM generate_series(1, 1001) AS n`,
  );
  expect(await sweepAt(0)).toEqual({ used_tokens: 1_001 });
});
