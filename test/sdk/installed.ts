// A package that is published, as its users get it: packed, and installed from the tarball in an empty
// folder, where nothing of this checkout is found. Called by one test for each package: two would pack at one
// time.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { publint } from "publint";

/** Vitest sets the condition `development`, by which this package has sources that Node.js does not load. */
const CHECKER = new URL(
  "dist/index.js",
  import.meta.resolve("@arethetypeswrong/core/package.json"),
);
const { checkPackage, createPackageFromTarballData } = (await import(
  CHECKER.href
)) as typeof import("@arethetypeswrong/core");

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, "../..");

/** Packing takes seconds, and many on a machine that does other things. */
export const PACKED_WITHIN_MS = 400_000;

export interface Installed {
  readonly folder: string;
  readonly tarball: Buffer;
  readonly module: string;
  remove(): Promise<void>;
}

/**
 * Packs with the pnpm of the checkout, which a release uses too, and installs without the network.
 */
export async function install(name: string, module: string): Promise<Installed> {
  const folder = await mkdtemp(join(tmpdir(), "annals-installed-"));
  const { packageManager } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as {
    packageManager: string;
  };
  const file = join(folder, "package.tgz");
  const pnpm = ["exec", "--yes", `--package=${packageManager}`, "--", "pnpm"];
  await run("npm", [...pnpm, "pack", "--out", file], { cwd: join(ROOT, "packages", name) });
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module", private: true }));
  const options = ["--offline", "--no-audit", "--no-fund", "--omit=optional", "--omit=peer"];
  await run("npm", ["install", ...options, file], { cwd: folder });
  return {
    folder,
    module,
    tarball: await readFile(file),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

export interface Budget {
  /** Bytes of the tarball. */
  readonly tarball: number;
  /** Bytes of files after gzip. */
  readonly files: Readonly<Record<string, number>>;
  /** Whether CommonJS of every version of Node can require it. */
  readonly isCommonJsToo: boolean;
}

/** What keeps the package from being published. */
export async function packageFaults(
  { folder, module, tarball }: Installed,
  budget: Budget,
): Promise<unknown[]> {
  const pkgDir = join(folder, "node_modules", module);
  const { messages } = await publint({ pkgDir, strict: true, pack: false });
  const faults: unknown[] = [...messages];
  const analysis = await checkPackage(createPackageFromTarballData(tarball));
  if (!analysis.types) faults.push("it has no types");
  // Node 10 knows no `exports`.
  const left = budget.isCommonJsToo ? ["node10"] : ["node10", "node16-cjs"];
  for (const problem of "problems" in analysis ? analysis.problems : [])
    if (!("resolutionKind" in problem && left.includes(problem.resolutionKind)))
      faults.push(problem);
  const text = await readFile(join(pkgDir, "package.json"), "utf8");
  const { dependencies = {} } = JSON.parse(text) as { dependencies?: object };
  if (Object.keys(dependencies).length > 0) faults.push(dependencies);
  const named = await run("grep", ["-rlE", "@annals/(event|proof|tlog)", pkgDir]).catch(
    () => undefined,
  );
  for (const file of named?.stdout.trim().split("\n") ?? [])
    if (file !== join(pkgDir, "package.json")) faults.push(`${file} names a private package`);
  if (tarball.length > budget.tarball) faults.push(`the tarball has ${tarball.length} bytes`);
  for (const [file, bytes] of Object.entries(budget.files)) {
    const { length } = gzipSync(await readFile(join(pkgDir, file)));
    if (length > bytes) faults.push(`${file} has ${length} bytes after gzip`);
  }
  return faults;
}

/** Packages that a user has besides: links to those of the tests. */
export async function addPackages(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const link = join(folder, "node_modules", name);
    await mkdir(dirname(link), { recursive: true });
    const roots = [join(ROOT, "test/node_modules", name), join(ROOT, "node_modules", name)];
    await symlink(roots.find((path) => existsSync(path)) ?? "", link);
  }
}

/** What the compiler says of the files, as of a user's project; empty where nothing is wrong. */
export async function compile(
  folder: string,
  files: readonly string[],
  more: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const compilerOptions = {
    target: "es2022",
    lib: ["es2023", "dom"],
    module: "nodenext",
    types: ["node"],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    ...more,
  };
  const project = join(folder, `tsconfig.${files[0]}.json`);
  await writeFile(project, JSON.stringify({ compilerOptions, files }));
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  return run(process.execPath, [tsc, "--project", project]).then(
    () => "",
    ({ stdout }: { stdout: string }) => stdout,
  );
}
