// GET /v1/people (docs/interface.md): a page of the people who have logged in and have a role in the account.

import { ROLES } from "@annals/contract";
import type { Person } from "@annals/proto/keys";
import { Type } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import { DEFAULT_LIMIT, pageMembers, pageOf, renderPage } from "../render/page.ts";
import { CLOSED, Id, named, Nullable, openDetail, Time } from "../render/schema.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

const SHOWN = "As the provider has sent it; null if it has sent none.";

const PersonBody = named(
  "Person",
  Type.Object(
    {
      id: Id("usr", "6g1h5j9k3m7n2p4q8r0s5t1v6w"),
      provider: Type.String({ examples: ["okta"] }),
      subject: Type.String({
        description: "How the provider identifies them (`sub`).",
        examples: ["00u1a2b3c4D5E6F7g8h9"],
      }),
      name: Nullable(Type.String(), { description: SHOWN, examples: ["Ada Example"] }),
      email: Nullable(Type.String(), { description: SHOWN, examples: ["ada@example.com"] }),
      role: Type.Enum([...ROLES], { examples: ["viewer"] }),
      role_mapping_id: Id("rmap", "3f8k1m5p9r2t6v0x4z7b1c5d8g", "The mapping that gives the role."),
      last_login_at: Time(),
    },
    openDetail("person-members"),
  ),
);

export function listPeople({ keys }: Pick<Deps, "keys">): Route {
  return route({
    summary: "List the people who have a role",
    description:
      "Those who have logged in, by their first login, newest first. Who has a role and has not logged in yet is not known.",
    query: Type.Object(pageMembers, CLOSED),
    success: { status: 200, body: pageOf("PersonPage", PersonBody) },
    handle: async ({ admission, query, signal }) => {
      const { limit = DEFAULT_LIMIT, cursor: after = "" } = query;
      const request = { accountId: admission.accountId, limit, after };
      const { next, people } = await keys.listPeople(request, admittedBy(admission, signal));
      return { body: renderPage(people.map(renderPerson), next) };
    },
  });
}

function renderPerson(person: Person) {
  const { email, id, lastLoginAt, mappingId, name, provider, role, subject } = person;
  return {
    id,
    provider,
    subject,
    name: name || null,
    email: email || null,
    role,
    role_mapping_id: mappingId,
    last_login_at: lastLoginAt,
  };
}
