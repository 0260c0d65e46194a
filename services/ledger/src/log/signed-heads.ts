// Has keys sign the heads of the head log, and checks what it has signed. Called by the epoch closer. If
// keys has signed a head that the log does not have, history went back: nothing is signed then.

import type { Logger } from "@annals/chassis";
import type { Database } from "@annals/postgres";
import { checkpointText, type NextEntry } from "@annals/tlog";
import { AnnalsError } from "@annals/errors";
import { getEpoch } from "./store/epochs.ts";
import type { LogRow } from "./store/logs.ts";
import { HeadLog } from "./head-log.ts";
import { expectSigned, type LogKeys, verifierKeys } from "./log-keys.ts";

interface Deps {
  readonly database: Database;
  readonly keys: LogKeys;
  readonly log: Logger;
  readonly metrics: { readonly rolledBack: () => void };
}

interface NextHead {
  readonly origin: string;
  readonly size: number;
  readonly root: Buffer;
  /** The entry. */
  readonly text: string;
  readonly next: NextEntry;
}

type Request = Parameters<LogKeys["signEpoch"]>[0];

export class SignedHeads {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * The checkpoint as a signed note. Undefined, with a line of the log and a count, if keys has signed what
   * the log does not have.
   */
  async sign(
    log: LogRow,
    head: NextHead,
    publicKeys: readonly Uint8Array[],
  ): Promise<string | undefined> {
    const { next, origin, root, size, text } = head;
    const request = { origin, entry: text, size: BigInt(size), root };
    const proofs = { consistency: [...next.consistency], inclusion: [...next.inclusion] };
    const oldSize = BigInt(size - 1);
    let answer = await this.#ask(log, { ...request, ...proofs, oldSize });
    if (answer?.checkpoint === "" && answer.signedSize < oldSize) {
      // keys has forgotten heads: its database is an older one.
      answer = await this.#signAgain(log, Number(answer.signedSize));
      if (answer !== undefined && answer.checkpoint !== "")
        answer = await this.#ask(log, { ...request, ...proofs, oldSize });
    }
    if (answer === undefined) return undefined;
    if (answer.checkpoint === "") return this.rolledBack(log, { size: Number(answer.signedSize) });
    const { checkpoint } = answer;
    expectSigned(checkpoint, checkpointText(head), verifierKeys(origin, publicKeys));
    return checkpoint;
  }

  /** Has every head after one signed again, up to the log's last: keys reads each entry before it signs. */
  async #signAgain(log: LogRow, signedSize: number) {
    const headLog = new HeadLog(this.#deps.database, log.log);
    let answer: Awaited<ReturnType<LogKeys["signEpoch"]>> | undefined;
    for (let size = signedSize + 1; size <= Number(log.size); size += 1) {
      const [epoch] = await this.#deps.database.run(getEpoch, [log.log, String(size)]);
      answer = await this.#ask(log, {
        origin: log.origin,
        entry: epoch?.entry ?? "",
        size: BigInt(size),
        root: await headLog.rootOf(size),
        oldSize: BigInt(size - 1),
        consistency: await headLog.proveConsistency(size - 1, size),
        inclusion: await headLog.proveInclusion(size - 1, size),
      });
      if (answer === undefined || answer.checkpoint === "") return answer;
    }
    return answer;
  }

  async #ask(log: LogRow, request: Request) {
    try {
      return await this.#deps.keys.signEpoch(request);
    } catch (error) {
      if (!(error instanceof AnnalsError) || error.kind !== "invalid") throw error;
      return this.rolledBack(log, { err: error });
    }
  }

  /** Counts and logs that the log does not have what was signed. */
  rolledBack(
    { origin, size }: LogRow,
    signed: { readonly size?: number; readonly err?: unknown },
  ): undefined {
    this.#deps.metrics.rolledBack();
    this.#deps.log.error(
      { err: signed.err, origin, size: Number(size), signed_size: signed.size },
      "no epoch is closed: keys has signed a head that the log does not have",
    );
    return undefined;
  }
}
