// What one count may read (docs/interface.md). Called by the RPCs of counts. That of a widget token reads
// less, because anyone may hold one.

import type { CountBounds } from "./count-events.ts";

const MIB = 1024 * 1024;

export const CLIENT_BOUNDS: CountBounds = {
  bytes: 2 * MIB,
  keys: 100_000,
  events: 4_096,
  values: 8_192,
  rows: 20_000,
  textBytes: 4 * MIB,
};

export const WIDGET_BOUNDS: CountBounds = {
  bytes: MIB / 8,
  keys: 12_500,
  events: 4_096,
  values: 5_120,
  rows: 8_000,
  textBytes: MIB,
};
