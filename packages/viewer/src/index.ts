// The entry of the one file that a page loads: it defines `<annals-viewer>`. The same file is its own worker,
// which checks proofs. Imported where there is no page, as on a server, it must do nothing.

export type * from "./types.ts";

if (typeof document !== "undefined") {
  const { AnnalsViewer } = await import("./element.ts");
  // A page may load the file twice, at two addresses.
  if (!customElements.get("annals-viewer")) customElements.define("annals-viewer", AnnalsViewer);
}
