// Why a login was refused: one of six faults, each with a text in the dashboard. Thrown where it is found,
// and answered by BeginLogin and FinishLogin.

/** What of a provider's response is not valid. */
export type TokenDetail =
  | "algorithm"
  | "audience"
  | "authorization"
  | "expired"
  | "format"
  | "issuer"
  | "key"
  | "nonce"
  | "signature"
  | "subject"
  | "time";

export type FaultOfLogin =
  | { readonly fault: "state" | "unreachable" | "groups" | "blocked" }
  /** A code of OAuth. */
  | { readonly fault: "refused"; readonly detail: string }
  | { readonly fault: "token"; readonly detail: TokenDetail };

export class LoginFailure extends Error {
  override readonly name = "LoginFailure";
  readonly fault: FaultOfLogin["fault"];
  readonly detail: string;

  /** `reason` is for the log: it holds nothing of a token. */
  constructor(of: FaultOfLogin, reason: string, cause?: unknown) {
    super(reason, cause === undefined ? undefined : { cause });
    this.fault = of.fault;
    this.detail = "detail" in of ? of.detail : "";
  }
}
