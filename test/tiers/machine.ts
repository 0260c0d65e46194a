// What tiers need of the machine beside Node.js: Debian packages, which are installed where that is
// allowed, and a test cluster (CONTRIBUTING.md). What a machine cannot have is left out, and said.

import { existsSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { runProgram } from "./program.ts";

const BESIDE = resolve("../shared/kubernetes");
const CLUSTER_PACKAGES = [
  "containerd",
  "runc",
  "containernetworking-plugins",
  "nftables",
  "iptables",
  "conntrack",
  "iproute2",
  "zstd",
  "openssl",
  "buildah",
  "mmdebstrap",
];

/** What the fault tests use, and what is not tested without it. */
export async function installForFaults(): Promise<void> {
  const path = (process.env["PATH"] ?? "").split(delimiter);
  if (!path.some((folder) => existsSync(join(folder, "prometheus"))))
    await installOr("prometheus", "the alerts are not tested");
  if (!existsSync("/usr/lib/postgresql/15/bin/postgres"))
    await installOr("postgresql-15", "Debian's build of PostgreSQL 15 is not tested");
}

/** A cluster that this run may use, and how to end it; nothing if it was left out. */
export async function startCluster(): Promise<
  { readonly folder: string; readonly stop: () => Promise<void> } | undefined
> {
  const named = process.env["ANNALS_TEST_CLUSTER"] ?? "";
  const nothing = async (): Promise<void> => {};
  if (named !== "") return { folder: named, stop: nothing };
  const program = join(BESIDE, "cluster");
  if (!existsSync(program)) return leaveOut("no cluster is named or beside the checkout");
  const cluster = (word: string) => runProgram(program, [word], { isQuiet: true });
  if ((await cluster("status")).code === 0) return { folder: BESIDE, stop: nothing };
  const missing = await install(CLUSTER_PACKAGES);
  if (missing !== undefined)
    return leaveOut(`the cluster beside the checkout cannot start: ${missing}`);
  const { code, output } = await cluster("up");
  const stop = async (): Promise<void> => void (await cluster("down"));
  if (code === 0) return { folder: BESIDE, stop };
  await stop();
  return leaveOut(
    `the cluster beside the checkout cannot start: ${output.trimEnd().split("\n").at(-1)}`,
  );
}

function leaveOut(why: string): undefined {
  process.stdout.write(`== kubernetes: left out, ${why}\n`);
}

async function installOr(name: string, without: string): Promise<void> {
  const why = await install([name]);
  if (why !== undefined) process.stdout.write(`== ${name}: ${why}; ${without}\n`);
}

/** Resolves to why the packages are not there. */
async function install(packages: readonly string[]): Promise<string | undefined> {
  const quiet = { isQuiet: true };
  if ((await runProgram("dpkg", ["--status", ...packages], quiet)).code === 0) return undefined;
  if (process.getuid?.() !== 0) return "root is needed to install it";
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  await runProgram("apt-get", ["update"], quiet);
  const words = ["install", "--yes", "--no-install-recommends", ...packages];
  const { code } = await runProgram("apt-get", words, { ...quiet, env });
  return code === 0 ? undefined : "its Debian packages cannot be installed";
}
