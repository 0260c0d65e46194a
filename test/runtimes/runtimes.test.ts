// Guarantee: the SDK and annals-verify as they are published work in the runtimes that their pages name: in
// the oldest Node that they allow, in Bun, in Deno with no more rights than the network and the environment
// (with a spool, files), and the SDK in a Worker. The SDK accepts and refuses the signed notes of the worked
// examples in each. A runtime that does not run on this machine is named in the output, and has no tests.

import { freePort } from "@annals/local";
import { eventually } from "@annals/testing";
import { spawn } from "node:child_process";
import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { install, type Installed, PACKED_WITHIN_MS } from "../sdk/installed.ts";
import {
  ended,
  installBlocks,
  signedDelivery,
  startWithAccount,
  testBlocks,
  testKeptEvents,
  WEBHOOK_SECRET,
} from "../sdk/readme-blocks.ts";
import {
  bundleOf,
  CHAIN,
  NO_QUORUM,
  POLICY,
  relisted,
  tarOf,
  vectorBytes,
  vectorFiles,
} from "../verifiers/made-bundle.ts";
import { chainOf, csvOf, exportOf } from "../verifiers/made-export.ts";
import { MadeLog, serveLog } from "../verifiers/made-log.ts";
import { testKilled } from "./killed.ts";
import { installRuntimes, programOf } from "./runtimes.ts";

const FILES = ["calls.mjs", "program.mjs", "spool.mjs", "worker.mjs", "workerd.capnp"];
const isHere = await installRuntimes();

/** Signed notes of the worked examples. */
const { invalid, valid } = JSON.parse(String(vectorBytes("note.json"))) as {
  readonly valid: readonly { readonly note: string; readonly by: readonly string[] }[];
  readonly invalid: readonly { readonly note: string }[];
};

let sdk: Installed;
let verify: Installed;

beforeAll(async () => {
  sdk = await installBlocks();
  verify = await install("annals-verify", "annals-verify");
  for (const file of FILES) await cp(join(import.meta.dirname, file), join(sdk.folder, file));
  const notes = [...valid, ...invalid].map(({ note }) => note);
  const constants = Object.entries({ NOTES: notes, POLICY: String(NO_QUORUM) });
  const module = constants.map(
    ([name, value]) => `export const ${name} = ${JSON.stringify(value)};`,
  );
  await writeFile(join(sdk.folder, "notes.mjs"), module.join("\n"));
  const chain = chainOf(
    "acct_1",
    // More than one megabyte: it is checked in threads.
    Array.from({ length: 2_000 }, (_, n) => ({ n, text: "é€😀" })),
  );
  await writeFile(join(verify.folder, "valid.jsonl"), exportOf(chain));
  await writeFile(join(verify.folder, "valid.csv"), csvOf(chain));
  const changed = exportOf(chain).replace('"n":1700,', '"n":1701,');
  await writeFile(join(verify.folder, "changed.jsonl"), changed);
  await writeEvidence(verify.folder);
}, 2 * PACKED_WITHIN_MS);
afterAll(async () => {
  await sdk?.remove();
  await verify?.remove();
});

/** A bundle, the same with a time stamp, and one that was changed. */
async function writeEvidence(folder: string): Promise<void> {
  const files = vectorFiles("full");
  const stamp = JSON.parse(String(vectorBytes("timestamp.json"))) as Record<string, string>;
  const token = Buffer.from(stamp["response_base64"] ?? "", "base64");
  const stamped = new Map(vectorFiles("pruned"))
    .set("timestamps/8.tsr", token)
    .set("timestamps/8.checkpoint", Buffer.from(stamp["checkpoint"] ?? ""));
  // More than one megabyte: it is checked in threads.
  const texts = Array.from({ length: 2_000 }, (_, n) => ({ n, text: "é€😀".repeat(20) }));
  const { lines, places } = chainOf(CHAIN, texts);
  const large = bundleOf(
    lines,
    places.map(({ hash }) => hash),
  );
  const forged = String(large.get("events.jsonl")).replace('"n":1699,', '"n":1698,');
  const all = {
    "evidence.tar": tarOf(files),
    "stamped.tar": tarOf(relisted(stamped)),
    "large.tar": tarOf(large),
    "forged.tar": tarOf(relisted(new Map(large).set("events.jsonl", Buffer.from(forged)))),
    policy: POLICY,
    none: NO_QUORUM,
    "ca.pem": stamp["ca_pem"] ?? "",
  };
  for (const [name, bytes] of Object.entries(all)) await writeFile(join(folder, name), bytes);
}

/** What calls.mjs resolves to. */
const CALLED = {
  isStoredOnce: true,
  isTakenAfterClose: false,
  buffered: 0,
  pages: [100, 100, 24],
  actions: [
    "created",
    "many.1",
    "many.2",
    ...Array.from({ length: 220 }, (_, at) => at + 1),
    "last",
  ],
  chain: expect.objectContaining({ valid: true, checked: 224 }) as unknown,
  checked: {
    state: "verified",
    events: 224,
    linksChecked: 224,
    linksUnchecked: 0,
    erasedParts: 0,
    erasuresUnchecked: 0,
    faults: [],
  },
  webhook: "event.created",
  checkpoints: [
    ...valid.map(({ by }) =>
      by.includes("log") ? by.filter((id) => id.startsWith("w")).length : "signature_missing",
    ),
    ...invalid.map(() => expect.stringMatching(/^(signature_|malformed)/) as unknown),
  ],
  failures: [
    "wrong_signature",
    "not_found",
    "validation_error action",
    "connection_error",
    "stopped",
  ],
};

type Command = readonly [name: keyof typeof isHere, words: readonly string[]];
const here = (...commands: readonly Command[]) => commands.filter(([name]) => isHere[name]);
const bun = [programOf("bun")];
const deno = (...rights: string[]) => [programOf("deno"), "run", "--no-prompt", ...rights];

describe.each(
  here(
    ["node-of-sdk", [programOf("node-of-sdk")]],
    ["bun", bun],
    ["deno", deno("--allow-net", "--allow-env")],
  ),
)("%s", (_, command) => {
  test("every kind of call", async () => {
    const env = { DELIVERY: JSON.stringify(signedDelivery()), WEBHOOK_SECRET };
    const program = [...command, "program.mjs"];
    const { child, printed, said } = await startWithAccount(program, sdk.folder, env);
    expect(await ended(child), said()).toBe(0);
    expect(JSON.parse(printed())).toEqual(CALLED);
  });
});

const denoWithFiles = deno("--allow-net", "--allow-env", "--allow-read", "--allow-write");

describe.each(
  here(["node-of-sdk", [programOf("node-of-sdk")]], ["bun", bun], ["deno", denoWithFiles]),
)("a spool in %s", (name, command) => {
  testKilled([...command, "spool.mjs"], `spool-${name}`, () => sdk);
});

// Express, Fastify and pg read files, and look at the machine.
describe.each(here(["bun", bun], ["deno", [...denoWithFiles, "--allow-sys"]]))(
  "the blocks of the SDK's page in %s",
  (_, command) => {
    testBlocks(command, () => sdk);
    testKeptEvents(command, () => sdk);
  },
);

describe.each(here(["workerd", [programOf("workerd")]]))("%s", (_, program) => {
  test("every kind of call, and an event after the answer", async () => {
    const port = await freePort();
    const at = `http://127.0.0.1:${port}`;
    const words = ["serve", "workerd.capnp", `--socket-addr=http=127.0.0.1:${port}`];
    const command = [...program, ...words];
    const { annals, said } = await startWithAccount(command, sdk.folder, { WEBHOOK_SECRET });
    const { body, headers } = signedDelivery();
    const called = await eventually("an answer", () =>
      fetch(`${at}/calls`, { method: "POST", body, headers }),
    );
    const text = await called.text();
    expect(called.status, `${text} ${said()}`).toBe(200);
    expect(JSON.parse(text)).toEqual(CALLED);
    expect((await fetch(`${at}/later`)).status).toBe(204);
    const last = await eventually("the event", async () => {
      const { data } = await annals.events.list({ limit: 1 }).page();
      return data.find(({ action }) => action === "request");
    });
    expect(last.context).toEqual({ path: "/later" });
  });
});

const commandsOfVerify = (...rights: string[]) =>
  here(
    ["node-of-verify", [programOf("node-of-verify"), "node_modules/.bin/annals-verify"]],
    ["bun", [...bun, "x", "--bun", "annals-verify"]],
    ["deno", [...deno(...rights), "npm:annals-verify"]],
  );

/** The status of annals-verify, and what it printed. */
async function verified([program = "", ...words]: readonly string[], env: object = {}) {
  const child = spawn(program, words, { cwd: verify.folder, env: { ...process.env, ...env } });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (printed += String(chunk)));
  return [await ended(child), printed];
}

describe.each(commandsOfVerify("--allow-read"))("annals-verify in %s", (_, command) => {
  test("valid, and changed", async () => {
    for (const file of ["valid.jsonl", "valid.csv"])
      expect(await verified([...command, file])).toEqual([
        0,
        expect.stringMatching(/^valid: 2000 events of /),
      ]);
    const fault = "invalid: line 1701: sequence number 1701: digest_mismatch in metadata\n";
    expect(await verified([...command, "changed.jsonl"])).toEqual([1, fault]);
  });

  test("a bundle of evidence that is valid, stamped, and changed", async () => {
    const check = async (...words: readonly string[]) => await verified([...command, ...words]);
    expect(await check("--policy", "policy", "evidence.tar")).toEqual([
      0,
      expect.stringMatching(/^valid: 500 events of "acct_.*\n {2}witnesses "w1" /s),
    ]);
    const year = ["--max-anchor-lag", String(366 * 86_400)];
    expect(await check("--policy", "none", "--tsa-ca", "ca.pem", ...year, "stamped.tar")).toEqual([
      0,
      expect.stringContaining("\n  anchored  by time stamps;"),
    ]);
    expect(await check("--policy", "policy", "large.tar")).toEqual([
      0,
      expect.stringMatching(/^valid: 2000 events of "acct_/),
    ]);
    expect(await check("--policy", "policy", "forged.tar")).toEqual([
      1,
      expect.stringMatching(/^invalid: digest_mismatch: events\.jsonl line 1700: /),
    ]);
  });
});

describe.each(
  commandsOfVerify("--allow-read", "--allow-write", "--allow-net", "--allow-env=ANNALS_API_KEY"),
)("annals-verify watch in %s", (name, command) => {
  test("a log that goes on, and another one", async () => {
    const now = Math.floor(Date.now() / 1000);
    let log = new MadeLog().grow(3).close(now, { w1: now, w2: now });
    await using served = await serveLog(() => log);
    const watch = async () => {
      const words = [
        "watch",
        "--url",
        served.url,
        "--policy",
        "policy",
        "--state",
        `${name}.state`,
      ];
      return await verified([...command, ...words], { ANNALS_API_KEY: "annals_live_1" });
    };
    expect(await watch()).toEqual([0, expect.stringContaining("\ncovered 3 of 3 events")]);
    log.grow(3).close(now + 1, { w1: now, w2: now });
    expect(await watch()).toEqual([0, expect.stringContaining("\nconsistent with epoch 1 of ")]);
    log = new MadeLog("other").grow(9).close(now, { w1: now, w2: now });
    expect(await watch()).toEqual([
      1,
      expect.stringMatching(/^invalid: checkpoint_conflict: the log does not continue /),
    ]);
  });
});
