// Guarantees: the failure of one account, or of a list, does not keep other accounts from their turn, and the
// run fails at its end all the same. If nothing can be reached, a run ends soon.

import { expect, test } from "vitest";
import type { Logger } from "./log.ts";
import { AccountWork, MAX_FAILED_IN_A_ROW, MAX_KEPT_LISTS } from "./account-work.ts";

const AWAY = new Error("a server is away");

interface Line {
  readonly fields: Record<string, unknown>;
  readonly message: string;
}

function newWork() {
  const lines: Line[] = [];
  const warn = (fields: Record<string, unknown>, message: string) =>
    void lines.push({ fields, message });
  const log = { info: warn, warn } as unknown as Logger;
  return { work: new AccountWork(log, "sweep"), lines };
}

const rowsOf = (...ids: readonly string[]) => ids.map((id) => ({ account_id: id }));
const away = () => Promise.reject(AWAY);

/** Does the work of each, except of those that fail. */
function doing(failing: readonly string[] = []) {
  const done: string[] = [];
  const work = async ({ account_id: id }: { readonly account_id: string }) => {
    if (failing.includes(id)) throw new Error(`${id} fails`);
    done.push(id);
  };
  return { done, work };
}

test("an account that fails is logged, does not stop the others, and fails the run at its end", async () => {
  const { lines, work } = newWork();
  const { done, work: one } = doing(["b", "c"]);
  const run = work.begin();
  await run.each(rowsOf("a", "b", "c", "d"), one);
  expect(done).toEqual(["a", "d"]);
  expect(lines).toMatchObject([
    { fields: { account_id: "b", worker: "sweep" } },
    { fields: { account_id: "c", worker: "sweep" } },
  ]);
  expect(() => run.end()).toThrow("b fails");
  expect(() => work.begin().end()).not.toThrow();
});

test("a list that cannot be read is the last one that could, and fails the run at its end", async () => {
  const { work } = newWork();
  const first = work.begin();
  await first.list("all", async () => rowsOf("a"));
  expect(await first.list("all", async () => rowsOf("a", "b"))).toHaveLength(2);
  expect(first.hasOldList).toBe(false);
  first.end();
  const second = work.begin();
  expect(await second.list("all", away)).toEqual(rowsOf("a", "b"));
  expect(second.hasOldList).toBe(true);
  expect(() => second.end()).toThrow(AWAY);
  await expect(second.list("others", away)).rejects.toThrow(AWAY);
});

test("the oldest lists are forgotten beyond a number", async () => {
  const { work } = newWork();
  const run = work.begin();
  for (let n = 0; n < MAX_KEPT_LISTS; n += 1) await run.list(`${n}`, async () => rowsOf("a"));
  await run.list("0", async () => rowsOf("b"));
  await run.list("one more", async () => rowsOf("a"));
  expect(await run.list("0", away)).toEqual(rowsOf("b"));
  expect(await run.list("2", away)).toEqual(rowsOf("a"));
  await expect(run.list("1", away)).rejects.toThrow(AWAY);
});

test("a run with an old list ends after a number of failures in a row", async () => {
  const { work } = newWork();
  const ids = Array.from({ length: MAX_FAILED_IN_A_ROW }, (_, n) => `f${n}`);
  const before = doing(ids);
  await work.begin().each(rowsOf(...ids, "a"), before.work);
  expect(before.done).toEqual(["a"]);

  await work.begin().list("all", async () => rowsOf("a"));
  const nearly = work.begin();
  await nearly.list("all", away);
  const { done, work: one } = doing(ids);
  await nearly.each(rowsOf(...ids.slice(1), "a", "f0", "b"), one);
  expect(done).toEqual(["a", "b"]);
  const run = work.begin();
  await run.list("all", away);
  await expect(run.each(rowsOf(...ids, "c"), one)).rejects.toThrow("fails");
  expect(done).not.toContain("c");
});

test("a run that is stopped begins no further account, and logs nothing", async () => {
  const { lines, work } = newWork();
  const stopping = new AbortController();
  const run = work.begin(stopping.signal);
  await run.list("all", async () => rowsOf("a"));
  const done: string[] = [];
  await run.each(rowsOf("a", "b"), async ({ account_id: id }) => {
    done.push(id);
    stopping.abort();
    throw AWAY;
  });
  expect(done).toEqual(["a"]);
  expect(lines).toEqual([]);
  expect(() => run.end()).not.toThrow();
  await expect(run.list("all", away)).rejects.toThrow(AWAY);
});
