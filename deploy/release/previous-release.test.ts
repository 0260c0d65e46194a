// Guarantee: the test of an upgrade starts from the previous release: the newest tag, or without tags the
// commit that set the version. The first release is upgraded from itself. A clone that lacks the history
// says so.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { previousRelease } from "./previous-release.ts";

const FOLDER = mkdtempSync(join(tmpdir(), "annals-previous-release-"));
const CLONE = join(FOLDER, "clone");
const SHALLOW = join(FOLDER, "shallow");

afterAll(() => rmSync(FOLDER, { recursive: true }));

const USER = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"];
const git = (...words: string[]) =>
  execFileSync("git", ["-C", CLONE, ...USER, ...words], { encoding: "utf8" }).trim();

/** Commits a manifest, and returns the commit. */
function commit(version: string, description: string): string {
  const manifest = { name: "annals", version, description };
  writeFileSync(join(CLONE, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
  git("add", "package.json");
  git("commit", "--message", `${version} ${description}`);
  return git("rev-parse", "HEAD");
}

const commits: Record<string, string> = {};

beforeAll(() => {
  execFileSync("git", ["init", "--quiet", CLONE]);
  for (const [name, version] of [
    ["start", "0.1.0"],
    ["first", "0.2.0"],
    ["after", "0.2.0"],
    ["second", "0.3.0"],
    ["end", "0.3.0"],
  ] as const)
    commits[name] = commit(version, name);
});

async function at(name: string): Promise<string | undefined> {
  git("checkout", "--quiet", commits[name] ?? "");
  const found = await previousRelease(CLONE);
  return Object.keys(commits).find((each) => commits[each] === found);
}

test("without tags it is the newest commit before HEAD that changed the version", async () => {
  expect(await at("after")).toBe("first");
  expect(await at("second")).toBe("first");
  expect(await at("end")).toBe("second");
});

test("the first release, and what is before it, has none but itself", async () => {
  expect(await at("start")).toBe("start");
  expect(await at("first")).toBe("first");
});

test("a tag of a version goes first, except that of HEAD", async () => {
  git("tag", "v0.2.0", commits["after"] ?? "");
  git("tag", "--annotate", "--message", "0.3.0", "v0.3.0", commits["second"] ?? "");
  git("tag", "v0.10.0", commits["end"] ?? "");
  git("tag", "other", commits["end"] ?? "");
  expect(await at("first")).toBe("first");
  expect(await at("second")).toBe("after");
  expect(await at("end")).toBe("second");
});

test("a clone without the history of the release is refused", async () => {
  git("checkout", "--quiet", "-B", "main", commits["after"] ?? "");
  const from = ["--quiet", "--depth", "1", "--no-tags", `file://${CLONE}`];
  execFileSync("git", ["clone", ...from, SHALLOW]);
  await expect(previousRelease(SHALLOW)).rejects.toThrow("git fetch --unshallow");
});
