// What `npm run prepare-release` runs: makes the changes of the commit that is a release. It writes the
// version into every file that names it, dates the notes, adds the digests of new migrations, and keeps the
// interface of RPC with which later commits are compared. It must never change a digest that a release has.
//
//   npm run prepare-release -- 1.2.3

import { createHash } from "node:crypto";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { versionedFiles } from "../generate/versions.ts";
import { datedNotes, withDigests } from "./drawn-texts.ts";
import { ROOT, run } from "./run.ts";

const DIGESTS = "test/tidy/migrations.test.ts";
/** Compared by `npm run proto`. */
const INTERFACE = "deploy/release/proto.binpb";

try {
  await prepare(process.argv[2] ?? "");
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}

async function prepare(version: string): Promise<void> {
  if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
    throw new Error("give the version: npm run prepare-release -- 1.2.3");
  const today = new Date().toISOString().slice(0, 10);
  edit("CHANGELOG.md", (text) => datedNotes(text, version, today));
  edit("package.json", (text) =>
    text.replace(/^( {2}"version": ")[^"]+/m, (_, before: string) => `${before}${version}`),
  );
  for (const [path, text] of versionedFiles()) edit(path, () => text);
  edit(DIGESTS, (text) => withDigests(text, digestsOfMigrations()));
  await run(ROOT, join(ROOT, "node_modules/.bin/buf"), [
    "build",
    "--exclude-source-info",
    "--output",
    INTERFACE,
  ]);
  process.stdout.write(`The files are those of ${version}. Commit them: docs/releasing.md\n`);
}

function edit(path: string, change: (text: string) => string): void {
  const file = join(ROOT, path);
  writeFileSync(file, change(readFileSync(file, "utf8")));
}

function digestsOfMigrations(): [path: string, digest: string][] {
  return globSync("services/*/migrations/*.sql", { cwd: ROOT })
    .toSorted()
    .map((path) => [
      path,
      createHash("sha256")
        .update(readFileSync(join(ROOT, path)))
        .digest("hex"),
    ]);
}
