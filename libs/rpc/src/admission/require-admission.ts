// Refuses a call that is made for a client and has no admission of the account in its request: the column of
// scopes of the service's table. Called by serve.ts of every backend. It must never let a call through for an
// account that its statement does not name.

import { AnnalsError } from "@annals/errors";
import type { DescMessage, DescMethod, DescService, Message } from "@bufbuild/protobuf";
import {
  type ContextKey,
  createContextKey,
  type HandlerContext,
  type Interceptor,
  type StreamRequest,
} from "@connectrpc/connect";
import type { Scope } from "@annals/contract";
import { type Access, type Caller, callerOf, type Grant } from "../access.ts";
import type { CallRequest } from "../interceptors/follow-call.ts";
import type { AdmissionVerifier, Admitted } from "./statement.ts";

/** The header that carries the statement, of calls that are made for one request. */
export const ADMISSION_HEADER = "annals-admission";

const admissionKey: ContextKey<Admitted | undefined> = createContextKey<Admitted | undefined>(
  undefined,
  { description: "admission" },
);

/** For handlers: whom the call was admitted for. Undefined where the caller calls as itself. */
export function admissionOf({ values }: Pick<HandlerContext, "values">): Admitted | undefined {
  return values.get(admissionKey);
}

/** For handlers, of audit entries: the API key that the call was admitted by. */
export function actorOf(context: Pick<HandlerContext, "values">) {
  return { type: "api_key", id: admissionOf(context)?.keyId } as const;
}

/**
 * A method whose requests carry statements themselves, in the field `admissions`, is left to its handler. Any
 * other method with a scope must name the account in `account_id`.
 */
export function requireAdmission<S extends DescService>(
  service: S,
  access: Access<S>,
  verifier: AdmissionVerifier,
): Interceptor {
  const rows = new Map<string, Row>();
  for (const method of service.methods) {
    const row: Row = access[method.localName as keyof Access<S>];
    if (!carriesStatements(method)) rows.set(method.name, checkedRow(method, row));
  }
  const admit = (request: CallRequest, message: Message, scope: Scope): void => {
    const token = request.header.get(ADMISSION_HEADER) ?? "";
    const { accountId } = message as unknown as { readonly accountId: string };
    request.contextValues.set(admissionKey, verifier.verify(token, { accountId, scope }));
  };
  return (next) => async (request) => {
    const row = request.service.typeName === service.typeName && rows.get(request.method.name);
    const scope = row && scopeOf(request, row);
    if (!scope) return next(request);
    if (!request.stream) {
      admit(request, request.message, scope);
      return next(request);
    }
    return next({ ...request, message: admittedMessages(request, scope, admit) });
  };
}

type Row = Partial<Record<Caller, Grant>>;

/** The scope that a call needs; undefined where its caller calls as itself. Throws `permission_denied`. */
function scopeOf(request: CallRequest, row: Row): Scope | undefined {
  const caller = callerOf(request);
  const grants: Grant[] = Object.values(row);
  const mayBeItself = grants.includes("itself") && !request.header.has(ADMISSION_HEADER);
  // In plaintext nobody has proved who calls: without a statement it may be a service that needs none.
  const unproved = mayBeItself ? "itself" : (grants.find((each) => each !== "itself") ?? grants[0]);
  const grant = caller === undefined ? unproved : row[caller];
  if (grant === undefined) {
    throw new AnnalsError("permission_denied", "This caller may not call this method.");
  }
  return grant === "itself" ? undefined : grant;
}

/** A method that streams its answer: its one message is read when the handler asks for it. */
async function* admittedMessages<I extends DescMessage, O extends DescMessage>(
  request: StreamRequest<I, O>,
  scope: Scope,
  admit: (request: CallRequest, message: Message, scope: Scope) => void,
): StreamRequest<I, O>["message"] {
  for await (const message of request.message) {
    admit(request, message, scope);
    yield message;
  }
}

function carriesStatements({ input }: DescMethod): boolean {
  return input.field["admissions"] !== undefined;
}

function checkedRow({ input, name }: DescMethod, row: Row): Row {
  const needsAccount = Object.values(row).some((grant) => grant !== "itself");
  if (needsAccount && input.field["accountId"] === undefined) {
    throw new TypeError(`${name} needs a scope, and its request names no account_id`);
  }
  return row;
}
