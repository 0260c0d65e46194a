// Guarantees of sinks, on a real database: a receiver gets each event, in order, and the cursor moves only
// after its acknowledgement; a failure, a crash and a lost claim send the same again; two replicas never send
// at once; a receiver that hangs costs its own account only; hours of outage lose nothing.

import { expect, onTestFinished, test, vi } from "vitest";
import type { SinkResult } from "../receiver/sink-receiver.ts";
import type { SinkStatusRow } from "../store/sink-row.ts";
import { newAccountId } from "../../testing/dispatcher.ts";
import { newSinkWorld } from "../../testing/sink-world.ts";

const upTo = (count: number, from = 1) => Array.from({ length: count }, (_, at) => at + from);

const REFUSED: SinkResult = { outcome: "refused", error: "It answered 503.", statusCode: 503 };

test("a receiver gets each event once and in order, in batches of at most 1,000", async () => {
  const { chains, create, receivers, round, row } = await newSinkWorld();
  const { accountId, id } = await create();
  chains.append(accountId, 2_345);
  await round();
  expect(receivers.numbers(accountId)).toEqual(upTo(2_345));
  expect(receivers.accepted.map(({ records }) => records.length)).toEqual([1_000, 1_000, 345]);
  expect(await row(id)).toMatchObject({
    cursor: "2345",
    checkpoint_count: "2345",
    leased_until: null,
    sent_number: "2345",
    sent_hash: "h2345",
  });
});

test("a line of the format annals is the event with its chain", async () => {
  const { chains, create, receivers, round } = await newSinkWorld();
  const { accountId } = await create();
  chains.append(accountId, 1, { metadata: { text: '","chain":"other' } });
  await round();
  const [line] = receivers.lines(accountId);
  expect(JSON.parse(line?.json ?? "")).toMatchObject({
    chain: accountId,
    sequence_number: 1,
    hash: "h1",
    previous_hash: "h0",
    metadata: { text: '","chain":"other' },
  });
});

test("the cursor moves only after the acknowledgement, and a failure sends the same again", async () => {
  const { chains, create, pass, receivers, round, row } = await newSinkWorld();
  const { accountId, id } = await create();
  chains.append(accountId, 1_500);
  receivers.answer = () => REFUSED;
  await round();
  expect(await row(id)).toMatchObject({ cursor: "0", attempts: 1, last_error: "It answered 503." });
  await round();
  expect(receivers.attempts).toHaveLength(1);
  pass(1);
  receivers.answer = () => ({ outcome: "accepted" });
  await round();
  expect(await row(id)).toMatchObject({ cursor: "1500", attempts: 0, last_error: null });
  expect(receivers.attempts[1]?.records).toEqual(receivers.attempts[0]?.records);
  expect(receivers.numbers(accountId)).toEqual(upTo(1_500));
});

test("the wait after failures doubles from 1 second to 5 minutes, and is longer if the receiver asks", async () => {
  const { chains, create, pass, receivers, round, row } = await newSinkWorld();
  const { accountId, id } = await create();
  chains.append(accountId, 1);
  const waits: number[] = [];
  const next = async (result: SinkResult) => {
    receivers.answer = () => result;
    await round();
    const { due_at, failing_since } = await row(id);
    const wait = (Number(due_at) - Number(failing_since)) / 1_000;
    waits.push(wait - waits.reduce((sum, one) => sum + one, 0));
    pass(waits.at(-1) ?? 0);
  };
  for (let i = 0; i < 11; i += 1) await next(REFUSED);
  await next({ ...REFUSED, retryAfterS: 900 });
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 900]);
});

test("a crash after the acknowledgement sends the same batch again, with the same ids", async () => {
  const { chains, create, pass, pool, receivers, replica, round, row } = await newSinkWorld();
  const { accountId, id } = await create();
  chains.append(accountId, 10);
  const crash = new Error("the process is gone");
  const gone = new Proxy(pool, {
    get: (target, name) => {
      if (name !== "forAccount") return Reflect.get(target, name);
      return () => ({
        run: (...given: Parameters<typeof pool.run>) => pool.run(...given),
        transaction: () => Promise.reject(crash),
      });
    },
  });
  await round(replica({ database: gone }));
  expect(await row(id)).toMatchObject({ cursor: "0" });
  pass(15);
  await round();
  expect(await row(id)).toMatchObject({ cursor: "10" });
  const [first, second] = receivers.accepted;
  expect(second?.records.map((one) => one.id)).toEqual(first?.records.map((one) => one.id));
});

test("a claim that is lost moves nothing: the owner has set the sink back meanwhile", async () => {
  const { chains, create, database, receivers, round, row } = await newSinkWorld();
  const { accountId, id } = await create({ cursor: 5 });
  chains.append(accountId, 10);
  receivers.answer = async () => {
    const values = [accountId, id];
    await database.query(
      "UPDATE webhooks.sinks SET cursor = 2, fence = fence + 1 WHERE account_id = $1 AND id = $2",
      values,
    );
    return { outcome: "accepted" };
  };
  await round();
  expect(await row(id)).toMatchObject({ cursor: "2" });
  expect(receivers.attempts).toHaveLength(1);
});

test("two replicas never send at once, and share the sinks", async () => {
  const { chains, create, receivers, replica, round } = await newSinkWorld();
  const accounts = await Promise.all(upTo(6).map(() => create()));
  for (const { accountId } of accounts) chains.append(accountId, 3_000);
  let most = 0;
  const atWork = new Map<string, number>();
  receivers.answer = async ({ options: { sinkId } }) => {
    atWork.set(sinkId, (atWork.get(sinkId) ?? 0) + 1);
    most = Math.max(most, ...atWork.values());
    await new Promise((resolve) => setImmediate(resolve));
    atWork.set(sinkId, (atWork.get(sinkId) ?? 0) - 1);
    return { outcome: "accepted" };
  };
  await Promise.all([round(replica()), round(replica())]);
  expect(most).toBe(1);
  for (const { accountId } of accounts) expect(receivers.numbers(accountId)).toEqual(upTo(3_000));
});

test("tests of an account's sinks take turns: one at a time, and moves nothing", async () => {
  const { create, receivers, row, sinks } = await newSinkWorld();
  const { accountId, id } = await create();
  const { id: other } = await create({ accountId });
  let [atWork, most] = [0, 0];
  receivers.answer = async () => {
    atWork += 1;
    most = Math.max(most, atWork);
    await new Promise((resolve) => setImmediate(resolve));
    atWork -= 1;
    return { outcome: "accepted" };
  };
  const rows = [await row(id), await row(other), await row(id)] as unknown as SinkStatusRow[];
  const { signal } = new AbortController();
  const results = await Promise.all(rows.map((one) => sinks.test(one, signal)));
  expect(results).toEqual(rows.map(() => ({ success: true })));
  expect([most, receivers.attempts.length]).toEqual([1, 3]);
  expect(await row(id)).toEqual(rows[0]);
});

test("a claim is held on while the receiver takes its time", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const { chains, create, pass, receivers, replica, row, sinks } = await newSinkWorld();
  const { accountId, id } = await create();
  chains.append(accountId, 1);
  const end = Promise.withResolvers<SinkResult>();
  receivers.answer = () => end.promise;
  const { signal } = new AbortController();
  await sinks.round(signal);
  await vi.waitFor(() => expect(receivers.attempts).toHaveLength(1));
  for (let i = 0; i < 5; i += 1) {
    pass(5);
    const before = Number((await row(id))["leased_until"]);
    await vi.advanceTimersByTimeAsync(5_000);
    await vi.waitFor(async () =>
      expect(Number((await row(id))["leased_until"])).toBeGreaterThan(before),
    );
  }
  const other = replica();
  await other.round(signal);
  await other.settled();
  expect(receivers.attempts).toHaveLength(1);
  end.resolve({ outcome: "accepted" });
  await sinks.settled();
  expect(await row(id)).toMatchObject({ cursor: "1" });
});

test("a receiver that hangs costs its own account only", async () => {
  const { chains, create, receivers, replica } = await newSinkWorld();
  const hanging = newAccountId();
  for (let i = 0; i < 40; i += 1) await create({ accountId: hanging });
  chains.append(hanging, 1);
  const { accountId } = await create();
  chains.append(accountId, 10);
  const end = Promise.withResolvers<SinkResult>();
  receivers.answer = ({ options }) =>
    options.accountId === hanging ? end.promise : { outcome: "accepted" };
  const sinks = replica();
  await sinks.round(new AbortController().signal);
  await vi.waitFor(() => expect(receivers.numbers(accountId)).toEqual(upTo(10)));
  const hangs = () => receivers.attempts.filter(({ options }) => options.accountId === hanging);
  await vi.waitFor(() => expect(hangs()).toHaveLength(4));
  expect(hangs()).toHaveLength(4);
  end.resolve({ outcome: "accepted" });
  await sinks.settled();
  expect(receivers.numbers(hanging)).toHaveLength(40);
});

test("eight buckets are written at a time, whatever waits, and never two of one account", async () => {
  const { chains, create, receivers, replica } = await newSinkWorld();
  const config = { type: "s3", bucket: "logs", prefix: "", region: "eu-central-1" } as const;
  const accounts = upTo(9).map(() => newAccountId());
  for (const accountId of accounts) {
    for (let i = 0; i < 2; i += 1) await create({ accountId, config });
    chains.append(accountId, 1);
  }
  const { accountId: other } = await create();
  chains.append(other, 1);
  const end = Promise.withResolvers<SinkResult>();
  const isBucket = (accountId: string) => accounts.includes(accountId);
  receivers.answer = ({ options }) =>
    isBucket(options.accountId) ? end.promise : { outcome: "accepted" };
  const sinks = replica();
  await sinks.round(new AbortController().signal);
  const atWork = () => receivers.attempts.map(({ options }) => options.accountId).filter(isBucket);
  await vi.waitFor(() => expect(receivers.numbers(other)).toEqual([1]));
  await vi.waitFor(() => expect(atWork()).toHaveLength(8));
  expect(new Set(atWork()).size).toBe(8);
  end.resolve({ outcome: "accepted" });
  await sinks.settled();
  expect(receivers.accepted).toHaveLength(19);
});

test("eight hours of outage lose nothing, are measured and recorded, and end", async () => {
  const { chains, create, database, metrics, pass, receivers, round } = await newSinkWorld();
  const { accountId } = await create();
  receivers.answer = () => ({ outcome: "connection", error: "It cannot be reached." });
  for (let minute = 0; minute < 25 * 60; minute += 5) {
    chains.append(accountId, 3);
    pass(300);
    await round();
  }
  const audit = () => database.query<{ event: string }>("SELECT event FROM webhooks.audit_outbox");
  const [entry, ...others] = await audit();
  expect(JSON.parse(entry?.event ?? "")).toMatchObject({ action: "annals.sink.failing" });
  expect(others).toEqual([]);
  const lag = await metrics.sinkLagSeconds.get();
  expect(lag.values[0]?.value).toBeGreaterThan(86_400);
  expect((await metrics.sinkLag.get()).values[0]?.value).toBe(900);
  receivers.answer = () => ({ outcome: "accepted" });
  pass(300);
  await round();
  expect(receivers.numbers(accountId)).toEqual(upTo(900));
  const last = (await audit()).at(-1);
  expect(JSON.parse(last?.event ?? "")).toMatchObject({ action: "annals.sink.recovered" });
  await round();
  expect((await metrics.sinkLagSeconds.get()).values[0]?.value).toBe(0);
});

test("a process that drains sends nothing to its end, and the next one sends it", async () => {
  const { chains, create, receivers, replica, round, row } = await newSinkWorld();
  const { accountId, id } = await create();
  chains.append(accountId, 10);
  receivers.answer = () => new Promise<SinkResult>(() => {});
  const draining = replica();
  await draining.round(new AbortController().signal);
  await vi.waitFor(() => expect(receivers.attempts).toHaveLength(1));
  await draining.stop();
  expect(await row(id)).toMatchObject({ cursor: "0", attempts: 0, leased_until: null });
  receivers.answer = () => ({ outcome: "accepted" });
  await round(replica());
  expect(receivers.numbers(accountId)).toEqual(upTo(10));
});
