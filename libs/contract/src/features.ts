// The features that a plan can leave out (docs/open-details.md).

export const FEATURES = ["webhooks", "exports", "verify"] as const;

export type Feature = (typeof FEATURES)[number];
