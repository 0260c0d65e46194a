// Guarantee: an operator logs in to the console in a browser, and sees and changes accounts, plans and people
// there, on every width and in both colors. A page of another origin changes nothing with the cookie. The API
// and the provider are in the process of the test.

import { migratedDatabase } from "@annals/keys/src/testing/database.ts";
import { openConsole } from "@annals/keys/src/testing/console.ts";
import { type IdentityProviderServer, PERSON } from "@annals/keys/src/testing/identity-provider.ts";
import { identitiesOf, startProvider } from "@annals/keys/src/testing/log-in.ts";
import { storePerson } from "@annals/keys/src/testing/people.ts";
import { freePort } from "@annals/local";
import { ReportStateResponseSchema as LedgerReport } from "@annals/proto/ledger";
import { ReportStateResponseSchema as ReceiverReport } from "@annals/proto/webhooks";
import type { TestDatabase } from "@annals/testing";
import { create } from "@bufbuild/protobuf";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { openPage } from "./browser.ts";
import { openBrowser } from "./chromium.ts";
import { expectUsable, WIDTHS } from "./dashboard.ts";

/** Every account has a sink that fails, and the export service does not answer. */
const FAILING_SINCE = "2026-01-31T09:30:00.000000Z";
const REPORTERS: Parameters<typeof openConsole>[0]["reporters"] = {
  ledger: { reportState: async () => create(LedgerReport) },
  exports: { reportState: () => Promise.reject(new Error("nobody answers")) },
  webhooks: {
    reportState: async ({ accountIds = [] }) => {
      const asked = accountIds.length === 0 ? ["acct_late"] : accountIds;
      const failing = { sinks: 2, failingSinks: 1, sinkFailingSince: FAILING_SINCE };
      return create(ReceiverReport, {
        states: asked.map((accountId) => ({ accountId, ...failing })),
      });
    },
  },
};

let browser: Browser;
let origin: string;
let owner: TestDatabase;
let server: IdentityProviderServer;
let identities: ReturnType<typeof identitiesOf>;

beforeAll(async () => {
  browser = await openBrowser();
  const migrated = await migratedDatabase(afterAll);
  ({ owner } = migrated);
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  const redirectUri = `${origin}/auth/callback/okta`;
  server = await startProvider({ redirectUri, claimsAreInIdToken: true }, afterAll);
  const operators = { groups: [...PERSON.groups], subjects: [] };
  identities = identitiesOf(server.entry({ operators }));
  const around = { database: migrated.service, identities, origin, port, reporters: REPORTERS };
  const api = await openConsole({ ...around, token: "t".repeat(32) });
  afterAll(() => api.close());
});

afterAll(() => browser.close());

async function logIn(options: Partial<Parameters<typeof openPage>[1]> = {}): Promise<Page> {
  const origins = [origin, server.issuer];
  const expected = /status of (401|403)/;
  const page = await openPage(browser, { origins, expected, ...options });
  await page.goto(`${origin}/`);
  await page.getByRole("link", { name: "Log in with Okta" }).click();
  await page.getByRole("button", { name: "Log out" }).waitFor();
  return page;
}

test("an operator creates an account, sees its key once, and gives it a manager", async () => {
  const page = await logIn();
  await page.getByLabel("Name", { exact: true }).fill("Example Ltd");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByText("Copy the API key now.").waitFor();
  await page.getByRole("button", { name: "I have stored it" }).click();
  await page.getByRole("link", { name: "Example Ltd" }).click();
  await page.getByLabel("Provider").fill("okta");
  await page.getByLabel("Name of the group, or subject").fill("auditors");
  await page.getByLabel("Role", { exact: true }).selectOption("manager");
  await page.getByRole("button", { name: "Give the role" }).click();
  await page.getByRole("cell", { name: "auditors", exact: true }).waitFor();
  expect(await owner.query("SELECT group_name, role FROM keys.role_mappings")).toEqual([
    { group_name: "auditors", role: "manager" },
  ]);
  await page.getByRole("button", { name: "Take back the role of auditors" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Take back" }).click();
  await page.getByText("No one has a role yet.").waitFor();
  expect(await owner.query("SELECT FROM keys.role_mappings")).toEqual([]);
});

test("an account gets another name, and a key with an expiry, which is shown once and revoked", async () => {
  const page = await logIn();
  await page.getByLabel("Plan").selectOption("unlimited");
  await page.getByLabel("Name", { exact: true }).fill("Old Ltd");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("button", { name: "I have stored it" }).click();
  await page.getByRole("link", { name: "Old Ltd" }).click();
  await page.getByRole("button", { name: "Rename" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("New Ltd");
  await dialog.getByRole("button", { name: "Rename" }).click();
  await page.getByText("The account is renamed.").waitFor();
  await page.getByRole("button", { name: "Create a key" }).click();
  await dialog.getByLabel("Name").fill("collector");
  await dialog.getByRole("button", { name: "Create key" }).click();
  await dialog.getByText("Choose at least one scope.").waitFor();
  await dialog.getByLabel("events:write").check();
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  await dialog.getByLabel("Expires").fill(tomorrow);
  await dialog.getByLabel("Addresses").fill("192.0.2.0/24, 192.0.2.7");
  await dialog.getByRole("button", { name: "Create key" }).click();
  await page.getByText("Copy the API key now.").waitFor();
  const find = () =>
    owner.query(
      `SELECT accounts.name, plan, scopes, expires_at, allowed_ips::text[] AS ips, revoked_at FROM keys.api_keys
       JOIN keys.accounts USING (account_id) WHERE api_keys.name = 'collector'`,
    );
  expect(await find()).toMatchObject([
    {
      name: "New Ltd",
      plan: "unlimited",
      scopes: ["events:write"],
      expires_at: tomorrow.replace("Z", "000Z"),
      ips: ["192.0.2.0/24", "192.0.2.7/32"],
      revoked_at: null,
    },
  ]);
  await page.getByRole("button", { name: "Revoke collector" }).click();
  await dialog.getByRole("button", { name: "Revoke key" }).click();
  await page.getByText("The key is revoked.").waitFor();
  expect(await find()).toMatchObject([{ revoked_at: expect.any(String) }]);
});

test("what lags is shown in the list, in the account and in the health, with its runbook", async () => {
  const page = await logIn();
  await page.getByLabel("Name", { exact: true }).fill("Late Ltd");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("button", { name: "I have stored it" }).click();
  await page.getByLabel("Search").fill("nothing of this name");
  await page.getByRole("button", { name: "Search" }).click();
  await page.getByText("No such account.").waitFor();
  await page.getByLabel("Search").fill("late l");
  await page.getByLabel("Search").press("Enter");
  const row = page.getByRole("row", { name: /Late Ltd/ });
  await row.getByText("Sink failing since").waitFor();
  await page.getByText("No answer from export").waitFor();
  await row.getByRole("link").click();
  await page.getByRole("definition").filter({ hasText: "2, 1 failing" }).waitFor();
  expect(await page.getByRole("definition").filter({ hasText: "unknown" }).count()).toBe(1);
  await page.getByRole("link", { name: "Health" }).click();
  await page.getByText("docs/operators/alerts-deliveries.md#sinks-failing").waitFor();
  await page.getByRole("cell", { name: "does not answer" }).waitFor();
});

test("an operator blocks a person, and one whom the file no longer names sees the login", async () => {
  const { personId } = await storePerson(owner, { issuer: server.issuer });
  const page = await logIn();
  await page.getByRole("link", { name: "People" }).click();
  await page.getByRole("button", { name: "Block Ada", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Block" }).click();
  await page.getByText("The person is blocked.").waitFor();
  const [row] = await owner.query("SELECT blocked_at FROM keys.people WHERE id = $1", [personId]);
  expect(row).toMatchObject({ blocked_at: expect.any(String) });
  const before = identities.current;
  onTestFinished(() => void (identities.current = before));
  identities.current = { ...before, people: [server.entry()] };
  await page.getByRole("link", { name: "Plans" }).click();
  await page.getByRole("heading", { name: "Log in to the console" }).waitFor();
});

test.each(
  WIDTHS.flatMap((width) => (["light", "dark"] as const).map((color) => [width, color] as const)),
)("each screen fits %i pixels in %s, and axe finds nothing", async (width, colorScheme) => {
  const page = await logIn({ viewport: { width, height: 900 }, colorScheme });
  await expectUsable(page);
  for (const name of ["Plans", "People", "Health", "Accounts"]) {
    await page.getByRole("link", { name }).click();
    const title = name === "Health" ? "What lags" : name;
    await page.getByRole("table", { name: title }).waitFor();
    await expectUsable(page);
  }
  await page.getByRole("link", { name: "Example Ltd" }).click();
  await page.getByRole("table", { name: "API keys" }).waitFor();
  await expectUsable(page);
  const folder = process.env["ANNALS_TEST_SCREENSHOTS"];
  if (folder) await page.screenshot({ path: `${folder}/console-${width}-${colorScheme}.png` });
  await page.getByRole("button", { name: "Log out" }).waitFor();
});

test("a page of another port of the host changes nothing with the cookie", async () => {
  const other = createServer((_, response) => response.end("<!doctype html><title>other</title>"));
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  const elsewhere = `http://127.0.0.1:${port}`;
  const page = await logIn({ expected: /./, origins: [origin, server.issuer, elsewhere] });
  const count = async () => (await owner.query("SELECT FROM keys.accounts")).length;
  const before = await count();
  const send = (mode: RequestMode) =>
    page.evaluate(
      async ([url, asked]) => {
        const headers = { "content-type": "application/json" };
        const body = JSON.stringify({ name: "Stolen" });
        const init = { method: "POST", credentials: "include", headers, body } as const;
        return fetch(url, { ...init, mode: asked }).then(
          ({ status }) => status,
          () => 0,
        );
      },
      [`${origin}/admin/v1/accounts`, mode] as const,
    );
  // The control: the page of the console may.
  expect(await send("same-origin")).toBe(201);
  await page.goto(elsewhere);
  expect([await send("cors"), await send("no-cors")]).toEqual([0, 0]);
  expect(await count()).toBe(before + 1);
});
