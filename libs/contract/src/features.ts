// The features that a plan can exclude (docs/interface.md).

export const FEATURES = ["webhooks", "exports", "verify", "lifecycle"] as const;

export type Feature = (typeof FEATURES)[number];
