// Creates the cursors of an account if it has none. They begin at 0, but because of its `after_*` a webhook
// receives nothing from before it was created.

import { statement } from "@annals/postgres";

export const createCursors = statement<[accountId: string], never>(
  `/* webhooks.create-cursors */
INSERT INTO webhooks.cursors (account_id, kind, position)
VALUES ($1::text, 'events', 0), ($1::text, 'verifications', 0), ($1::text, 'exports', 0), ($1::text, 'checkpoints', 0)
ON CONFLICT DO NOTHING
`,
  { route: "one account" },
);
