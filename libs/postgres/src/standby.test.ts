// Guarantee: no service uses a standby, so none answers with old events after a failover. The pool serves
// again by itself once the server is the primary.

import { removeData, startStack, type Stack } from "@annals/local";
import { eventually, ownerOf } from "@annals/testing";
import { chownSync, mkdtempSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { statement } from "./statement.ts";
import { openPool } from "./testing/test-server.ts";

const one = statement<[], { one: number }>("/* test.one */ SELECT 1 AS one", { route: "local" });
const dataDir = mkdtempSync(join(tmpdir(), "annals-postgres-standby-"));
let stack: Stack;

beforeAll(async () => {
  const { PATH } = process.env;
  stack = await startStack({
    dataDir,
    root: dataDir,
    environment: { PATH },
    without: ["nats", "gateway", "keys", "ledger", "export", "webhook-dispatcher"],
  });
});
afterAll(async () => {
  await stack?.stop();
  removeData(dataDir);
});

test("a server that came back as a standby is not used until it is promoted", async () => {
  const owner = ownerOf(stack.databaseUrl);
  const pool = openPool(stack.databaseUrl);
  expect(await pool.run(one, [])).toStrictEqual([{ one: 1 }]);
  const [{ data_directory: data } = { data_directory: "" }] = await owner.query<{
    data_directory: string;
  }>("SHOW data_directory");
  const signal = join(data, "standby.signal");
  writeFileSync(signal, "");
  const { uid, gid } = statSync(data);
  chownSync(signal, uid, gid);
  stack.processes.find(({ service }) => service === "postgres")?.kill("SIGKILL");
  // The server answers: it is not for want of a connection that the pool does not.
  await eventually("the server is a standby", async () => {
    const rows = await owner
      .query<{ is: boolean }>("SELECT pg_is_in_recovery() AS is")
      .catch(() => []);
    return rows[0]?.is === true;
  });
  await expect(pool.run(one, [])).rejects.toMatchObject({ kind: "unavailable" });
  await owner.query("SELECT pg_promote()");
  expect(await pool.run(one, [])).toStrictEqual([{ one: 1 }]);
  await owner.close();
});
