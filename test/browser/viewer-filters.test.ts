// Guarantee: the filters of `<annals-viewer>` combine freely, and mean the same in the search bar, in the
// request and in the page's address, whatever the reader's time zone. A query that is wrong asks for nothing.

import { type HttpClient, newClient } from "@annals/testing";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { expectAccessible } from "./browser.ts";
import { openBrowser } from "./chromium.ts";
import { embed, type Embedding } from "./embed.ts";

const { baseUrl } = inject("stack");

/** Of the reader: half an hour off, and always the same. */
const ZONE = "Asia/Kolkata";
const ZONE_MS = 5.5 * 3_600_000;

const DAYS = ["2026-02-01T10:00:00.250Z", "2026-02-02T10:00:00.000Z", "2026-02-03T10:00:00.000Z"];
const PARTIES = (one: string, two: string, kind: string, other: string) => [
  { id: one, type: kind },
  { id: two, type: kind },
  { id: one, type: other },
];
const EVENTS = ["invoice.update", "invoice.pay", "user.login"].flatMap((action) =>
  PARTIES("u_1", "u_2", "user", "service").flatMap((actor) =>
    PARTIES("inv_1", "inv_2", "invoice", "order").flatMap((target) =>
      DAYS.map((occurred_at) => ({ action, actor, target, occurred_at })),
    ),
  ),
);
type SentEvent = (typeof EVENTS)[number];

type Filter = Partial<Record<keyof typeof MATCHES, string>>;
const MATCHES = {
  action: ({ action }: SentEvent, value: string) =>
    value.endsWith("*") ? action.startsWith(value.slice(0, -1)) : action === value,
  actor_id: ({ actor }: SentEvent, value: string) => actor.id === value,
  actor_type: ({ actor }: SentEvent, value: string) => actor.type === value,
  target_id: ({ target }: SentEvent, value: string) => target.id === value,
  target_type: ({ target }: SentEvent, value: string) => target.type === value,
  occurred_from: ({ occurred_at }: SentEvent, value: string) => occurred_at >= value,
  occurred_to: ({ occurred_at }: SentEvent, value: string) => occurred_at < value,
};
const entriesOf = (filter: Filter) => Object.entries(filter) as [keyof typeof MATCHES, string][];

const [FIRST = "", SECOND = "", THIRD = ""] = DAYS.map((day) => day.replace(/\.\d+/, ".000"));
const FILTERS: readonly Filter[] = [
  { action: "invoice.*", actor_id: "u_1", target_id: "inv_1", occurred_from: SECOND },
  {
    action: "invoice.pay",
    actor_id: "u_1",
    actor_type: "user",
    target_id: "inv_1",
    target_type: "invoice",
    occurred_from: FIRST,
    occurred_to: THIRD,
  },
  { action: "user.login", actor_type: "service" },
  { target_type: "order", occurred_to: SECOND },
];

let browser: Browser;
let client: HttpClient;
beforeAll(async () => {
  browser = await openBrowser();
  ({ client } = await newClient(inject("stack")));
  await client.post("/v1/events/batch", { events: EVENTS });
});
afterAll(() => browser.close());

const show = (more: Partial<Embedding> = {}) =>
  embed(browser, {
    baseUrl,
    client,
    attributes: "sync-url refresh-seconds='0'",
    ...more,
    page: { timezoneId: ZONE, ...more.page },
  });

const wordsOf = ({ action, actor, target, occurred_at }: SentEvent) =>
  [
    action,
    actor.type,
    actor.id,
    target.type,
    target.id,
    new Date(occurred_at).toISOString(),
  ].join();

const expected = (filter: Filter) =>
  EVENTS.filter((event) => entriesOf(filter).every(([name, value]) => MATCHES[name](event, value)))
    .map(wordsOf)
    .toSorted();

/** What the viewer has loaded: what it lets the reader download. */
async function loaded(page: Page, viewer: Locator): Promise<string[]> {
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    viewer.getByRole("button", { name: "Download" }).click(),
  ]);
  const chunks = await file.createReadStream().then((stream) => stream.toArray());
  const { data } = JSON.parse(Buffer.concat(chunks).toString()) as { data: SentEvent[] };
  return data.map(wordsOf).toSorted();
}

/** What a field shows: times are the reader's own, without a zero of seconds. */
const shown = (name: string, value: string) =>
  name.startsWith("occurred")
    ? new Date(Date.parse(value) + ZONE_MS).toISOString().slice(0, 19).replace(/:00$/, "")
    : value;

const queryOf = (viewer: Locator) => viewer.getByRole("combobox", { name: /^Query/ });
const rangeOf = (viewer: Locator) => viewer.getByRole("combobox", { name: "Time range" });
const isTime = (name: string) => name.startsWith("occurred");

const queryFor = (filter: Filter) =>
  entriesOf(filter)
    .filter(([name]) => !isTime(name))
    .map((parts) => parts.join(":"))
    .join(" ");

/** Enters times first, then the query. */
async function enter(viewer: Locator, filter: Filter): Promise<void> {
  const times = entriesOf(filter).filter(([name]) => isTime(name));
  if (times.length > 0) await rangeOf(viewer).selectOption("Other times…");
  for (const [name, value] of times)
    await viewer.locator(`[name=${name}]`).fill(shown(name, value));
  if (times.length > 0) await viewer.getByRole("button", { name: "Apply" }).click();
  await queryOf(viewer).fill(queryFor(filter));
  await queryOf(viewer).press("Enter");
}

const inAddress = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);

test("every combination finds what matches all of it, and survives a reload", async () => {
  const { viewer, page } = await show();
  for (const filter of FILTERS) {
    const found = expected(filter);
    expect(found.length).toBeGreaterThan(0);
    await enter(viewer, filter);
    await expect.poll(() => loaded(page, viewer)).toEqual(found);
    const address = entriesOf(filter).map(([name, value]) => [`annals_${name}`, value]);
    expect(inAddress(page)).toEqual(Object.fromEntries(address));

    await page.reload();
    await viewer.getByText(`All ${found.length} loaded events`).waitFor();
    expect(await loaded(page, viewer)).toEqual(found);
    expect(await queryOf(viewer).inputValue()).toBe(queryFor(filter));
    await rangeOf(viewer).selectOption("Other times…");
    for (const name of ["occurred_from", "occurred_to"] as const) {
      const value = filter[name];
      const written = await viewer.locator(`[name=${name}]`).inputValue();
      expect(written).toBe(value === undefined ? "" : shown(name, value));
    }
    await viewer.getByRole("button", { name: "Clear" }).click();
    await viewer.getByText(`All ${EVENTS.length} loaded events`).waitFor();
    expect(await queryOf(viewer).inputValue()).toBe("");
  }
});

test("values, exclusions, a text and times in a query narrow together, and the address has each", async () => {
  const { viewer, page } = await show();
  const query = `action:(invoice.pay user.login) -target_type:order occurred:2026-02-02..2026-02-03 "u_2"`;
  await queryOf(viewer).fill(query);
  await queryOf(viewer).press("Enter");
  const from = "2026-02-01T18:30:00.000Z";
  const to = "2026-02-02T18:30:00.000Z";
  const found = EVENTS.filter(
    ({ action, actor, target, occurred_at }) =>
      ["invoice.pay", "user.login"].includes(action) &&
      target.type !== "order" &&
      actor.id === "u_2" &&
      occurred_at >= from &&
      occurred_at < to,
  );
  expect(found.length).toBeGreaterThan(0);
  await expect.poll(() => loaded(page, viewer)).toEqual(found.map(wordsOf).toSorted());
  expect([...new URL(page.url()).searchParams]).toEqual([
    ["annals_action", "invoice.pay"],
    ["annals_action", "user.login"],
    ["annals_not.target_type", "order"],
    ["annals_occurred_from", from],
    ["annals_occurred_to", to],
    ["annals_text", "u_2"],
  ]);
  // The times went to the range, and what is left is written in its shortest form.
  const written = "action:(invoice.pay user.login) -target_type:order u_2";
  expect(await queryOf(viewer).inputValue()).toBe(written);
});

test("a query that is wrong says where, asks for nothing, and stays", async () => {
  const { viewer, page } = await show();
  await viewer.getByText(`All ${EVENTS.length} loaded events`).waitFor();
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/v1/widget/events?")) asked.push(request.url());
  });
  await queryOf(viewer).fill("action:user.* target_id:");
  await queryOf(viewer).press("Enter");
  const fault = viewer.getByText("Write a value after target_id: (character 15).");
  await fault.waitFor();
  expect(await queryOf(viewer).evaluate((it: HTMLInputElement) => it.selectionStart)).toBe(14);
  await expectAccessible(page);
  expect([asked, inAddress(page)]).toEqual([[], {}]);
  await queryOf(viewer).pressSequentially("target_id:inv_2");
  await fault.waitFor({ state: "detached" });
  await queryOf(viewer).press("Enter");
  const found = expected({ action: "user.*", target_id: "inv_2" });
  await expect.poll(() => loaded(page, viewer)).toEqual(found);
});

test("an address keeps what is not the viewer's, and its times stay exact", async () => {
  const from = "2026-02-01T10:00:00.251Z";
  const { viewer, page } = await show({ query: `?tab=log&annals_occurred_from=${from}` });
  const filter: Filter = { actor_id: "u_1", occurred_from: from };
  await viewer.getByText(/^All \d+ loaded events/).waitFor();
  await queryOf(viewer).fill("actor_id:u_1");
  await queryOf(viewer).press("Enter");
  await expect.poll(() => loaded(page, viewer)).toEqual(expected(filter));
  const address = { tab: "log", annals_occurred_from: from, annals_actor_id: "u_1" };
  expect(inAddress(page)).toEqual(address);
});

test("a time in the address that is none is named, and can be cleared", async () => {
  const { viewer } = await show({
    query: "?annals_occurred_from=yesterday",
    page: { expected: /4(00|22)/ },
  });
  expect(await viewer.getByRole("alert").innerText()).toMatch(/occurred_from[^]*req_/);
  await viewer.getByRole("button", { name: "Clear" }).click();
  await viewer.getByText(`All ${EVENTS.length} loaded events`).waitFor();
});
