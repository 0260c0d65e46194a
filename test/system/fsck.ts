// Tessera's fsck, which checks a log of tiles over HTTP: built once per checkout by Go, unmodified, from the
// Go module proxy. And a server between it and the service that changes one byte of a file. Called by the
// test of the logs.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildPrograms } from "./go-programs.ts";

const VERSION = "v1.0.2";
/** On a wrong tile it may wait without end. */
const CHECKED_WITHIN_MS = 60_000;

const SUCCESS = /Successfully fsck'd log with size (\d+)/;
const FAILURE = /fsck failed|F\d{4} /;

/** The program. Rejects, and names the reason, where there is no Go or the module cannot be fetched. */
export async function buildFsck(): Promise<string> {
  const folder = await buildPrograms("github.com/transparency-dev/tessera", VERSION, ["cmd/fsck"]);
  return join(folder, "fsck");
}

export interface Checked {
  /** Entries of the log, if all of it is right. */
  readonly size: number | undefined;
  readonly output: string;
}

/** Checks the log below `url`. A version may exit with 0 whatever it has found, so its output is read. */
export async function fsck(
  program: string,
  { key, limitMs = CHECKED_WITHIN_MS, url, vkey }: FsckOptions,
): Promise<Checked> {
  const folder = await mkdtemp(join(tmpdir(), "annals-fsck-"));
  const keyPath = join(folder, "vkey");
  await writeFile(keyPath, vkey);
  const bearer = key === undefined ? [] : ["--bearer_token", key];
  const args = ["--storage_url", url, "--public_key", keyPath, "--ui=false", ...bearer];
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe"] });
  const timer = setTimeout(() => child.kill("SIGKILL"), limitMs);
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    if (FAILURE.test(output) || SUCCESS.test(output)) child.kill("SIGKILL");
  });
  await once(child, "close");
  clearTimeout(timer);
  await rm(folder, { recursive: true });
  const size = FAILURE.test(output) ? undefined : SUCCESS.exec(output)?.[1];
  return { size: size === undefined ? undefined : Number(size), output };
}

interface FsckOptions {
  /** Ends with a slash. */
  readonly url: string;
  readonly vkey: string;
  /** An API key. */
  readonly key?: string;
  readonly limitMs?: number;
}

/** Serves what is below `url`, with the byte in the middle changed of each file whose path matches. */
export async function changedLog(url: string, path: RegExp) {
  const changed: string[] = [];
  const server = createServer((request, response) => {
    const { authorization } = request.headers;
    const asked = request.url ?? "";
    void fetch(url + asked.slice(1), { headers: authorization ? { authorization } : {} }).then(
      async (answer) => {
        const bytes = Buffer.from(await answer.arrayBuffer());
        if (answer.ok && path.test(asked)) {
          changed.push(asked);
          const at = bytes.length >> 1;
          bytes[at] = (bytes[at] ?? 0) ^ 1;
        }
        response.writeHead(answer.status).end(bytes);
      },
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}/`, changed, close };
}
