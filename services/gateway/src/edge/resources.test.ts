// Guarantee: what an account, and all accounts together, may hold of a gateway follows from its settings.

import { parseConfig } from "@annals/chassis";
import { expect, test } from "vitest";
import { SETTINGS } from "../config.ts";
import { resourceShares } from "./resources.ts";

const MIB = 1024 * 1024;
const { bytesMaxPerAccount, readsMaxPerAccount, requestsMaxPerAccount, requestsMaxUnderWay } =
  SETTINGS;
const USED = { bytesMaxPerAccount, readsMaxPerAccount, requestsMaxPerAccount, requestsMaxUnderWay };

const sharesWith = (environment: Record<string, string>) =>
  resourceShares(parseConfig(USED, environment));

test("by default an account has 16 lists, 8 downloads and 4 verifications, and all have four times that", () => {
  const shares = sharesWith({});
  expect(shares.requests).toEqual({ share: 500, total: 2_000 });
  expect(shares.lists).toMatchObject({ share: 16, total: 64 });
  expect(shares.downloads).toEqual({ share: 8, total: 32 });
  expect(shares.verifications).toEqual({ share: 4, total: 16 });
  expect(shares.unread_bytes).toEqual({ share: 26 * MIB, total: 104 * MIB });
});

test("one setting moves them together, and leaves at least one of each", () => {
  const shares = sharesWith({ ANNALS_READS_MAX_PER_ACCOUNT: "7" });
  const of = ({ lists, downloads, verifications }: typeof shares) =>
    [lists, downloads, verifications].map(({ share }) => share);
  expect(of(shares)).toEqual([7, 3, 1]);
  expect(of(sharesWith({ ANNALS_READS_MAX_PER_ACCOUNT: "4" }))).toEqual([4, 2, 1]);
  expect(() => sharesWith({ ANNALS_READS_MAX_PER_ACCOUNT: "3" })).toThrow(
    "ANNALS_READS_MAX_PER_ACCOUNT must be an integer from 4 to 100000",
  );
});
