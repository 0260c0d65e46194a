// The outbox of this service: completed exports, of which subscribers are notified.

import { outbox } from "@annals/postgres";

export const OUTBOX = outbox("exports");
