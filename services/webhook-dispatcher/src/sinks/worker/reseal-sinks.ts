// Seals the configurations of all sinks with the first key of the key file. Called by the command that
// rotates the sealing keys. The services keep running meanwhile.

import type { Database } from "@annals/postgres";
import { randomBytes } from "node:crypto";
import type { SecretKeys } from "../../sealing/rules/secret-keys.ts";
import { listSinksSealedByOthers, replaceSinkConfig } from "../store/reseal-sinks.ts";

const BATCH = 500;

/** Resolves to the number of sinks. Rejects at the first one that no key opens. */
export async function resealSinks(database: Database, keys: SecretKeys): Promise<number> {
  let resealed = 0;
  let after: [string, string] = ["", ""];
  for (;;) {
    const rows = await database.run(listSinksSealedByOthers, [keys.sealingKeyId, BATCH, ...after]);
    for (const { account_id: accountId, id, config_key_id: keyId, config_sealed: bytes } of rows) {
      const owner = { accountId, sinkId: id };
      const sealed = keys.seal(keys.open({ keyId, bytes }, owner), owner, randomBytes);
      const params = [accountId, id, bytes, sealed.keyId, sealed.bytes] as const;
      resealed += (await database.run(replaceSinkConfig, [...params])).length;
    }
    const last = rows.at(-1);
    if (!last) return resealed;
    after = [last.account_id, last.id];
  }
}
