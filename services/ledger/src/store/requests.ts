// What requests with an idempotency key have created in this service.

import { idempotentRequests } from "@annals/postgres";

export const REQUESTS = idempotentRequests("ledger");
