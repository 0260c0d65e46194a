// The npm packages of a release: every package under packages/ that is not private, packed from a clean
// copy of the checkout, so that no leftover of an earlier build is in one. Called by main.ts. It must never
// pack what `npm install` could not use: a package that needs a private one, or that has a test.

import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { contentsOf, pnpm, readJson, ROOT, run } from "./run.ts";

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly private?: boolean;
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: unknown;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly publishConfig?: { readonly access?: string; readonly provenance?: boolean };
}

export interface PublicPackage {
  /** Path from the root, such as packages/annals-verify. */
  readonly folder: string;
  readonly manifest: Manifest;
}

/** Files that no user of a package needs: tests, what only tests import, the state of a build. */
const NOT_FOR_USERS =
  /\.(test|spec)\.|(^|\/)(tests?|testing|__tests__|fixtures)\/|\.tsbuildinfo$|(^|\/)\.env/;

export function publicPackages(): PublicPackage[] {
  return readdirSync(join(ROOT, "packages"))
    .toSorted()
    .map((name) => `packages/${name}`)
    .filter((folder) => existsSync(join(ROOT, folder, "package.json")))
    .map((folder) => ({
      folder,
      manifest: readJson(join(ROOT, folder, "package.json")) as Manifest,
    }))
    .filter(({ manifest }) => manifest.private !== true);
}

/**
 * Writes a tarball for each package that can be published into `out`, and returns what is wrong with the
 * others. `source` is the address of the repository; npm accepts a package with provenance only from there.
 */
export async function packPackages(
  version: string,
  out: string,
  source: string,
): Promise<string[]> {
  const packages = publicPackages();
  const copy = mkdtempSync(join(tmpdir(), "annals-release-"));
  try {
    await copyCheckout(copy);
    const needed = ["annals", "{./deploy/bundle}...", "{./packages/*}..."].flatMap((name) => [
      "--filter",
      name,
    ]);
    await pnpm(copy, ...needed, "install", "--frozen-lockfile", "--prefer-offline");
    const faults: string[] = [];
    for (const each of packages) {
      if (source !== "") nameRepository(join(copy, each.folder), each, source);
      faults.push(...(await packOne(copy, each, version, out)));
    }
    return faults;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

async function packOne(
  copy: string,
  { folder, manifest }: PublicPackage,
  version: string,
  out: string,
): Promise<string[]> {
  const words = ["pack", "--json", "--pack-destination", out];
  try {
    const printed = await pnpm(join(copy, folder), ...words);
    const { filename } = JSON.parse(printed.slice(printed.indexOf("{"))) as { filename: string };
    const tarball = resolve(out, filename);
    const faults = await faultsOf(tarball, version);
    if (faults.length > 0) rmSync(tarball);
    return faults;
  } catch (error) {
    return [`${manifest.name}: it cannot be packed: ${(error as Error).message}`];
  }
}

function nameRepository(folder: string, each: PublicPackage, source: string): void {
  const repository = { type: "git", url: `git+${source}.git`, directory: each.folder };
  const manifest = { ...each.manifest, repository };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest, undefined, 2));
}

/** Every file that git has or would take, as it is now. */
async function copyCheckout(folder: string): Promise<void> {
  const listed = await run(ROOT, "git", [
    "ls-files",
    "-z",
    "--cached",
    "--others",
    "--exclude-standard",
  ]);
  for (const path of listed.split("\0").filter((each) => existsSync(join(ROOT, each)))) {
    if (path === "") continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(ROOT, path), join(folder, path), { verbatimSymlinks: true });
  }
}

/** What keeps a tarball from being published, each with the name of the file. */
export async function faultsOf(tarball: string, version: string): Promise<string[]> {
  const entries = [...(await contentsOf(tarball))];
  const files = new Map(entries.map(([path, bytes]) => [path.replace(/^package\//, ""), bytes]));
  const manifest = JSON.parse(files.get("package.json")?.toString() ?? "{}") as Manifest;
  const faults = [...files.keys()]
    .filter((path) => NOT_FOR_USERS.test(path))
    .map((path) => `${path} must not be published`);
  if (manifest.private === true) faults.push("package.json says private");
  if (manifest.version !== version)
    faults.push(`package.json has the version ${manifest.version}, not ${version}`);
  if (manifest.license !== "Apache-2.0" || !files.has("LICENSE"))
    faults.push("the license is missing");
  const { access, provenance } = manifest.publishConfig ?? {};
  if (access !== "public" || provenance !== true)
    faults.push("publishConfig of package.json has to say access: public, provenance: true");
  for (const [name, wanted] of Object.entries({
    ...manifest.dependencies,
    ...manifest.peerDependencies,
    ...manifest.optionalDependencies,
  }))
    if (wanted.startsWith("workspace:") || isPrivate(name))
      faults.push(`it depends on ${name}, which users cannot install`);
  for (const path of targetsOf([manifest.bin, manifest.exports]))
    if (!files.has(path)) faults.push(`package.json names ${path}, which is not there`);
  return faults.map((fault) => `${manifest.name}: ${fault}`);
}

function isPrivate(name: string): boolean {
  return (
    name.startsWith("@annals/") && publicPackages().every(({ manifest }) => manifest.name !== name)
  );
}

/** The files that `bin` and `exports` name. Only a checkout has those of the condition `source`. */
function targetsOf(value: unknown): string[] {
  if (typeof value === "string") return value.includes("*") ? [] : [value.replace(/^\.\//, "")];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) =>
    name === "source" ? [] : targetsOf(each),
  );
}
