// ListPeople: a page of the people who have logged in and have a role in the account, newest first. A page
// may be short or empty and yet have a next one.

import { complete } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { KeysService, PersonSchema } from "@annals/proto/keys";
import { keysetPage } from "@annals/rpc";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { type AcceptedProviders, entryParams } from "../../identity/accepted-entries.ts";
import { listPeople as listPeopleStatement, type PersonRow } from "../store/list-people.ts";

/** People that one page reads. */
const MAX_READ = 1_000;

interface Deps {
  readonly database: Pool;
  readonly identities: AcceptedProviders;
}

export function listPeople(deps: Deps): ServiceImpl<typeof KeysService>["listPeople"] {
  return async ({ accountId, limit, after }, context) => {
    complete({ account_id: accountId });
    const database = deps.database.forAccount(accountId, context.signal);
    const providers = entryParams(deps.identities.current.people);
    const { rows, next } = await keysetPage(
      { after, limit },
      "usr_",
      (createdAt, id, rowLimit) =>
        database.run(listPeopleStatement, [
          accountId,
          createdAt,
          id,
          MAX_READ,
          rowLimit,
          ...providers,
        ]),
      (row) => row.is_end,
    );
    return { people: rows.map(renderPerson), next };
  };
}

function renderPerson(row: PersonRow): MessageInitShape<typeof PersonSchema> {
  return {
    id: row.id,
    provider: row.provider ?? "",
    subject: row.subject ?? "",
    name: row.name ?? "",
    email: row.email ?? "",
    role: row.role ?? "",
    mappingId: row.mapping_id ?? "",
    lastLoginAt: row.last_login_at ?? "",
  };
}
