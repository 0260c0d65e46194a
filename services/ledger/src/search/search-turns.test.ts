// Guarantee: the statements of searches run four at a time, two of an account, of which one for its widget
// tokens and one for its exports and webhooks; accounts take turns; too many that wait are refused; who
// leaves gives its place back, and a turn is free when its statement has ended.

import type { Pool, Statement } from "@annals/postgres";
import { expect, test, vi } from "vitest";
import { SearchTurns } from "./search-turns.ts";

type Kind = "client" | "widget" | "service";

const STATEMENT = { name: "ledger.any", text: "", route: "local", customPlan: false } as Statement<
  [string],
  never
>;

function fixture() {
  const running: string[] = [];
  const ends = new Map<string, () => void>();
  const run = async (_: unknown, [name]: readonly unknown[]) => {
    running.push(String(name));
    await new Promise<void>((resolve) => ends.set(String(name), resolve));
    running.splice(running.indexOf(String(name)), 1);
    return [];
  };
  const database = { forAccount: () => ({ run }) } as unknown as Pool;
  const turns = new SearchTurns(database);
  const ask = (
    name: string,
    kind: Kind = "client",
    signal = new AbortController().signal,
    more: readonly string[] = [],
  ) => turns.of(name.slice(0, 1), kind, signal).run(STATEMENT, [name, ...more] as never);
  return { running, ask, end: (name: string) => ends.get(name)?.() };
}

const expectRunning = (running: readonly string[], ...names: readonly string[]) =>
  vi.waitFor(() => expect(running.toSorted()).toEqual(names.toSorted()));

test("four at a time, two of an account, and each account in its turn", async () => {
  const { ask, end, running } = fixture();
  const all = ["a1", "a2", "a3", "a4", "b1", "b2", "b3", "c1"].map((name) => ask(name));
  await expectRunning(running, "a1", "a2", "b1", "b2");
  end("a1");
  // Of an account that has waited longest and may have one.
  await expectRunning(running, "a2", "a3", "b1", "b2");
  end("b1");
  end("b2");
  await expectRunning(running, "a2", "a3", "b3", "c1");
  for (const name of ["a2", "a3", "b3", "c1"]) end(name);
  await expectRunning(running, "a4");
  end("a4");
  await Promise.all(all);
});

test("widget tokens have one of their account's, and leave the other to its keys", async () => {
  const { ask, end, running } = fixture();
  const widgets = ["a1", "a2", "a3"].map((name) => ask(name, "widget"));
  await expectRunning(running, "a1");
  const own = ask("a4");
  const exported = ask("a5", "service");
  await expectRunning(running, "a1", "a4");
  end("a4");
  await own;
  await expectRunning(running, "a1", "a5");
  for (const name of ["a1", "a5"]) end(name);
  await expectRunning(running, "a2");
  end("a2");
  await expectRunning(running, "a3");
  end("a3");
  await Promise.all([...widgets, exported]);
});

test("who leaves does not wait, and what runs keeps its turn until it has ended", async () => {
  const { ask, end, running } = fixture();
  const controller = new AbortController();
  const first = ask("a1", "widget");
  const left = ask("a2", "widget", controller.signal);
  const third = ask("a3", "widget");
  await expectRunning(running, "a1");
  controller.abort(new Error("gone"));
  await expect(left).rejects.toThrow("gone");
  end("a1");
  await expectRunning(running, "a3");
  end("a3");
  await Promise.all([first, third]);
  await expect(ask("a4", "widget", controller.signal)).rejects.toThrow("gone");
});

test("an account with many waiting is refused, and others are not", async () => {
  const { ask, end, running } = fixture();
  const waiting = Array.from({ length: 1 + 64 }, (_, n) => ask(`a${n}`, "widget"));
  await expect(ask("a65", "widget")).rejects.toMatchObject({ kind: "rate_limited" });
  const others = [ask("a66"), ask("b1", "widget")];
  await expectRunning(running, "a0", "a66", "b1");
  for (const name of ["a66", "b1"]) end(name);
  for (let n = 0; n < waiting.length; n += 1) {
    await expectRunning(running, `a${n}`);
    end(`a${n}`);
  }
  await Promise.all([...waiting, ...others]);
});

test("what waits of an account has at most 8 MiB of parameters, of all 64 MiB", async () => {
  const { ask, end, running } = fixture();
  const left = new AbortController();
  const half = ["x".repeat(2 * 1024 * 1024 - 100)];
  const twice = (account: string) =>
    [1, 2].map((n) => ask(`${account}${n}`, "service", left.signal, half));
  const first = ask("a0", "service");
  await expectRunning(running, "a0");
  const waiting = twice("a");
  const beyond = ask("a3", "service", left.signal, ["x".repeat(200)]);
  await expect(beyond).rejects.toMatchObject({ kind: "rate_limited" });
  const others = ["b", "c", "d"].map((account) => ask(`${account}0`));
  await expectRunning(running, "a0", "b0", "c0", "d0");
  for (const account of ["b", "c", "d", "e", "f", "g", "h"]) waiting.push(...twice(account));
  await expect(ask("i1", "client", left.signal, half)).rejects.toMatchObject({
    kind: "unavailable",
  });
  left.abort(new Error("left"));
  await Promise.allSettled(waiting);
  for (const name of ["a0", "b0", "c0", "d0"]) end(name);
  await Promise.all([first, ...others]);
});
