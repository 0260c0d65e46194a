// SignEpoch: signs the next head of the head log, if it continues the last one that was signed. The head is
// stored before its signature leaves, so that no two heads of one size are ever signed.

import { unavailable } from "@annals/errors";
import type { KeysService } from "@annals/proto/keys";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  checkEpoch,
  type Epoch,
  requireContinues,
  requireMayFollow,
  requireOwnKey,
} from "../rules/check-sign-request.ts";
import type { LogSigner, Signed } from "../log-signer.ts";

/** Another process may sign between a read and the write that depends on it; each time the log has grown. */
const MAX_TRIES = 3;

interface Deps {
  readonly signer: LogSigner;
}

export function signEpoch({ signer }: Deps): ServiceImpl<typeof KeysService>["signEpoch"] {
  return async (request) => {
    const file = signer.requireKeys();
    const epoch = checkEpoch(request);
    requireOwnKey(epoch, file.publicKeys);
    const { head, origin } = epoch;
    const signedSize = BigInt(head.size);
    const signature = async () => {
      const checkpoint = await signer.sign(file, { origin, ...head });
      return { checkpoint, signedSize };
    };
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const signed = await signer.signed(origin);
      if (isSigned(epoch, signed)) return signature();
      const size = signed.own?.size ?? 0;
      if (size !== epoch.oldSize) return { checkpoint: "", signedSize: BigInt(size) };
      requireMayFollow(epoch, signed);
      requireContinues(signed.own, epoch);
      if (await signer.advance(epoch, signed)) return signature();
    }
    throw unavailable("Other heads of the log were signed at the same time.");
  };
}

function isSigned({ head }: Epoch, { own }: Signed): boolean {
  return own !== undefined && own.size === head.size && own.root.equals(head.root);
}
