// The element `<annals-viewer>`. Defined by index.ts.

import { html, LitElement } from "lit";

export class AnnalsViewer extends LitElement {
  override render() {
    return html`<div role="status"></div>`;
  }
}
