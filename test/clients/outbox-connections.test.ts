// Guarantee: a connection to the application's database that ends between two statements of an outbox ends
// no process, and its batch is sent with another. PostgreSQL is real, in a database of the test's own.

import { Annals } from "@annals/sdk";
import { Outbox, OUTBOX_SCHEMA } from "@annals/sdk/outbox";
import { createDatabase, poolOf } from "@annals/testing";
import { expect, inject, onTestFinished, test } from "vitest";
import { json, scriptedServer } from "../sdk/scripted-server.ts";

test("a connection ends after BEGIN: the batch is sent with another", async () => {
  const database = await createDatabase(inject("stack").databaseUrl);
  const pool = poolOf(database.url);
  onTestFinished(async () => {
    await pool.end();
    await database.drop();
  });
  await pool.query(OUTBOX_SCHEMA);
  const { baseUrl, received } = await scriptedServer((_, response) => json(response, 201, {}));
  const annals = new Annals({ baseUrl, apiKey: "k" });
  const connect = async () => {
    const client = await pool.connect();
    const query = client.query.bind(client);
    const begin = async (text: string) => {
      Object.assign(client, { query });
      const { rows } = await query("SELECT pg_backend_pid() AS pid");
      const result = await query(text);
      const ended = new Promise((resolve) => client.once("end", resolve));
      await database.query("SELECT pg_terminate_backend($1)", [rows[0].pid]);
      await ended;
      return result;
    };
    return Object.assign(client, { query: begin });
  };
  const ending = new Outbox({ annals, pool: { connect, query: pool.query.bind(pool) } });
  await ending.add(pool, { action: "a1" });
  const signal = new AbortController().signal;
  await expect(ending.sendBatch(signal)).rejects.toThrow("not queryable");
  await new Outbox({ annals, pool }).sendBatch(signal);
  expect(received).toHaveLength(1);
});
