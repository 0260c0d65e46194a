// The outbox of this service: finished verifications, for the notification of subscribers.

import { outbox } from "@annals/postgres";

export const OUTBOX = outbox("ledger");
