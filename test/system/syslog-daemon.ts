// Real servers of syslog for tests, rsyslog and syslog-ng: those of the system, or named ones, since Debian
// installs only one of the two. Each receives RFC 5424 over TLS and writes a line for each message. Called by
// the fault test of sinks.

import { freePort } from "@annals/local";
import { eventually } from "@annals/testing";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GrowingFile } from "./growing-file.ts";
import { ReceiverProcess } from "./receiver-process.ts";

export const SYSLOG_DAEMONS = ["rsyslog", "syslog-ng"] as const;
export type SyslogDaemonName = (typeof SYSLOG_DAEMONS)[number];

interface Setup {
  readonly variable: string;
  readonly program: string;
  /** The configuration for a folder with `cert`, `key` and `ca`; lines go to `out` in it. */
  readonly config: (folder: string, port: number) => string;
  readonly args: (folder: string) => readonly string[];
}

/** Each line has the message id, the structured data and the message. */
const SETUPS: Readonly<Record<SyslogDaemonName, Setup>> = {
  rsyslog: {
    variable: "ANNALS_TEST_RSYSLOG",
    program: "/usr/sbin/rsyslogd",
    config: (folder, port) => `global(
  workDirectory="${folder}"
  maxMessageSize="1m"
  defaultNetstreamDriver="ossl"
  defaultNetstreamDriverCAFile="${folder}/ca"
  defaultNetstreamDriverCertFile="${folder}/cert"
  defaultNetstreamDriverKeyFile="${folder}/key"
)
module(load="imtcp" streamDriver.name="ossl" streamDriver.mode="1" streamDriver.authMode="anon")
template(name="line" type="string" string="%msgid% %structured-data% %msg%\\n")
ruleset(name="all") { action(type="omfile" file="${folder}/out" template="line") }
input(type="imtcp" address="127.0.0.1" port="${port}" ruleset="all")
`,
    args: (folder) => ["-n", "-f", `${folder}/config`, "-i", `${folder}/pid`],
  },
  "syslog-ng": {
    variable: "ANNALS_TEST_SYSLOG_NG",
    program: "/usr/sbin/syslog-ng",
    config: (folder, port) => `@version: 3.35
options { log-msg-size(1048576); };
source s {
  syslog(ip("127.0.0.1") port(${port}) transport("tls") tls(
    key-file("${folder}/key") cert-file("${folder}/cert") peer-verify(optional-untrusted)
  ));
};
destination d { file("${folder}/out" template("$MSGID $SDATA $MSG\\n")); };
log { source(s); destination(d); };
`,
    args: (folder) => [
      "--foreground",
      "--no-caps",
      `--cfgfile=${folder}/config`,
      `--persist-file=${folder}/persist`,
      `--pidfile=${folder}/pid`,
      `--control=${folder}/control`,
    ],
  },
};

/** The program, or undefined if it is not on this machine. */
export function findSyslogDaemon(name: SyslogDaemonName, env = process.env): string | undefined {
  const { program, variable } = SETUPS[name];
  return env[variable] ?? (existsSync(program) ? program : undefined);
}

export class SyslogDaemon {
  readonly port: number;
  /** The lines that it writes. */
  readonly file: GrowingFile;
  readonly process: ReceiverProcess;
  readonly #folder: string;

  private constructor(folder: string, port: number, process: ReceiverProcess) {
    this.#folder = folder;
    this.port = port;
    this.file = new GrowingFile(join(folder, "out"));
    this.process = process;
  }

  static async start(
    name: SyslogDaemonName,
    program: string,
    files: { readonly ca: string; readonly cert: string; readonly key: string },
  ): Promise<SyslogDaemon> {
    const { args, config } = SETUPS[name];
    const folder = await mkdtemp(join(tmpdir(), "annals-syslog-"));
    const port = await freePort();
    for (const [file, text] of Object.entries({ ...files, config: config(folder, port) }))
      await writeFile(join(folder, file), text);
    const process = new ReceiverProcess(program, args(folder), async () => {
      await eventually(`${name} listens`, async () => {
        const socket = connect(port, "127.0.0.1");
        await once(socket, "connect");
        socket.destroy();
        return true;
      });
    });
    await process.start();
    return new SyslogDaemon(folder, port, process);
  }

  async stop(): Promise<void> {
    await this.process.end("SIGKILL");
    await rm(this.#folder, { recursive: true });
  }
}
