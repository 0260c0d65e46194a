// The outbox of this service: completed exports, for the notification of subscribers.

import { outbox } from "@annals/postgres";

export const OUTBOX = outbox("exports");
