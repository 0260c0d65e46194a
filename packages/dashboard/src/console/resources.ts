// What the admin API returns (docs/operators/admin-api.md).

/** Characters of a name. */
export const MAX_NAME_LENGTH = 255;

export interface Account {
  readonly id: string;
  readonly name: string;
  readonly plan: string | null;
  readonly live_keys: number;
  readonly created_at: string;
}

export interface Key {
  readonly id: string;
  readonly name: string;
  readonly key_prefix: string;
  readonly scopes: readonly string[];
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
}

/** A key that was just made. */
export interface NewKey extends Key {
  readonly key: string;
}

export interface Plan {
  readonly name: string;
  readonly default: boolean;
  readonly accounts: number;
  readonly monthly_events: number | null;
  readonly max_keys: number;
  readonly retention_days: number | null;
  readonly features_left_out: readonly string[];
}

export interface RoleMapping {
  readonly id: string;
  readonly provider: string;
  readonly group: string | null;
  readonly subject: string | null;
  readonly role: string;
  readonly created_at: string;
}

export interface Workload {
  readonly id: string;
  readonly name: string;
  readonly issuer: string;
  readonly subject: string;
  readonly scopes: readonly string[];
  readonly created_at: string;
}

export interface Person {
  readonly id: string;
  readonly provider: string;
  readonly subject: string;
  readonly name: string | null;
  readonly email: string | null;
  readonly last_login_at: string;
  readonly blocked_at: string | null;
  readonly live_sessions: number;
}

export interface Session {
  readonly person_id: string;
  readonly name: string | null;
  readonly email: string | null;
  readonly subject: string;
}

export interface Provider {
  readonly name: string;
  readonly title: string;
}

/** A widget token of the system account. */
export interface AuditToken {
  readonly token: string;
  readonly expires_at: string;
  /** The origin of the gateway. */
  readonly server: string;
}

export interface Lag {
  readonly what: "verification" | "erasure" | "export" | "webhook" | "sink";
  readonly since: string;
}

export interface AccountLag extends Lag {
  readonly account_id: string;
}

export interface Service {
  readonly name: string;
  readonly answers: boolean;
}

export interface Health {
  readonly services: readonly Service[];
  readonly lags: readonly AccountLag[];
}

/** An account with what other services know of it: null where its service has not answered. */
export interface AccountState extends Account {
  readonly events: number | null;
  readonly newest_event_at: string | null;
  readonly verified_events: number | null;
  readonly verified_at: string | null;
  readonly open_erasures: number | null;
  readonly open_exports: number | null;
  readonly webhooks: number | null;
  readonly failing_webhooks: number | null;
  readonly sinks: number | null;
  readonly failing_sinks: number | null;
  readonly lags: readonly Lag[];
}

export interface AccountDetail extends AccountState {
  /** The services that have not answered. */
  readonly unavailable: readonly string[];
}
