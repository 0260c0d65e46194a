// Starts a real Chromium from npm. Called by browser.ts for tests and by measure.ts. It needs nothing of the
// machine but the libraries that Debian's images have.

import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { createBrotliDecompress } from "node:zlib";
import { type Browser, chromium } from "playwright-core";

const CACHE = join(import.meta.dirname, "../../node_modules/.cache/annals");

/** The tests run as root in containers, where Chromium's own sandbox has no user to change to. */
const ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--font-render-hinting=none"];

/** One per test file; `close` ends it. */
export async function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: await unpack(), args: ARGUMENTS });
}

/** Unpacks Chromium once per checkout. Two runs at the same time each unpack, and the last one stays. */
async function unpack(): Promise<string> {
  const module = fileURLToPath(import.meta.resolve("@sparticuz/chromium"));
  const version = /chromium@([\d.]+)/.exec(module)?.[1] ?? "";
  const program = join(CACHE, `chromium-${version}`);
  if (existsSync(program)) return program;
  await mkdir(CACHE, { recursive: true });
  const partial = `${program}.${process.pid}`;
  try {
    await pipeline(
      createReadStream(join(dirname(module), "../bin/chromium.br")),
      createBrotliDecompress(),
      createWriteStream(partial, { mode: 0o755 }),
    );
    await rename(partial, program);
  } finally {
    await rm(partial, { force: true });
  }
  return program;
}
