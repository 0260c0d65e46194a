// What a call of AdmitRequests may ask for. Called by admit-requests.ts before any statement: one that is not
// valid would fail the requests of other keys.

import { plainAddress } from "@annals/contract";
import { invalid } from "@annals/errors";
import type { AdmissionGroup } from "@annals/proto/keys";
import { isIP } from "node:net";
import { type Group, isOfProgram, windowOf } from "./admitted-groups.ts";

/** Distinct secrets and windows in one call. */
const MAX_GROUPS = 1_000;

/** Waiting requests of one secret; beyond any real window's limit. */
const MAX_COUNT = 1_000_000;

/** Addresses in one call: a gateway sends that of each of its requests at most once. */
const MAX_ADDRESSES = 1_000;

const SHA256_BYTES = 32;

/** Throws `invalid`. */
export function checkGroups(groups: readonly Group[]): void {
  if (groups.length > MAX_GROUPS) {
    throw invalid({ field: "groups", message: `must be at most ${MAX_GROUPS}` });
  }
  const addresses = groups.reduce((sum, group) => sum + group.addresses.length, 0);
  if (addresses > MAX_ADDRESSES) {
    throw invalid({ field: "groups.addresses", message: `must be at most ${MAX_ADDRESSES}` });
  }
  const seen = new Set<string>();
  for (const [index, group] of groups.entries()) {
    const { ahead, count, secretSha256 } = group;
    if (secretSha256.length !== SHA256_BYTES) {
      throw invalid({
        field: `groups[${index}].secret_sha256`,
        message: `must be ${SHA256_BYTES} bytes`,
      });
    }
    if (count + ahead > MAX_COUNT) {
      throw invalid({ field: `groups[${index}].count`, message: `must be at most ${MAX_COUNT}` });
    }
    checkAddresses(group, `groups[${index}].addresses`);
    const window = isOfProgram(group) ? windowOf(group) : "requests";
    seen.add(`${Buffer.from(secretSha256).toString("base64")} ${window}`);
  }
  if (seen.size !== groups.length) {
    throw invalid({
      field: "groups",
      message: "must not contain the same secret twice in one window",
    });
  }
}

/** A text that is not an address would fail the statement, and with it the requests of other keys. */
function checkAddresses(
  { addresses, count }: Pick<AdmissionGroup, "addresses" | "count">,
  field: string,
): void {
  const isWrong = ({ address }: { readonly address: string }) =>
    isIP(address) === 0 || address !== plainAddress(address);
  if (addresses.some(isWrong)) throw invalid({ field, message: "must be IP addresses" });
  if (addresses.reduce((sum, one) => sum + one.count, 0) > count) {
    throw invalid({ field, message: "must not count more requests than the group" });
  }
}
