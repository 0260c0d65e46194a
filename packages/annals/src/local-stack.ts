// What `npm start` leaves in its data directory for the commands of an operator on the same machine: the URL
// of the database, the files of its secrets, the admin ports. Called by main.ts. It must never override a
// setting that is given.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

export type Environment = Readonly<Record<string, string | undefined>>;

const folderOf = (environment: Environment) => environment["ANNALS_DATA_DIR"] || ".annals";

/** `environment`, completed from the local stack if a database is not named. */
export function completed(environment: Environment): Environment {
  const folder = folderOf(environment);
  const databaseUrl = textOf(join(folder, "run/database-url"));
  if (environment["ANNALS_DATABASE_URL"] || databaseUrl === undefined) return environment;
  const files = {
    ANNALS_WEBHOOK_SECRET_KEY_FILE: join(folder, "webhook-secret-key"),
    ANNALS_IDENTITY_FILE: join(folder, "identity.json"),
  };
  return {
    ...Object.fromEntries(Object.entries(files).filter(([, file]) => existsSync(file))),
    ...environment,
    ANNALS_DATABASE_URL: databaseUrl,
  };
}

/** The admin URLs of the processes of the local stack; undefined without one. */
export function adminUrls(environment: Environment): string[] | undefined {
  return textOf(join(folderOf(environment), "run/admin-urls"))?.split("\n");
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8").trim() || undefined;
  } catch {
    return undefined;
  }
}
