// Refuses a call that is made for a client and has no admission of the account in its request: the column of
// scopes of the service's table. Called by require-access.ts. It must never let a call through for an account
// that its statement does not name.

import type { DescMessage, DescMethod, DescService, Message } from "@bufbuild/protobuf";
import {
  type ContextKey,
  createContextKey,
  type HandlerContext,
  type StreamRequest,
} from "@connectrpc/connect";
import type { AuditClientType, Permission } from "@annals/contract";
import { Holder } from "@annals/proto/admission";
import type { Access } from "../access.ts";
import type { CallRequest } from "../interceptors/follow-call.ts";
import type { AdmissionVerifier, Admitted } from "./statement.ts";

/** The header that carries the statement, of calls that are made for one request. */
export const ADMISSION_HEADER = "annals-admission";

const admissionKey: ContextKey<Admitted | undefined> = createContextKey<Admitted | undefined>(
  undefined,
  { description: "admission" },
);

/** For handlers: whom the call was admitted for. Undefined if the caller calls as itself. */
export function admissionOf({ values }: Pick<HandlerContext, "values">): Admitted | undefined {
  return values.get(admissionKey);
}

const ACTOR_TYPES: Readonly<Record<Holder, AuditClientType>> = {
  [Holder.UNSPECIFIED]: "api_key",
  [Holder.PERSON]: "person",
  [Holder.WORKLOAD]: "workload",
};

/** For handlers, of audit entries: the API key, the person or the workload that the call was admitted for. */
export function actorOf(context: Pick<HandlerContext, "values">) {
  const { holder = Holder.UNSPECIFIED, keyId: id } = admissionOf(context) ?? {};
  return { type: ACTOR_TYPES[holder], id } as const;
}

/**
 * Throws if a row of the table cannot be checked. A method whose requests carry statements themselves, in
 * the field `admissions`, is left to its handler. Any other one with a scope must name the account in
 * `account_id`.
 */
export function checkTable<S extends DescService>(service: S, access: Access<S>): void {
  for (const method of service.methods) {
    const row = access[method.localName as keyof Access<S>];
    const needsAccount = Object.values(row).some((grant) => grant !== "itself");
    const { accountId } = method.input.field;
    if (needsAccount && !carriesStatements(method) && accountId === undefined) {
      throw new TypeError(`${method.name} needs a scope, and its request names no account_id`);
    }
  }
}

/** The call with its admission known to the handler. Throws `permission_denied` if it has none. */
export function admitted(
  request: CallRequest,
  scope: Permission,
  verifier: AdmissionVerifier,
): CallRequest {
  if (carriesStatements(request.method)) return request;
  const admit = (message: Message): void => {
    const token = request.header.get(ADMISSION_HEADER) ?? "";
    const { accountId } = message as unknown as { readonly accountId: string };
    request.contextValues.set(admissionKey, verifier.verify(token, { accountId, scope }));
  };
  if (request.stream) return { ...request, message: admittedMessages(request, admit) };
  admit(request.message);
  return request;
}

/** A method that streams its response: its one message is read when the handler asks for it. */
async function* admittedMessages<I extends DescMessage, O extends DescMessage>(
  request: StreamRequest<I, O>,
  admit: (message: Message) => void,
): StreamRequest<I, O>["message"] {
  for await (const message of request.message) {
    admit(message);
    yield message;
  }
}

function carriesStatements({ input }: DescMethod): boolean {
  return input.field["admissions"] !== undefined;
}
