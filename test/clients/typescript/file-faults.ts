// Faults of the disk, and the faults that a driver has in its files, from outside of the SDK: they replace
// functions of node:fs for the whole process. Called by driver.ts.

import { createHash } from "node:crypto";
import fs from "node:fs";
import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import type { Fault } from "./faults.ts";

const { closeSync, openSync, writeFileSync, writeSync } = fs;
const { readFile, rename, stat } = promises;

/** A full disk takes the half of a line, and nothing of a new file. */
export function fillDisk(isFull: boolean): void {
  const full = (): never => {
    throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
  };
  const half = (file: number, data: Buffer): never => {
    writeSync(file, data.subarray(0, data.length / 2));
    return full();
  };
  const empty = (path: string): never => {
    closeSync(openSync(path, "w"));
    return full();
  };
  Object.assign(fs, {
    openSync: isFull ? full : openSync,
    writeFileSync: isFull ? empty : writeFileSync,
    writeSync: isFull ? half : writeSync,
  });
  syncBuiltinESMExports();
}

export function spoilFiles(fault: Fault | undefined): void {
  if (fault === "lines-repaired")
    Object.assign(promises, {
      readFile: async (path: string, ...options: []) => {
        const data = await readFile(path, ...options);
        return /\.(open|ready|sent)$/.test(path) ? repaired(data) : data;
      },
    });
  if (fault === "times-forgotten")
    Object.assign(promises, {
      stat: async (path: string) => Object.assign(await stat(path), { mtimeMs: NaN }),
    });
  if (fault === "claim-copies")
    Object.assign(promises, {
      rename: async (from: string, to: string) =>
        to.includes("~") && !from.includes(".")
          ? promises.cp(from, to, { recursive: true })
          : rename(from, to),
    });
  syncBuiltinESMExports();
}

/** Lines with a torn or wrong text, as if they were whole. */
function repaired(data: Buffer): Buffer {
  const lines = data.toString().split("\n").filter(Boolean);
  const whole = lines.map((line) => {
    const json = isJson(line.slice(17)) ? line.slice(17) : '{"action":"torn"}';
    return `${createHash("sha256").update(json).digest("hex").slice(0, 16)} ${json}\n`;
  });
  return Buffer.from(whole.join(""));
}

function isJson(text: string): boolean {
  try {
    return JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
}
