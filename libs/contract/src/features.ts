// The features that a plan can exclude (docs/open-details.md).

export const FEATURES = ["webhooks", "exports", "verify"] as const;

export type Feature = (typeof FEATURES)[number];
