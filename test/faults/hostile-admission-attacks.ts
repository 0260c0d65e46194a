// What one account can do to the keys service, which admits the requests of all accounts. Called in the
// process of attack-child.ts. Each connection asks again as soon as it is answered.

import { HttpClient } from "@annals/testing";

export const ATTACK_NAMES = [
  "60 lists of 20,000 keys",
  "60 creations of keys",
  "60 creations of widget tokens",
  "60 lists of widget tokens and usages",
] as const;

export type AttackName = (typeof ATTACK_NAMES)[number];

export interface Target {
  readonly name: AttackName;
  readonly baseUrl: string;
  readonly key: string;
}

const CONNECTIONS = 60;

const ASKS: Readonly<Record<AttackName, (client: HttpClient, n: number) => Promise<unknown>>> = {
  "60 lists of 20,000 keys": (client) => client.get("/v1/api-keys"),
  "60 creations of keys": (client) => client.post("/v1/api-keys", { name: "one more" }),
  "60 creations of widget tokens": (client) => client.post("/v1/widget-tokens", {}),
  "60 lists of widget tokens and usages": (client, n) =>
    client.get(n % 2 === 0 ? "/v1/widget-tokens?limit=100" : "/v1/usage"),
};

/** Goes on until its process is ended. */
export function attack({ name, baseUrl, key }: Target): void {
  for (let n = 0; n < CONNECTIONS; n += 1) {
    const client = new HttpClient(baseUrl, key);
    void (async () => {
      for (;;) await ASKS[name](client, n).catch(() => {});
    })();
  }
}
