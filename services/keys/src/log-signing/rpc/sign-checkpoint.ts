// SignCheckpoint: signs the checkpoint of an account whose head is in an epoch that was signed. The ledger
// asks when a client asks for that checkpoint, not for each epoch.

import { invalid } from "@annals/errors";
import type { KeysService } from "@annals/proto/keys";
import type { ServiceImpl } from "@connectrpc/connect";
import { checkCheckpoint } from "../rules/check-sign-request.ts";
import type { LogSigner } from "../log-signer.ts";

interface Deps {
  readonly signer: LogSigner;
}

export function signCheckpoint({
  signer,
}: Deps): ServiceImpl<typeof KeysService>["signCheckpoint"] {
  return async (request) => {
    const file = signer.requireKeys();
    const { head, logHead, origin } = checkCheckpoint(request);
    const { own } = await signer.signed(origin);
    const signedSize = BigInt(own?.size ?? 0);
    if (own?.size !== logHead.size) return { checkpoint: "", signedSize };
    if (!own.root.equals(logHead.root))
      throw invalid({ field: "root", message: "must be that of the head which was signed last" });
    const { chain, root, size } = head;
    const checkpoint = await signer.sign(file, { origin: `${origin}/${chain}`, size, root });
    return { checkpoint, signedSize };
  };
}
