// Guarantee: a client that cannot write the file of its own folder claims what gone processes have left all
// the same, and says so. test/clients has the cases of folders that cannot be read.

import { Annals } from "@annals/sdk";
import { Spool } from "@annals/sdk/spool";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { leaveSpooled, line } from "../clients/left-spool.ts";
import { json, scriptedServer } from "./scripted-server.ts";
import { uncaught } from "./uncaught.ts";

test("a full disk for its own folder: the folders of gone processes are claimed and sent", async () => {
  const dir = mkdtempSync(join(tmpdir(), "annals-spool-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const { baseUrl, received } = await scriptedServer(({ path }, response) =>
    path === "/v1/usage"
      ? json(response, 200, { data: { account_id: "acct_a" } })
      : json(response, 201, { data: [] }),
  );
  const thrown = uncaught();
  const spool = new Spool(dir, {
    // A callback that throws changes nothing.
    onProblem: ({ error }) => {
      throw error;
    },
  });
  const annals = new Annals({ baseUrl, apiKey: "k", tracking: { spool } });
  annals.track({ action: "own" });
  const [own = ""] = readdirSync(dir);
  // The file cannot be written while this folder has its name.
  mkdirSync(join(dir, own, "owner.json.tmp"));
  leaveSpooled(dir, { "0000000001.ready": line("left") });
  await annals.flush();
  await annals.close();
  const bodies = received.filter(({ method }) => method === "POST").map(({ body }) => body);
  const actions = bodies.map((body) => /"action":"(\w+)"/.exec(body)?.[1]);
  const problems = thrown.map((error) => (error as { code?: string }).code);
  expect([actions, new Set(problems)]).toEqual([["left", "own"], new Set(["EISDIR"])]);
});
