// Guarantee: every statement that writes or locks names its account, so that a distributed PostgreSQL routes
// it to one server, and none has a form that such a PostgreSQL refuses or runs only in part.

import type { Statement } from "@annals/postgres";
import { routingFaults } from "@annals/testing";
import { readdirSync } from "node:fs";
import { expect, test } from "vitest";

const FILES = readdirSync(import.meta.dirname).filter((name) => !name.endsWith(".test.ts"));
const modules: object[] = await Promise.all(
  FILES.map((name) => import(/* @vite-ignore */ `./${name}`)),
);
const STATEMENTS = modules
  .flatMap((exports): Statement<[], unknown>[] => Object.values(exports))
  .filter(({ text }) => typeof text === "string");

test.for(STATEMENTS.map(({ name, text }) => [name, text] as const))("%s", ([, text]) => {
  expect(routingFaults(text)).toEqual([]);
});

test("all statements are looked at", () => {
  expect(STATEMENTS.length).toBeGreaterThan(40);
});
