// Guarantee: the viewer and the dashboard say of an event whether a checkpoint covers it, since when and
// how many witnesses have seen it. What no quorum has seen is not covered yet. Where the service keeps no
// log they say nothing of one. A bundle of evidence comes with the command that verifies it. The
// checkpoint and the proofs of the log can be kept.

import { eventually } from "@annals/testing";
import { KEY_TYPE, keyOf, noteSigner, type VerifierKey, vkeyOf } from "@annals/tlog";
import { mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from "vitest";
import { startConstellation } from "../system/constellation.ts";
import { FakeWitness } from "../system/fake-witness.ts";
import { newToken } from "../system/widget-client.ts";
import { expectAccessible } from "./browser.ts";
import { openBrowser } from "./chromium.ts";
import { expectUsable, openDashboard, visit } from "./dashboard.ts";
import { embed } from "./embed.ts";
import { accountWith } from "./events.ts";

const ORIGIN = "log.example/shown";
const WITHIN_MS = 60_000;
const LONG_MS = 180_000;
const SEEN_BY_ONE = /^covered by a checkpoint of .*\d.*, seen by 1 witness$/;

/** The key of another log: a ledger whose policy names only that one begins no log. */
const OTHER = keyOf("other.example", KEY_TYPE.ed25519, Buffer.alloc(32, 7));

let browser: Browser;
let file: string;

beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

async function write(policy: string): Promise<void> {
  await writeFile(`${file}.new`, policy);
  await rename(`${file}.new`, file);
}

async function start() {
  const folder = await mkdtemp(join(tmpdir(), "annals-shown-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  file = join(folder, "policy");
  await write(`log ${vkeyOf(OTHER)}\nquorum none\n`);
  const policyFile = { ANNALS_LOG_POLICY_FILE: file };
  const system = await startConstellation({
    shared: inject("stack"),
    env: {
      ledger: { ...policyFile, ANNALS_LOG_EPOCH_S: "1", ANNALS_LOG_ORIGIN: ORIGIN },
      "webhook-dispatcher": policyFile,
    },
  });
  onTestFinished(() => system.stop());
  return system;
}

/** Opens the newest event, and resolves to its details. */
async function open(shown: Page | Locator): Promise<Locator> {
  await shown.getByText("✓ Verified", { exact: true }).first().waitFor();
  await shown.getByRole("grid").getByRole("row").nth(1).click();
  const detail = shown.getByRole("region", { name: "Details of the event" });
  await detail.getByText("Previous hash").waitFor();
  return detail;
}

const said = (detail: Locator) =>
  detail.locator("dt", { hasText: "Evidence log" }).locator("xpath=following-sibling::dd[1]");

/** The text of the file that a button downloads. */
async function downloaded(page: Page, name: string): Promise<string> {
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name }).click();
  return readFile(await (await downloading).path(), "utf8");
}

test(
  "no log, not covered yet, covered",
  async () => {
    let keys: VerifierKey[] = [];
    const witness = new FakeWitness("one.example", 1, () => keys);
    const system = await start();
    const baseUrl = system.baseUrls[0] ?? "";
    const seed = await readFile(join(system.dataDir, "log-key"), "utf8");
    keys = [noteSigner(ORIGIN, Buffer.from(seed.trim(), "base64")).key];
    const { client, key } = await accountWith(system, 2);
    const { widget } = await newToken(client);
    const log = async () => (await widget.get("/v1/widget/log")).body.data;
    expect(await log()).toEqual({ log_origin: null, covered: null });

    const { page, viewer } = await embed(browser, {
      baseUrl,
      client,
      attributes: "refresh-seconds=3",
    });
    const asked = page.waitForResponse(/widget\/log/);
    const detail = await open(viewer);
    await (await asked).finished();
    expect(await said(detail).count()).toBe(0);
    const dashboard = await openDashboard(browser, { baseUrl, key }, "verification");
    expect(await dashboard.getByRole("heading", { name: "Evidence log" }).count()).toBe(0);

    await witness.start();
    await witness.stop();
    onTestFinished(() => witness.stop());
    await write(`${witness.line("w1")}quorum w1\n`);
    await eventually("a log", async () => (await log()).log_origin === ORIGIN, WITHIN_MS);
    await viewer.getByText("not covered yet").waitFor();
    await visit(dashboard, "usage");
    await visit(dashboard, "verification");
    await dashboard.getByText("No checkpoint covers these events yet.").waitFor();

    await witness.start();
    await said(detail).filter({ hasText: SEEN_BY_ONE }).waitFor({ timeout: WITHIN_MS });
    await expectAccessible(page);
    await visit(dashboard, "usage");
    await visit(dashboard, "verification");
    await dashboard.getByText(/^2 of 2 events are covered by a checkpoint of/).waitFor();
    await dashboard.getByText(/seen by 1 witness: w1/).waitFor();
    await dashboard.getByRole("table", { name: "Witnesses" }).getByText("w1").waitFor();
    const checkpoint = await downloaded(dashboard, "Download the checkpoint");
    expect(checkpoint.split("\n").slice(0, 2)).toEqual([expect.stringMatching(`^${ORIGIN}/`), "2"]);
    await dashboard.getByText("Prove that the log has an event").click();
    await dashboard.getByLabel("Number of the event").fill("2");
    const proof = JSON.parse(await downloaded(dashboard, "Download the proof"));
    expect(proof).toMatchObject({ sequence_number: 2, size: 2 });
    expect(proof.checkpoint.split("\n").slice(0, 3)).toEqual(checkpoint.split("\n").slice(0, 3));
    await expectUsable(dashboard);
    await visit(dashboard, "events");
    await said(await open(dashboard))
      .getByText(SEEN_BY_ONE)
      .waitFor();
    await expectUsable(dashboard);

    await visit(dashboard, "exports");
    await dashboard.getByLabel("Format").selectOption("evidence");
    await dashboard.getByRole("button", { name: "Create export" }).click();
    await dashboard.getByRole("button", { name: /^How to verify/ }).click();
    await dashboard.getByText(/^npx annals-verify --policy policy\.txt exp_\w+\.tar$/).waitFor();
    expect(await dashboard.getByRole("button", { name: /^Verify here/ }).count()).toBe(0);
    await expectUsable(dashboard);

    // A later event is behind the checkpoint that is known.
    await witness.stop();
    expect((await client.post("/v1/events", { action: "later" })).status).toBe(201);
    await viewer.getByRole("button", { name: "Close" }).click();
    await viewer.getByRole("row", { name: /later/ }).click();
    await said(viewer).filter({ hasText: "not covered yet" }).waitFor();
  },
  LONG_MS,
);
