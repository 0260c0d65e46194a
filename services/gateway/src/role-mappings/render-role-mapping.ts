// A role mapping as JSON (docs/interface.md).

import { MAPPED_ROLES } from "@annals/contract";
import { internal } from "@annals/errors";
import type { RoleMapping } from "@annals/proto/keys";
import { Type } from "typebox";
import { Id, named, Nullable, openDetail, Time } from "../render/schema.ts";

export const RoleMappingId = Id("rmap", "3f8k1m5p9r2t6v0x4z7b1c5d8g");

/** What a role mapping is created with, and what a response shows of it. */
export const MAPPING_MEMBERS = openDetail("role-mapping-members");

export const ProviderName = Type.String({
  minLength: 1,
  maxLength: 31,
  description: "Name of an identity provider of the operator.",
  examples: ["okta"],
});

const LENGTH = { minLength: 1, maxLength: 255 };

export const Group = Type.String({
  ...LENGTH,
  description: "A group as the provider names it, to the character.",
  examples: ["audit-readers"],
});

export const Subject = Type.String({
  ...LENGTH,
  description: "A person as the provider identifies them (`sub`), to the character.",
  examples: ["00u1a2b3c4D5E6F7g8h9"],
});

export const MappedRole = Type.Enum([...MAPPED_ROLES], {
  description:
    "What it gives. Of several mappings the highest role counts, and `none` beats all: who has it may not use the account.",
  examples: ["viewer"],
});

export const RoleMappingBody = named(
  "RoleMapping",
  Type.Object(
    {
      id: RoleMappingId,
      provider: ProviderName,
      group: Nullable(Group, { description: "Null for a mapping of a subject." }),
      subject: Nullable(Subject, { description: "Null for a mapping of a group." }),
      role: MappedRole,
      created_at: Time(),
    },
    MAPPING_MEMBERS,
  ),
);

export function renderRoleMapping(mapping: RoleMapping | undefined) {
  if (!mapping) throw internal("keys responded without a role mapping");
  const { createdAt, group, id, provider, role, subject } = mapping;
  return {
    id,
    provider,
    group: group || null,
    subject: subject || null,
    role,
    created_at: createdAt,
  };
}
