// `annals log-key new`: makes a key of the log of evidence. It stores nothing: the key is in what it prints,
// which is a part of the file, and nowhere else.

import { command, EXIT, flag, option } from "@annals/cli";
import { LOG_ORIGIN } from "@annals/contract";
import { noteSigner, originOf, vkeyOf } from "@annals/tlog";
import { randomBytes } from "node:crypto";

const SEED_BYTES = 32;

export const logKeyCommand = command(
  {
    name: "log-key new",
    summary: "Make a key of the log of evidence",
    details: `Prints a line for ANNALS_LOG_KEY_FILE of keys, which is secret, and above it in a comment the public key as a vkey,
which witnesses and verifiers need. The vkey has the origin of the log: name it with --origin, unless this is the first
key of a log that has no other name. Put the line above the lines of earlier keys.`,
    options: {
      origin: option("<origin>", "Origin of the log (default annals/ and 16 digits)", asOrigin),
      json: flag("Print JSON"),
    },
    examples: ["annals log-key new", "annals log-key new --origin log.example.com --json"],
    exitStatus: "0 success, 2 usage error",
  },
  async ({ json, origin: given }) => {
    const seed = randomBytes(SEED_BYTES);
    const origin = given ?? originOf(noteSigner("log", seed).key.publicKey);
    const [line, vkey] = [seed.toString("base64"), vkeyOf(noteSigner(origin, seed).key)];
    process.stdout.write(
      json ? `${JSON.stringify({ line, origin, vkey })}\n` : `# ${vkey}\n${line}\n`,
    );
    return EXIT.ok;
  },
);

function asOrigin(text: string): string {
  if (LOG_ORIGIN.test(text)) return text;
  throw new Error("must be the origin of a log, such as log.example.com");
}
