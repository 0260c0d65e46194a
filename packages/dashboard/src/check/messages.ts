// What the page and its worker say to each other when an export is verified. Types alone.

export interface Asked {
  readonly file: Blob;
  /** What the service shows for the export; unknown for a file from the computer. */
  readonly sha256: string | undefined;
}

/** What a file holds that verifies. */
export interface Report {
  readonly exportId: string;
  readonly chain: string;
  readonly createdAt: string;
  readonly from: number;
  readonly to: number;
  readonly isFiltered: boolean;
  readonly events: number;
  readonly linksChecked: number;
  readonly linksUnchecked: number;
  readonly headHash: string;
  readonly sha256: string;
}

export type Answer =
  | { readonly kind: "progress"; readonly done: number }
  | { readonly kind: "valid"; readonly report: Report }
  | { readonly kind: "invalid"; readonly fault: string };
