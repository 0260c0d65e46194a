// Guarantee: each form that a distributed PostgreSQL refused, or ran only in part, is found.

import type { Route } from "@annals/postgres";
import { expect, test } from "vitest";
import { routeFaults } from "./route-rules.ts";
import { schemaFaults, tablesOf } from "./schema-rules.ts";

const TABLES = tablesOf([
  `CREATE TABLE shop.orders (account_id text, id text, at timestamptz, day text, total bigint);
   CREATE TABLE shop.lines (account_id text, order_id text);
   CREATE TABLE shop.countries (code text);
   CREATE TABLE keys.secrets (account_id text, id text)`,
]);

const faultsOf = (route: Route, text: string): string[] => routeFaults({ route, text }, TABLES);

const MOMENT = "(SELECT greatest(statement_timestamp(), $3::timestamptz) AS now) AS moment";
const KEPT_MOMENT = MOMENT.replace("now) AS", "now OFFSET 0) AS");

test.for<[Route, string]>([
  ["one account", "SELECT id FROM shop.orders WHERE account_id = $1::text"],
  [
    "one account",
    "INSERT INTO shop.orders (id, account_id) VALUES ($2::text, $1::text), ('', $1::text)",
  ],
  [
    "one account",
    "INSERT INTO shop.orders (account_id, id) SELECT $1::text, id FROM unnest($2::text[]) AS given (id)",
  ],
  [
    "one account",
    `SELECT id FROM shop.orders AS one LEFT JOIN shop.lines ON lines.account_id = $1::text AND order_id = id
     WHERE one.account_id = $1::text AND EXISTS (SELECT 1 FROM shop.lines WHERE account_id = $1::text)`,
  ],
  ["one account", "SELECT id FROM shop.orders WHERE account_id = $1::text FOR UPDATE"],
  [
    "one account",
    `UPDATE shop.orders AS one SET at = CASE WHEN $2::boolean THEN moment.now ELSE at END FROM ${KEPT_MOMENT}
     WHERE one.account_id = $1::text AND moment.now - at >= $4::integer * interval '1 day'`,
  ],
  [
    "one account",
    `INSERT INTO shop.orders AS kept (account_id, at) VALUES ($1::text, statement_timestamp() + interval '1 s')
     ON CONFLICT (account_id) DO UPDATE SET at = excluded.at WHERE excluded.at - kept.at >= interval '1 s'`,
  ],
  ["some accounts", "DELETE FROM shop.orders WHERE account_id = ANY ($1::text[])"],
  [
    "all accounts, read",
    "SELECT account_id FROM shop.orders WHERE at < now() ORDER BY account_id LIMIT 5",
  ],
  ["all accounts, read", "SELECT count(*), min(day::timestamptz) FROM shop.orders"],
  [
    "all accounts, read",
    `SELECT id FROM shop.orders AS one JOIN shop.lines USING (account_id) WHERE EXISTS (
       SELECT 1 FROM shop.lines AS two WHERE two.account_id = one.account_id) LIMIT 5`,
  ],
  ["local", "SELECT code FROM shop.countries"],
  ["local", "UPDATE keys.secrets SET id = '' WHERE id = 'a'"],
])("%s: %s", ([route, text]) => {
  expect(faultsOf(route, text)).toEqual([]);
});

test.for<[fault: string, Route, text: string]>([
  [
    "shop.orders is not compared with one account",
    "one account",
    "SELECT id FROM shop.orders WHERE id = $1::text",
  ],
  [
    "shop.orders is not compared with one account",
    "one account",
    "UPDATE shop.orders SET id = '' WHERE account_id = $1::text OR id = $1::text",
  ],
  [
    "shop.orders is not compared with one account",
    "one account",
    "SELECT id FROM shop.orders WHERE account_id = ANY ($1::text[])",
  ],
  [
    "shop.lines is not compared with one account",
    "one account",
    `SELECT id FROM shop.orders AS one WHERE account_id = $1::text AND EXISTS (
       SELECT 1 FROM shop.lines WHERE lines.account_id = one.account_id)`,
  ],
  [
    "shop.lines is not compared with one account",
    "one account",
    "SELECT id FROM shop.orders AS one JOIN shop.lines USING (account_id) WHERE one.account_id = $1::text",
  ],
  [
    "shop.orders is not compared with one account",
    "one account",
    `SELECT id FROM shop.orders AS one LEFT JOIN shop.lines AS two
     ON one.account_id = $1::text AND two.account_id = $1::text`,
  ],
  [
    "shop.lines is not compared with one account",
    "one account",
    `SELECT id FROM shop.orders WHERE account_id = $1::text
     UNION ALL SELECT order_id FROM shop.lines`,
  ],
  [
    "shop.orders is not compared with one account",
    "one account",
    "INSERT INTO shop.orders (account_id, id) SELECT given, '' FROM unnest($1::text[]) AS given",
  ],
  [
    "two accounts",
    "one account",
    "SELECT id FROM shop.orders WHERE account_id = $1::text AND id IN (SELECT order_id FROM shop.lines WHERE account_id = $2::text)",
  ],
  [
    "shop.orders is not compared with some accounts",
    "some accounts",
    "SELECT id FROM unnest($1::text[]) AS given JOIN shop.orders ON account_id = given",
  ],
  ["no table with accounts", "one account", "SELECT code FROM shop.countries"],
  ["a table with accounts", "local", "SELECT id FROM shop.orders WHERE account_id = $1::text"],
  [
    "a CTE that writes",
    "one account",
    `WITH gone AS (DELETE FROM shop.lines WHERE account_id = $1::text RETURNING 1)
     UPDATE shop.orders SET id = '' WHERE account_id = $1::text`,
  ],
  [
    "SELECT without a column",
    "one account",
    `SELECT id FROM shop.orders WHERE account_id = $1::text
     AND EXISTS (SELECT FROM shop.lines WHERE account_id = $1::text)`,
  ],
  [
    "a volatile function in a write",
    "one account",
    "UPDATE shop.orders SET at = clock_timestamp() WHERE account_id = $1::text",
  ],
  [
    "a volatile function in a write",
    "one account",
    "INSERT INTO shop.orders (account_id, total) VALUES ($1::text, nextval('shop.numbers'))",
  ],
  [
    "a volatile function in a write",
    "one account",
    "DELETE FROM shop.orders WHERE account_id = $1::text AND random() < 0.5",
  ],
  [
    "a stable function in CASE",
    "one account",
    "UPDATE shop.orders SET at = CASE WHEN $2::boolean THEN now() ELSE at END WHERE account_id = $1::text",
  ],
  [
    "a stable function in COALESCE",
    "one account",
    "UPDATE shop.orders SET at = coalesce($2::timestamptz, statement_timestamp()) WHERE account_id = $1::text",
  ],
  [
    "a stable function in RETURNING",
    "one account",
    "UPDATE shop.orders SET id = '' WHERE account_id = $1::text RETURNING at::text",
  ],
  [
    "a stable function in RETURNING",
    "one account",
    "UPDATE shop.orders SET id = '' WHERE account_id = $1::text RETURNING to_char(at, 'YYYY')",
  ],
  [
    "a clock that PostgreSQL moves into RETURNING",
    "one account",
    `UPDATE shop.orders AS one SET at = moment.now FROM ${MOMENT}
     WHERE one.account_id = $1::text RETURNING moment.now - at > interval '1 day'`,
  ],
  [
    "a clock that PostgreSQL moves into CASE",
    "one account",
    `UPDATE shop.orders AS one SET at = CASE WHEN $2::boolean THEN moment.now ELSE at END FROM ${MOMENT}
     WHERE one.account_id = $1::text`,
  ],
  [
    "a clock that PostgreSQL moves into CASE",
    "one account",
    `UPDATE shop.orders AS one SET at = coalesce(at, moment.now) FROM ${MOMENT}
     WHERE one.account_id = $1::text`,
  ],
  [
    "a stable function on a column",
    "one account",
    "UPDATE shop.orders SET id = '' WHERE account_id = $1::text AND at + interval '1 day' < $2::timestamptz",
  ],
  [
    "a stable function on a column",
    "one account",
    "DELETE FROM shop.orders WHERE account_id = $1::text AND day::timestamptz < $2::timestamptz",
  ],
  [
    "a stable function on a column",
    "one account",
    "DELETE FROM shop.orders WHERE account_id = $1::text AND extract(epoch FROM at) < $2::float8",
  ],
  [
    "a stable function in ON CONFLICT",
    "one account",
    `INSERT INTO shop.orders AS kept (account_id, at) VALUES ($1::text, $2::timestamptz)
     ON CONFLICT (account_id) DO UPDATE SET at = excluded.at WHERE kept.at <= statement_timestamp()`,
  ],
  [
    "a lock of all accounts",
    "all accounts, read",
    "SELECT id FROM shop.orders LIMIT 5 FOR UPDATE SKIP LOCKED",
  ],
  [
    "a write of all accounts",
    "all accounts, read",
    "DELETE FROM shop.orders WHERE at < $1::timestamptz",
  ],
  ["a read without a bound", "all accounts, read", "SELECT account_id FROM shop.orders"],
  [
    "a read without a bound",
    "all accounts, read",
    "SELECT account_id, count(*) FROM shop.orders GROUP BY account_id",
  ],
  [
    "tables that no account joins",
    "all accounts, read",
    "SELECT id FROM shop.orders JOIN shop.lines ON order_id = id LIMIT 5",
  ],
  [
    "tables that no account joins",
    "all accounts, read",
    "SELECT id FROM shop.orders WHERE EXISTS (SELECT 1 FROM shop.lines WHERE order_id = id) LIMIT 5",
  ],
  [
    "recursion over accounts",
    "all accounts, read",
    `WITH RECURSIVE each AS (SELECT min(account_id) AS id FROM shop.orders UNION ALL SELECT (
       SELECT min(account_id) FROM shop.orders WHERE account_id > each.id AND orders.account_id = account_id) FROM each)
     SELECT id FROM each LIMIT 5`,
  ],
  [
    "LATERAL over accounts",
    "all accounts, read",
    `SELECT id FROM shop.orders AS one LEFT JOIN LATERAL (
       SELECT order_id FROM shop.lines WHERE lines.account_id = one.account_id LIMIT 1) AS line ON true LIMIT 5`,
  ],
  [
    "a correlated subquery over unnest",
    "some accounts",
    `SELECT (SELECT max(id) FROM shop.orders WHERE account_id = ANY ($1::text[]) AND account_id = asked.id)
     FROM unnest($1::text[]) AS asked (id)`,
  ],
  [
    "a function of a service in FROM",
    "one account",
    "SELECT id FROM shop.orders, shop.lines_of($1::text) WHERE account_id = $1::text",
  ],
  [
    "unnest in RETURNING",
    "one account",
    "UPDATE shop.orders SET id = '' WHERE account_id = $1::text RETURNING (SELECT max(o) FROM unnest($2::text[]) AS o)",
  ],
  [
    "a time cast of an aggregate",
    "all accounts, read",
    "SELECT min(day)::timestamptz FROM shop.orders",
  ],
])("refused: %s, %s: %s", ([fault, route, text]) => {
  expect(faultsOf(route, text)).toEqual([fault]);
});

const ORDERS =
  "CREATE TABLE shop.orders (account_id text, number bigint GENERATED ALWAYS AS IDENTITY);";
const GRANT = "GRANT USAGE ON SEQUENCE shop.orders_number_seq TO shop;";
const TRIGGER =
  "CREATE TRIGGER fill BEFORE INSERT ON shop.orders FOR EACH ROW EXECUTE FUNCTION shop.fill();";

test("a table may have numbers if their sequence is granted, and has no trigger", () => {
  expect(schemaFaults(ORDERS + GRANT)).toEqual([]);
  expect(schemaFaults(ORDERS)).toEqual(["no GRANT USAGE ON SEQUENCE shop.orders_number_seq"]);
  expect(schemaFaults(ORDERS + GRANT + TRIGGER)).toEqual(["a trigger on shop.orders"]);
  expect(schemaFaults((ORDERS + TRIGGER).replaceAll("shop.", "keys."))).toEqual([]);
});
