// What `npm start`, `npm test` and the other npm scripts run first: plain JavaScript for any Node from 20
// on, with no dependency. It installs what is missing, bundles what browsers and tests load, then runs the
// named program under the project's own Node 24. It must never start a program of the project under the
// caller's Node, nor use the network when the install is complete.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { constants as osConstants, homedir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const CHECKOUT = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const MODULES = join(CHECKOUT, "node_modules");
const STAMP = join(MODULES, ".annals-installed");
const INSTALL_LOCK = join(MODULES, ".annals-installing");
const INSTALL_LOG = join(MODULES, ".annals-install.log");
const NODE = join(MODULES, "node/bin/node");
const PNPM = join(CHECKOUT, "deploy/local/pnpm");

/** How long a start waits for another start's install of the same checkout, in milliseconds. */
const INSTALL_WAIT_MS = 10 * 60_000;
const INSTALL_POLL_MS = 250;
/** Pause before the first retry of a download, in milliseconds; the next one is ten times as long. */
const FIRST_RETRY_MS = "1000";

/** How often a script of npm checks whether npm still runs, in milliseconds. */
const PARENT_POLL_MS = 500;

/** Signals that are passed on to the program. */
const PASSED_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR2"];

const USAGE = "usage: bootstrap.mjs install | local | test [arguments] | <script> [arguments]";

/** What npm and pnpm print if the network failed, and not the install. */
const NETWORK_ERRORS = [
  /\b(ENOTFOUND|EAI_AGAIN|ECONN(REFUSED|RESET)|ETIMEDOUT|E(HOST|NET)UNREACH)\b/,
  /\b(ERR_SOCKET_TIMEOUT|\w+_CERT_\w+|operation timed out)\b/,
  /(?<=client error \(Connect\): )[\w ]+/,
];

/** The words that name a program, with Node's arguments. Any other word is the path of a script. */
const PROGRAMS = {
  local: ["-C", "source", "deploy/local/src/main.ts"],
  test: ["-C", "source", "node_modules/vitest/vitest.mjs", "run"],
};

/**
 * What tests, and all that they start, load quickly: modules that are compiled already, and whole
 * services.
 */
const FOR_TESTS = {
  ANNALS_TEST_BUNDLED: "true",
  NODE_COMPILE_CACHE: join(MODULES, ".cache/annals/compiled"),
};

process.exitCode = await main(...process.argv.slice(2));

async function main(word, ...args) {
  if (word === undefined) return fail(USAGE);
  const program = PROGRAMS[word] ?? ["-C", "source", word];
  const isScript = word !== "install" && !(word in PROGRAMS);
  if (isScript && !existsSync(join(CHECKOUT, word)))
    return fail(`there is no ${word} in ${CHECKOUT}\n${USAGE}`);
  const installed = await ensureInstalled().catch((error) => {
    if (!["EACCES", "EPERM", "EROFS", "ENOSPC"].includes(error.code)) throw error;
    return fail(`${MODULES} cannot be written (${error.code}): packages are installed there`);
  });
  if (installed !== 0 || word === "install") return installed;
  const bundled = await run(NODE, ["deploy/bundle/bundle.mjs"], process.env);
  if (bundled !== 0) return bundled;
  if (word === "test") {
    const made = await run(NODE, ["deploy/bundle/programs.mjs"], process.env);
    if (made !== 0) return made;
  }
  const path = `${join(MODULES, ".bin")}${delimiter}${process.env.PATH ?? ""}`;
  const forTests = word === "test" ? { ...FOR_TESTS, ...process.env } : process.env;
  return run(NODE, [...program, ...args], { ...forTests, PATH: path });
}

/** Installs unless the stamp names this lockfile and this platform. Returns the exit code. */
async function ensureInstalled() {
  if (isInstalled()) return 0;
  if (!(await takeInstallLock())) {
    return isInstalled()
      ? 0
      : fail(`another install has held ${INSTALL_LOCK} for ten minutes: remove it, then try again`);
  }
  try {
    if (isInstalled()) return 0;
    const manifest = JSON.parse(readFileSync(join(CHECKOUT, "package.json"), "utf8"));
    process.stdout.write(
      `installing packages with ${manifest.packageManager} (once; about a minute)\n`,
    );
    const { code, output } = await install(manifest.packageManager, manifest.devDependencies.node);
    writeFileSync(INSTALL_LOG, output);
    if (code !== 0) return fail(installFault(code, output), code);
    if (!existsSync(NODE))
      return fail(`the install put no Node.js at ${NODE}: there is no build for this platform`);
    writeFileSync(STAMP, lockfileStamp());
    return 0;
  } finally {
    rmSync(INSTALL_LOCK, { force: true });
  }
}

/** One line when the registry cannot be reached; else all that the package manager printed. */
function installFault(code, output) {
  const [reason] = NETWORK_ERRORS.flatMap((each) => each.exec(output)?.[0] ?? []);
  if (reason === undefined)
    return `the install failed with exit code ${code}:\n${output.trimEnd()}`;
  const [address = ""] = /https?:\/\/[^\s/"')]+/.exec(output) ?? [];
  return (
    `the package registry ${address} cannot be reached (${reason}): check the network and npm's registry ` +
    `and proxy settings, then try again; ${INSTALL_LOG} has the details`
  );
}

function isInstalled() {
  if (!existsSync(NODE) || !existsSync(STAMP)) return false;
  return readFileSync(STAMP, "utf8") === lockfileStamp();
}

/** Names what an install depends on: the lockfile, the workspace's settings and the platform. */
function lockfileStamp() {
  const digest = createHash("sha256");
  for (const file of ["pnpm-lock.yaml", "pnpm-workspace.yaml"])
    digest.update(readFileSync(join(CHECKOUT, file)));
  return `${digest.digest("hex")} ${process.platform}-${process.arch}\n`;
}

/** Keeps two first starts from installing into one folder at once. False when the wait was too long. */
async function takeInstallLock() {
  mkdirSync(MODULES, { recursive: true });
  for (const end = Date.now() + INSTALL_WAIT_MS; Date.now() < end; await delay(INSTALL_POLL_MS)) {
    try {
      writeFileSync(INSTALL_LOCK, String(process.pid), { flag: "wx" });
      return true;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    if (!isAlive(readPid(INSTALL_LOCK))) rmSync(INSTALL_LOCK, { force: true });
  }
  return false;
}

function readPid(file) {
  try {
    return Number(readFileSync(file, "utf8"));
  } catch {
    return 0;
  }
}

function isAlive(pid) {
  // An empty lock file was just made, and its process id comes next.
  if (!(pid > 0)) return existsSync(INSTALL_LOCK);
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** The pnpm of this platform, if the lockfile next to it has its hash. */
function pinnedPnpm() {
  const name = `node_modules/@pnpm/exe.${process.platform}-${process.arch}`;
  const lock = join(PNPM, "package-lock.json");
  const { packages } = existsSync(lock) ? JSON.parse(readFileSync(lock, "utf8")) : { packages: {} };
  return name in packages ? join(PNPM, name, "pnpm") : undefined;
}

async function install(packageManager, nodeVersion) {
  // Under `npm start` npm names itself; a plain `node bootstrap.mjs` takes the one on the PATH.
  const npmScript = process.env.npm_execpath;
  const isNpm = npmScript !== undefined && /npm-cli\.c?js$/.test(npmScript);
  const [command, first] = isNpm ? [process.execPath, [npmScript]] : ["npm", []];
  const packages = ["install", "--frozen-lockfile", "--prefer-offline"];
  // This is the pinned pnpm already. By default pnpm 12 wants its pin recorded in the lockfile, and a
  // frozen install then fails if a registry does not have all of pnpm's own packages. It also has
  // to judge packages by the project's Node and not by the caller's.
  const pin = { pnpm_config_pm_on_fail: "ignore", pnpm_config_node_version: nodeVersion };
  // The default first retry comes after ten seconds: without a network that is a minute of silence.
  const retries = {
    npm_config_fetch_retry_mintimeout: FIRST_RETRY_MS,
    pnpm_config_fetch_retry_mintimeout: FIRST_RETRY_MS,
  };
  const npm = { npm_config_update_notifier: "false" };
  const env = { ...retries, ...process.env, ...pin, ...npm, ...writableHome() };
  let output = "";
  const onOutput = (bytes) => {
    output += bytes;
    const [progress] = /Progress: [^\n]*/.exec(bytes) ?? [];
    if (process.stdout.isTTY && progress !== undefined) process.stdout.write(`\r${progress}`);
  };
  const runNpm = (...words) => run(command, [...first, ...words], env, onOutput);
  const pinned = pinnedPnpm();
  let code;
  if (pinned === undefined) code = await runNpm("exec", "--yes", "--", packageManager, ...packages);
  else {
    const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"];
    code = await runNpm("ci", "--prefix", PNPM, ...quiet);
    // npm leaves out an optional package that cannot be fetched, or that has another hash.
    if (code === 0 && !existsSync(pinned)) {
      code = 1;
      output += `pnpm was not installed: ${pinned} cannot be downloaded, or its hash does not match\n`;
    }
    if (code === 0) code = await run(pinned, packages, env, onOutput);
  }
  if (process.stdout.isTTY) process.stdout.write("\n");
  return { code, output };
}

/** A folder for the caches of npm and pnpm if the user has no home folder, as in a container. */
function writableHome() {
  try {
    accessSync(homedir(), constants.W_OK);
    return {};
  } catch {
    const home = join(MODULES, ".cache/home");
    mkdirSync(home, { recursive: true });
    return {
      HOME: home,
      npm_config_cache: join(home, ".npm"),
      XDG_CACHE_HOME: join(home, ".cache"),
      XDG_DATA_HOME: join(home, ".local/share"),
    };
  }
}

/**
 * Runs a program in the checkout to its end and passes signals on. `onOutput` gets what it prints; without
 * it the program has this process's terminal. Returns its exit code, 128 + n after signal n.
 */
function run(command, args, env, onOutput) {
  return new Promise((done) => {
    const stdio = onOutput === undefined ? "inherit" : ["ignore", "pipe", "pipe"];
    const child = spawn(command, args, { cwd: CHECKOUT, env, stdio });
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding("utf8").on("data", onOutput);
    for (const signal of PASSED_SIGNALS) process.on(signal, () => child.kill(signal));
    if (process.env.npm_lifecycle_event !== undefined) onLostParent(() => child.kill("SIGTERM"));
    child.once("error", (error) => done(fail(`${command} cannot be run: ${error.message}`)));
    child.once("close", (code, signal) => done(code ?? 128 + (osConstants.signals[signal] ?? 0)));
  });
}

/**
 * npm runs a script through a shell. A signal to npm reaches that shell only, and a SIGKILL of npm reaches
 * no other process. So this program watches the processes between itself and npm, and stops when one ends.
 */
function onLostParent(stop) {
  const parents = npmAncestors();
  const timer = setInterval(() => {
    if (npmAncestors() === parents) return;
    clearInterval(timer);
    stop();
  }, PARENT_POLL_MS);
  timer.unref();
}

/** The parent, and if that is npm's shell, the shell's parent: npm. Only Linux shows the second. */
function npmAncestors() {
  try {
    const [name, ...fields] = readFileSync(`/proc/${process.ppid}/stat`, "utf8").split(/(?<=\)) /);
    if (name.includes("(sh)")) return `${process.ppid} ${fields.join(" ").split(" ")[1]}`;
  } catch {
    // Not Linux, or the parent has just ended, which the next check shows.
  }
  return String(process.ppid);
}

function fail(sentence, code = 1) {
  process.stderr.write(`annals: ${sentence}\n`);
  return code;
}
