// DELETE /v1/keys/{key_id} is the other form of revoking a key, with the same promises (interface 5).

import { inject } from "vitest";
import { describeRevoking } from "../api-keys/revoking.ts";

describeRevoking("/v1/keys", inject("stack"));
