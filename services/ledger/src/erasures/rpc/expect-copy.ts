// Whose copies of erased values a request is about. Called by the handlers of the services that have copies.

import { invalid } from "@annals/errors";
import { ErasureCopy } from "@annals/proto/ledger";
import { callerOf } from "@annals/rpc";
import type { HandlerContext } from "@connectrpc/connect";

const OWNERS: Readonly<Partial<Record<ErasureCopy, string>>> = {
  [ErasureCopy.EXPORTS]: "export",
  [ErasureCopy.WEBHOOKS]: "webhook-dispatcher",
};

/** Throws `invalid` unless the copy is one, and the caller's own if the caller is known. */
export function expectCopy(copy: ErasureCopy, { values }: Pick<HandlerContext, "values">): void {
  const owner = OWNERS[copy];
  const caller = callerOf({ contextValues: values }) ?? owner;
  if (owner === undefined || caller !== owner)
    throw invalid({ field: "copy", message: "Must be the caller's own." });
}
