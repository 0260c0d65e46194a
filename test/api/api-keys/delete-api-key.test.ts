// DELETE /v1/api-keys/{id} revokes a key of the caller's account at once and permanently
// (interface 5).

import { inject } from "vitest";
import { describeRevoking } from "./revoking.ts";

describeRevoking("/v1/api-keys", inject("stack"));
