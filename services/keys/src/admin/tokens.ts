// The tokens of the admin API, read from a file and read again when it changes, so that a token is replaced
// without a restart. Opened by serve.ts, asked by api.ts. A file that cannot be used never replaces what
// works. It must never log a token.

import { follow, type Logger, type Loop, readKeyFile } from "@annals/chassis";
import { hash, timingSafeEqual } from "node:crypto";

const SETTING = {
  env: "ANNALS_ADMIN_API_TOKEN_FILE",
  purpose: "holds the token of the admin API",
};
const MIN_LENGTH = 32;
/** Two are needed while one replaces the other. */
const MAX_TOKENS = 8;
const MESSAGES = {
  isNew: "new tokens of the admin API are in use",
  cannotBeUsed: "new tokens of the admin API cannot be used: keeping the current ones",
};

export class AdminTokens {
  readonly #loop: Loop;
  #digests: readonly Buffer[];

  private constructor(digests: readonly Buffer[], file: string, log: Logger, intervalMs?: number) {
    this.#digests = digests;
    this.#loop = follow({
      name: "admin_tokens",
      log,
      messages: MESSAGES,
      intervalMs,
      reload: async () => {
        const read = await readTokens(file);
        const isNew = Buffer.compare(Buffer.concat(read), Buffer.concat(this.#digests)) !== 0;
        this.#digests = read;
        return isNew;
      },
    });
  }

  /** Throws a ConfigError if the file cannot be used. `intervalMs`: between two readings. */
  static async open(file: string, log: Logger, intervalMs?: number): Promise<AdminTokens> {
    return new AdminTokens(await readTokens(file), file, log, intervalMs);
  }

  /** The time it takes depends on the length of `given` alone, not on what is in it or in the file. */
  accepts(given: string): boolean {
    const digest = hash("sha256", given, "buffer");
    return this.#digests.map((each) => timingSafeEqual(each, digest)).includes(true);
  }

  close(): Promise<void> {
    return this.#loop.stop();
  }
}

/** The SHA-256 of each token. */
async function readTokens(file: string): Promise<Buffer[]> {
  const { parsed } = await readKeyFile(SETTING, file, (text) => {
    const tokens = text.split("\n").map((line) => line.trim());
    const wrong = tokens.findIndex((token) => token !== "" && !isToken(token));
    if (wrong >= 0) {
      throw new Error(
        `line ${wrong + 1}: a token must have ${MIN_LENGTH} or more letters, digits and - . _ ~ + / =`,
      );
    }
    const given = tokens.filter((token) => token !== "");
    if (given.length === 0 || given.length > MAX_TOKENS) {
      throw new Error(`must contain 1 to ${MAX_TOKENS} tokens, one per line`);
    }
    return given.map((token) => hash("sha256", token, "buffer"));
  });
  return parsed;
}

/** What a header can carry as a bearer token (RFC 6750), long enough not to be guessed. */
function isToken(text: string): boolean {
  return text.length >= MIN_LENGTH && /^[A-Za-z0-9._~+/-]+=*$/.test(text);
}
