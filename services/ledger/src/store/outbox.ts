// The outbox of this service: finished verifications, of which subscribers are notified.

import { outbox } from "@annals/postgres";

export const OUTBOX = outbox("ledger");
