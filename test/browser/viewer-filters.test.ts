// Guarantee: the filters of `<annals-viewer>` combine freely, and mean the same in the form, in the request
// and in the page's address, whatever the reader's time zone.

import { type HttpClient, newClient } from "@annals/testing";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
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

const inAddress = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);

test("every combination finds what matches all of it, and survives a reload", async () => {
  const { viewer, page } = await show();
  const open = () => viewer.getByRole("button", { name: "Filters" }).click();
  const field = (name: string) => viewer.locator(`[name=${name}]`);
  await open();
  for (const filter of FILTERS) {
    const found = expected(filter);
    expect(found.length).toBeGreaterThan(0);
    for (const [name, value] of entriesOf(filter)) await field(name).fill(shown(name, value));
    await viewer.getByRole("button", { name: "Apply" }).click();
    await expect.poll(() => loaded(page, viewer)).toEqual(found);
    const address = entriesOf(filter).map(([name, value]) => [`annals_${name}`, value]);
    expect(inAddress(page)).toEqual(Object.fromEntries(address));

    await page.reload();
    await viewer.getByText(`All ${found.length} loaded events`).waitFor();
    expect(await loaded(page, viewer)).toEqual(found);
    await open();
    for (const name of Object.keys(MATCHES)) {
      const value = filter[name as keyof Filter];
      expect(await field(name).inputValue()).toBe(value === undefined ? "" : shown(name, value));
    }
    await viewer.getByRole("button", { name: "Clear" }).click();
    await viewer.getByText(`All ${EVENTS.length} loaded events`).waitFor();
  }
});

test("an address keeps what is not the viewer's, and its times stay exact", async () => {
  const from = "2026-02-01T10:00:00.251Z";
  const { viewer, page } = await show({ query: `?tab=log&annals_occurred_from=${from}` });
  const filter: Filter = { actor_id: "u_1", occurred_from: from };
  await viewer.getByText(/^All \d+ loaded events/).waitFor();
  await viewer.getByRole("button", { name: "Filters" }).click();
  await viewer.locator("[name=actor_id]").fill("u_1");
  await viewer.getByRole("button", { name: "Apply" }).click();
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
  await viewer.getByRole("button", { name: "Filters" }).click();
  await viewer.getByRole("button", { name: "Clear" }).click();
  await viewer.getByText(`All ${EVENTS.length} loaded events`).waitFor();
});
