// Paths of tiles (c2sp.org/tlog-tiles), strictly: one path for each tile, and no other text is accepted.
// Called by code that serves tiles or reads them from a bundle.

import { fromDecimal } from "./text/encoding.ts";
import { TlogError } from "./text/tlog-error.ts";

/** Hashes of a full tile, and entries of a full bundle of entries. */
export const TILE_WIDTH = 256;
/** Bits of a position within a tile. */
export const TILE_HEIGHT = 8;
const MAX_TILE_LEVEL = 63;

export interface TilePath {
  /** `entries` for a bundle of entries. */
  readonly level: number | "entries";
  readonly index: number;
  /** Below TILE_WIDTH for a partial tile. */
  readonly width: number;
}

const PATH = /^tile\/(entries|\d{1,2})\/((?:x\d{3}\/){0,5}\d{3})(?:\.p\/(\d{1,3}))?$/;

/** Throws TlogError (path_malformed). */
export function parseTilePath(path: string): TilePath {
  const [, where = "", groups = "", partial] = PATH.exec(path) ?? [];
  const level = where === "entries" ? ("entries" as const) : (fromDecimal(where) ?? -1);
  const index = Number(groups.replaceAll(/[x/]/g, ""));
  const width = partial === undefined ? TILE_WIDTH : (fromDecimal(partial) ?? -1);
  const tile = { level, index, width };
  if (!isTilePath(tile) || tilePath(tile) !== path)
    throw new TlogError("path_malformed", "is not the path of a tile");
  return tile;
}

/** Throws RangeError for a level, an index or a width that no tile has. */
export function tilePath(tile: TilePath): string {
  if (!isTilePath(tile)) throw new RangeError("there is no such tile");
  const digits = String(tile.index);
  const padded = digits.padStart(Math.ceil(digits.length / 3) * 3, "0");
  const groups = padded.match(/\d{3}/g) ?? [];
  const name = groups.map((group, at) => (at < groups.length - 1 ? `x${group}` : group)).join("/");
  const partial = tile.width === TILE_WIDTH ? "" : `.p/${tile.width}`;
  return `tile/${tile.level}/${name}${partial}`;
}

function isTilePath({ index, level, width }: TilePath): boolean {
  const isLevel =
    level === "entries" || (Number.isInteger(level) && level >= 0 && level <= MAX_TILE_LEVEL);
  const isWidth = Number.isInteger(width) && width >= 1 && width <= TILE_WIDTH;
  return isLevel && isWidth && Number.isSafeInteger(index) && index >= 0;
}
