// Guarantees: `log status` says how far each witness of the policy that has a URL has seen the log, by the
// monitoring API. One that has seen more than the ledger has, or another log, ends with 3. Nothing counts
// that the log and the witness have not signed; no answer is read beyond its bounds, and no redirect is
// followed.

import { noteSigner, noteText, parseNote, parsePolicy } from "@annals/tlog";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { ORIGIN } from "../../testing/log-signer.ts";
import { runCommand } from "../../testing/run-command.ts";
import { INTERVAL_S, TestLog } from "../../testing/test-log.ts";
import { newWitness } from "../../testing/witnesses.ts";
import { type Bounds, readViews } from "./witness-views.ts";

const SEEN = "2026-05-10T12:00:05.000Z";
const WITNESS = newWitness("one", 1);
const PATH = `/api/${createHash("sha256").update(ORIGIN).digest("hex")}/checkpoint`;

const folder = await mkdtemp(join(tmpdir(), "annals-views-"));
afterAll(() => rm(folder, { recursive: true }));

let log: TestLog;
/** The checkpoints of epochs 1 to 3, as the log signed them. */
let notes: string[];

beforeEach(async () => {
  log = await TestLog.open();
  const closer = log.newCloser();
  for (let epoch = 1; epoch <= 3; epoch += 1) {
    await log.grow("acct_1", 1);
    await closer.run();
    log.later(INTERVAL_S);
  }
  notes = (await log.checkedEpochs()).map(({ checkpoint }) => checkpoint);
});

/** What the log would have signed of another size or root. */
function signed(size: number, seedByte?: number): string {
  const seed = seedByte === undefined ? log.signer.seeds[0] : Buffer.alloc(32, seedByte);
  const signer = noteSigner(ORIGIN, seed ?? Buffer.alloc(0));
  const text = `${ORIGIN}\n${size}\n${Buffer.alloc(32, 8).toString("base64")}\n`;
  return noteText({ text, signatures: [signer.sign(text)] });
}

/** A note with the line of the witness. */
const seen = (note = "") => note + WITNESS.sign(note);

/** A policy with one witness, whose monitoring API this is. */
async function policyWith(serve: RequestListener): Promise<string> {
  const server = createServer(serve).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return `witness w1 ${WITNESS.vkey} http://127.0.0.1:${port}/api\nquorum none\n`;
}

const showing = (note: string) =>
  policyWith(({ url }, response) => {
    response.writeHead(url === PATH ? 200 : 404).end(note);
  });

async function status(policy: string, ...words: string[]) {
  const file = join(folder, "policy");
  await writeFile(file, policy);
  return runCommand(log.owner.url, ["log", "status", ...words], { ANNALS_LOG_POLICY_FILE: file });
}

test("a witness that has seen what the ledger has, and one that is behind", async () => {
  const current = await status(await showing(seen(notes[2])), "--json");
  expect(current.status).toBe(0);
  expect(JSON.parse(current.stdout).witness_views).toEqual([
    { name: "w1", state: "current", epoch: 3, time: SEEN, problem: null },
  ]);
  const behind = await status(await showing(seen(notes[0])));
  expect(behind.status).toBe(0);
  expect(behind.stdout).toContain(`witness       w1 has seen epoch 1 at ${SEEN}, 2 behind\n`);
});

test("a witness that has seen more shows that the ledger has lost epochs", async () => {
  const { status: code, stdout } = await status(await showing(seen(signed(9))));
  expect([code, stdout]).toEqual([
    3,
    expect.stringContaining(
      `w1 has seen epoch 9 at ${SEEN}, 6 MORE than the ledger has: the log went back\n`,
    ),
  ]);
});

test("a witness that has seen another log of the same size", async () => {
  const policy = await showing(seen(signed(2)));
  expect(await status(policy)).toMatchObject({
    status: 3,
    stdout: expect.stringContaining("epoch 2 at 2026-05-10T12:00:05.000Z, which DIFFERS"),
  });
});

test("after a rotation, a witness that has seen the log of the key before is behind; that key alone shows nothing", async () => {
  const [old] = log.signer.seeds;
  log.signer.seeds.splice(0, 1, Buffer.alloc(32, 2));
  await log.endClaim();
  await log.newCloser().run();
  const behind = await status(await showing(seen(notes[2])));
  expect(behind).toMatchObject({
    status: 0,
    stdout: expect.stringContaining(`w1 has seen epoch 3 at ${SEEN}, 1 behind\n`),
  });
  const forged = await status(await showing(seen(signed(9, old?.[0]))));
  expect(forged).toMatchObject({
    status: 0,
    stdout: expect.stringContaining(
      "w1 could not be read: its checkpoint is not signed by the log",
    ),
  });
});

test("one that cannot be read is named, and is not a failure of the log", async () => {
  const { status: code, stdout } = await status(await showing(notes[2] ?? ""));
  expect(code).toBe(0);
  expect(stdout).toContain("w1 could not be read: its checkpoint is not signed by the log and by");
});

test("a policy that cannot be used is refused", async () => {
  expect(await status("quorum none extra")).toMatchObject({ status: 2, stdout: "" });
});

/** Why the only witness of the policy was not read. */
async function problemOf(policy: string, bounds: Partial<Bounds> = {}) {
  const keys = log.signer.keysOf("");
  const whole = { bytes: 64 * 1024, timeoutMs: 10_000, ...bounds };
  const parsed = parsePolicy(Buffer.from(policy));
  const [view] = await readViews(parsed, { origin: ORIGIN, keys, has: async () => false }, whole);
  return view?.problem ?? "none";
}

test("what the log has not signed, or for another log, does not count", async () => {
  expect(await problemOf(await showing(seen(notes[2])))).toBe("none");
  const foreign = seen(signed(9, 9));
  expect(await problemOf(await showing(foreign))).toMatch("not signed by the log");
  const tampered = seen(notes[2]).replace(/\n3\n/, "\n4\n");
  expect(await problemOf(await showing(tampered))).toMatch("wrong");
  const { signatures } = parseNote(seen(notes[2]));
  const other = noteText({ text: "other.example\n3\n", signatures });
  expect(await problemOf(await showing(other))).not.toBe("none");
});

test("an answer that is too large, that redirects, or that does not come", async () => {
  const note = seen(notes[2]);
  const bytes = Buffer.byteLength(note);
  expect(await problemOf(await showing(note), { bytes })).toBe("none");
  expect(await problemOf(await showing(note), { bytes: bytes - 1 })).toMatch("has more than");
  const endless = await policyWith((_, response) => {
    const more = (): boolean => response.write(Buffer.alloc(1_024)) && more();
    response.on("drain", more);
    more();
  });
  expect(await problemOf(endless)).toBe("the answer has more than 65536 bytes");
  let followed = 0;
  const redirecting = await policyWith(({ url }, response) => {
    if (url === "/there") followed += 1;
    response.writeHead(302, { location: "/there" }).end();
  });
  expect(await problemOf(redirecting)).toBe("the response has status 302");
  expect(followed).toBe(0);
  const gone = `witness w1 ${WITNESS.vkey} http://127.0.0.1:1/\nquorum none\n`;
  expect(await problemOf(gone)).toMatch("ECONNREFUSED");
  const silent = await policyWith(() => {});
  expect(await problemOf(silent, { timeoutMs: 50 })).toMatch("timeout");
});
