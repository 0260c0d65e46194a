// Guarantee: a file with faults keeps the service from starting, and replaces none that works: it is logged,
// and the one in use stays. A change of the file, or of a file that it names, is used without a restart. No
// secret is logged.

import { ConfigError } from "@annals/chassis";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { expect, onTestFinished, test, vi } from "vitest";
import { openIdentities } from "./identity-file.ts";

interface Line {
  readonly msg: string;
  readonly reason?: string;
}

async function files() {
  const folder = await mkdtemp(join(tmpdir(), "annals-identity-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = (name: string): string => join(folder, name);
  // At once, as Kubernetes does it.
  const replace = async (name: string, text: string): Promise<void> => {
    await writeFile(path(`${name}.new`), text);
    await rename(path(`${name}.new`), path(name));
  };
  const okta = (more: object = {}) => ({
    people: [
      {
        name: "okta",
        title: "Okta",
        issuer: "https://example.okta.com",
        client_id: "0oa1",
        client_secret_file: path("secret"),
        accounts: "*",
        ...more,
      },
    ],
  });
  await replace("secret", "first secret\n");
  await replace("identity.json", JSON.stringify(okta()));
  return { okta, path, replace };
}

function opened(path: string | undefined) {
  const lines: Line[] = [];
  const log = pino({}, { write: (line) => void lines.push(JSON.parse(line) as Line) });
  const closers = {
    add: (_: string, _opened: unknown, close: () => Promise<void>): void => onTestFinished(close),
  };
  const identities = openIdentities(path, { closers: closers as never, intervalMs: 5, log });
  return { identities, lines };
}

test("without a file nobody logs in", async () => {
  expect((await opened(undefined).identities).current).toEqual({ people: [], workloads: [] });
});

test("a new file is used, and so is a new secret; one with faults changes nothing", async () => {
  const { okta, path, replace } = await files();
  const { identities, lines } = opened(path("identity.json"));
  const current = async () => (await identities).current.people;
  expect(await current()).toMatchObject([{ title: "Okta", clientSecret: "first secret" }]);
  await replace("identity.json", JSON.stringify(okta({ title: "Other" })));
  await vi.waitFor(async () => expect(await current()).toMatchObject([{ title: "Other" }]));
  await replace("identity.json", JSON.stringify(okta({ title: "" })));
  await vi.waitFor(() => expect(lines).toHaveLength(2));
  expect(await current()).toMatchObject([{ title: "Other" }]);
  await replace("identity.json", JSON.stringify(okta({ title: "Third" })));
  await replace("secret", "second secret\n");
  await vi.waitFor(async () =>
    expect(await current()).toMatchObject([{ title: "Third", clientSecret: "second secret" }]),
  );
  expect(lines[0]).toMatchObject({ msg: "a new identity file is in use" });
  expect(lines[1]).toMatchObject({
    msg: "failed to load a new identity file: keeping the current one",
    reason: "people[0].title: must be a text of 1 to 255 characters",
  });
  expect(JSON.stringify(lines)).not.toMatch(/first secret|second secret/);
});

test("faults are reported with their setting, their file and their members", async () => {
  const { okta, path, replace } = await files();
  const faultOf = async (more: object) => {
    await replace("identity.json", JSON.stringify(okta(more)));
    return opened(path("identity.json")).identities.then(String, (error: unknown) => error);
  };
  const missing = await faultOf({ client_secret_file: path("missing") });
  expect(missing).toBeInstanceOf(ConfigError);
  expect(String(missing)).toContain(
    `ANNALS_IDENTITY_FILE ${path("identity.json")}:\n  people[0].client_secret_file: ENOENT`,
  );
  expect(String(await faultOf({ title: 1, client_id: 2 }))).toMatch(
    /:\n {2}people\[0\]\.title: .*\n {2}people\[0\]\.client_id: /,
  );
  await replace("empty", "\n");
  expect(String(await faultOf({ client_secret_file: path("empty") }))).toContain(
    "people[0].client_secret_file: must contain one line of 1 to 1024 characters",
  );
  expect(String(await faultOf({ ca_file: path("secret") }))).toContain(
    "people[0].ca_file: must contain certificates in PEM",
  );
  await expect(opened(path("none.json")).identities).rejects.toThrow("ENOENT");
});
