// The routes of the admin API that ask the other services: the state of accounts, and what has waited for
// longest. Read by routes.ts.

import { findAccount } from "../accounts/account.ts";
import { accountJson } from "../accounts/json.ts";
import type { AccountRow } from "../store/account-row.ts";
import { accountsPage } from "./page.ts";
import type { AdminRequest, Deps } from "./route.ts";
import { lagsOf, readReports, REPORTING, silentOf, stateJson } from "./states.ts";

/** Lags that are shown; the services name at most 50. */
const MAX_LAGS = 20;

export async function getStates(deps: Deps, { query }: AdminRequest) {
  const { next, rows } = await accountsPage(deps.database, query);
  const { data, unavailable } = await statesOf(deps, rows);
  const more = { has_more: next !== null, next_cursor: next };
  return { status: 200, body: { data, unavailable, ...more } };
}

export async function getState(deps: Deps, { id }: AdminRequest) {
  const { data, unavailable } = await statesOf(deps, [await findAccount(deps.database, id)]);
  return { status: 200, body: { data: { ...data[0], unavailable } } };
}

export async function getHealth({ clock, reporters }: Deps) {
  const reports = await readReports(reporters, []);
  const silent = silentOf(reports);
  const services = REPORTING.map((name) => ({ name, answers: !silent.includes(name) }));
  const lags = lagsOf(reports, clock.nowMicros()).slice(0, MAX_LAGS);
  return {
    status: 200,
    body: { data: { services: [{ name: "keys", answers: true }, ...services], lags } },
  };
}

async function statesOf({ clock, reporters }: Deps, rows: readonly AccountRow[]) {
  const ids = rows.map((row) => row.account_id);
  // Without accounts the services would answer for others.
  if (ids.length === 0) return { data: [], unavailable: [] };
  const reports = await readReports(reporters, ids);
  const lags = lagsOf(reports, clock.nowMicros());
  const data = rows.map((row) => ({
    ...accountJson(row),
    ...stateJson(row.account_id, reports),
    lags: lags
      .filter((lag) => lag.account_id === row.account_id)
      .map(({ since, what }) => ({ what, since })),
  }));
  return { data, unavailable: silentOf(reports) };
}
