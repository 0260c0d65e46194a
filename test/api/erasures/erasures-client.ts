// What the tests of the routes of erasures share.

import { eventually, type HttpClient, type ownerOf } from "@annals/testing";

export const PATH = "/v1/erasures";
type Owner = ReturnType<typeof ownerOf>;

/** Ends the delays of the erasures of an account. */
export const letTimePass = (owner: Owner, accountId: string) =>
  owner.query(
    `UPDATE ledger.erasures SET due_at = now()
     WHERE account_id = $1 AND status = 'pending'`,
    [accountId],
  );

/** The erasure once it is completed. The services with copies confirm it later than the test waits. */
export const completed = (owner: Owner, client: HttpClient, id: string) =>
  eventually(`${id} is completed`, async () => {
    await owner.query(
      `UPDATE ledger.erasures SET exports_cleared_at = now(), webhooks_cleared_at = now()
       WHERE id = $1 AND done_at IS NOT NULL AND status = 'running'`,
      [id],
    );
    const { body } = await client.get(`${PATH}/${id}`);
    return body.data.status === "completed" && body.data;
  });
