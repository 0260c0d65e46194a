// What an admission is (interface 2 and 3): who made a request, and what is left of its rate limit. Made by
// admit-group.ts, and read by all that a request passes. It must never be kept beyond its request.

import { ADMISSION_HEADER, REQUEST_ID_HEADER } from "@annals/rpc";
import type { Holder } from "@annals/proto/admission";
import type { AccountWindow, PersonAdmission, Plan, WidgetAdmission } from "@annals/proto/keys";

/** Who made a request, and what is left of its rate limit. */
export interface Admission {
  readonly requestId: string;
  /** The address that the request came from. */
  readonly ip: string;
  readonly accountId: string;
  /** Id of the API key, the widget token or the person. */
  readonly keyId: string;
  /** Whose id that is. */
  readonly holder: Holder;
  /** Set for a widget token: the origins that may use it, and the viewer. */
  readonly widget?: WidgetAdmission | undefined;
  /** Set for a person: the role in the account. */
  readonly person?: PersonAdmission | undefined;
  readonly scopes: readonly string[];
  /** Signed statement of the keys service, for the services that are called for the request. */
  readonly statement: string;
  /**
   * Whether the whole request had arrived when the keys service was called. If not, its key may have been
   * revoked since, so the request is admitted again before its body is used.
   */
  readonly isAfterBody: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly windowEndsInS: number;
  /** Window in which all keys and tokens of the account are counted. */
  readonly accountWindow: AccountWindow;
  /** What the account may do. An absent limit means that there is no limit. */
  readonly plan: Plan;
}

/** The options of a call for an admitted request; `signal` cancels it when the client leaves. */
export function admittedBy(
  { requestId, statement }: Pick<Admission, "requestId" | "statement">,
  signal?: AbortSignal,
) {
  return {
    headers: { [REQUEST_ID_HEADER]: requestId, [ADMISSION_HEADER]: statement },
    ...(signal && { signal }),
  };
}
