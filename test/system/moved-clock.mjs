// Moves the clock of a service by what a test has written: `--import` of its process (moving-clocks.ts). The
// monotonic clock stays, as when the clock of a machine is set.

import { readFileSync } from "node:fs";
import { join } from "node:path";

const { ANNALS_ADMIN_PORT: port = "", TEST_CLOCKS: folder = "" } = process.env;
const POLL_MS = 20;
const real = Date.now;
let shiftMs = 0;

function read() {
  for (const name of [port, "all"]) {
    try {
      shiftMs = Number(readFileSync(join(folder, name), "utf8")) * 1_000;
      return;
    } catch {
      // Not moved by itself: by what all are, or not at all.
    }
  }
  shiftMs = 0;
}

read();
setInterval(read, POLL_MS).unref();
Date.now = () => real() + shiftMs;
