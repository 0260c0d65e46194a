// A workload as JSON (docs/interface.md).

import { MAX_WORKLOAD_CLAIMS } from "@annals/contract";
import { internal } from "@annals/errors";
import type { Workload } from "@annals/proto/keys";
import { Type } from "typebox";
import { allowedIps, ScopeBody } from "../api-keys/render-api-key.ts";
import { Id, named, Nullable, openDetail, Time } from "../render/schema.ts";

export const WorkloadId = Id("wkl", "3f8k1m5p9r2t6v0x4z7b1c5d8g");

/** What a workload is created with, and what a response shows of it. */
export const WORKLOAD_MEMBERS = openDetail("workload-members");

export const IssuerName = Type.String({
  minLength: 1,
  maxLength: 31,
  description: "Name of an issuer of the operator.",
  examples: ["cluster"],
});

export const Subject = Type.String({
  minLength: 1,
  maxLength: 1_024,
  description:
    "The subject (`sub`) of its tokens, to the character. One that ends with `*`, after at least 8 characters, is a beginning.",
  examples: ["system:serviceaccount:logging:collector"],
});

const LENGTH = { minLength: 1, maxLength: 255 };

export const Claims = Type.Unsafe<Record<string, string>>({
  type: "object",
  additionalProperties: { type: "string", ...LENGTH },
  maxProperties: MAX_WORKLOAD_CLAIMS,
  description:
    "Further claims that its tokens must have, each with the text of this member. A claim that is no text never fits.",
  examples: [{ repository_id: "74", ref: "refs/heads/main" }],
});

export const WorkloadScopes = Type.Array(ScopeBody, {
  minItems: 1,
  description: "What it may do.",
  examples: [["events:write"]],
});

export const WorkloadBody = named(
  "Workload",
  Type.Object(
    {
      id: WorkloadId,
      name: Type.String({ ...LENGTH, examples: ["collector"] }),
      issuer: IssuerName,
      subject: Subject,
      claims: Claims,
      scopes: WorkloadScopes,
      allowed_ips: Type.Optional(allowedIps),
      audience: Nullable(
        Type.String({ examples: ["https://audit.example.com/acct_0h4n8r2v6y1b5e9j3m7q0t4w8z"] }),
        {
          description:
            "The audience (`aud`) that its tokens must have. Null if no issuer is configured any longer.",
        },
      ),
      created_at: Time(),
    },
    WORKLOAD_MEMBERS,
  ),
);

export function renderWorkload(workload: Workload | undefined) {
  if (!workload) throw internal("keys responded without a workload");
  const { allowedIps: ips, audience, claims, createdAt, id, issuer, name, scopes } = workload;
  return {
    id,
    name,
    issuer,
    subject: workload.subject,
    claims: Object.fromEntries(claims.map((claim) => [claim.name, claim.value])),
    scopes,
    ...(ips.length > 0 && { allowed_ips: ips }),
    audience: audience || null,
    created_at: createdAt,
  };
}
