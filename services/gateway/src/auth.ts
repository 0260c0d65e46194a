// The table of contents of logging in: every route under /auth with its method, path, name and the file that
// handles it. Read by auth/serve-auth.ts. They are the only routes that look at a cookie. No logic.

import { beginLogin } from "./auth/begin-login.ts";
import { createAccessToken } from "./auth/create-access-token.ts";
import { endProviderSessions } from "./auth/end-provider-sessions.ts";
import { endSession } from "./auth/end-session.ts";
import { finishLogin } from "./auth/finish-login.ts";
import { getSession } from "./auth/get-session.ts";
import { listProviders } from "./auth/list-providers.ts";
import type { AuthDeps, AuthRoute } from "./auth/auth-route.ts";

export type AuthRow = readonly [
  "GET" | "POST",
  path: string,
  name: string,
  make: (deps: AuthDeps) => AuthRoute,
];

export const AUTH: readonly AuthRow[] = [
  ["GET", "/providers", "list-providers", listProviders],
  ["GET", "/login/:provider", "begin-login", beginLogin],
  ["GET", "/callback/:provider", "finish-login", finishLogin],
  ["GET", "/session", "get-session", getSession],
  ["POST", "/token", "create-access-token", createAccessToken],
  ["POST", "/logout", "end-session", endSession],
  ["POST", "/backchannel/:provider", "end-provider-sessions", endProviderSessions],
];
