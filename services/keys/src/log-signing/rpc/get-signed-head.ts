// GetSignedHead: the keys of the log, and how far a log is signed. The ledger asks before it proposes an
// epoch. Without a key file there is no log, and the response has no key.

import type { KeysService } from "@annals/proto/keys";
import type { ServiceImpl } from "@connectrpc/connect";
import { checkOrigin } from "../rules/check-sign-request.ts";
import { defaultOrigin } from "../rules/log-keys.ts";
import type { LogSigner } from "../log-signer.ts";

interface Deps {
  readonly signer: LogSigner;
}

export function getSignedHead({ signer }: Deps): ServiceImpl<typeof KeysService>["getSignedHead"] {
  return async (request) => {
    const { file } = signer;
    if (request.origin !== "") checkOrigin(request.origin);
    const origin = request.origin || defaultOrigin(file);
    const signed = await signer.largest(origin);
    return { origin, publicKeys: [...file.publicKeys], size: BigInt(signed?.size ?? 0) };
  };
}
