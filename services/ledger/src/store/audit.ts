// The audit outbox of this service: its changes, for the operator's audit.

import { auditOutbox } from "@annals/postgres";

export const AUDIT = auditOutbox("ledger");
