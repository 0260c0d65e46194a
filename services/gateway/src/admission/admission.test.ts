// Guarantee: an answer of the keys service that lacks the plan or the window of the account admits no
// request.

import { mintKey } from "@annals/contract";
import { AdmitRequestsResponseSchema } from "@annals/proto/keys";
import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { Unauthenticated } from "../edge/unauthenticated.ts";
import { Admissions } from "./admission.ts";

const COMPLETE = { accountId: "acct_1", admitted: 1, statement: "s", plan: {}, accountWindow: {} };

function admit(admission: object) {
  const answer = create(AdmitRequestsResponseSchema, { admissions: [admission], limit: 100 });
  const unauthenticated = new Unauthenticated({
    budget: { isOver: () => false },
    onRefused: () => {},
  });
  return new Admissions({ admitRequests: async () => answer }, unauthenticated).admit(
    `Bearer ${mintKey("annals")}`,
    {
      address: "127.0.0.1",
      ip: "127.0.0.1",
      requestId: "req_1",
      body: { complete: true },
      isWidget: false,
    },
  );
}

test("a complete answer admits", async () => {
  expect(await admit(COMPLETE)).toMatchObject({ accountId: "acct_1", isAfterBody: true });
});

test.each(["plan", "accountWindow"])("one without %s does not", async (member) => {
  await expect(admit({ ...COMPLETE, [member]: undefined })).rejects.toMatchObject({
    kind: "unavailable",
  });
});
