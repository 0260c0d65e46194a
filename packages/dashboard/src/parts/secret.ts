// A secret that the service shows once: the text, a button that copies it, and a button that puts it away.
// It is in the page until then and nowhere else.

import { html, type TemplateResult } from "lit/html.js";

interface Secret {
  /** What it is, such as "API key". */
  readonly what: string;
  readonly text: string;
  readonly say: (message: string) => void;
  readonly onClose: () => void;
}

export function secretView({ what, text, say, onClose }: Secret): TemplateResult {
  return html`<section class="secret" aria-label=${`New ${what}`}>
    <p><strong>Copy the ${what} now.</strong> It is shown this once and cannot be shown again.</p>
    <p><code class="breaks" tabindex="0">${text}</code></p>
    <p class="buttons">
      <button
        type="button"
        class="primary"
        @click=${(event: Event) => copy(event, text, what, say)}
      >
        Copy
      </button>
      <button type="button" @click=${onClose}>I have stored it</button>
    </p>
  </section>`;
}

/** Without a clipboard (a page over plain HTTP has none) the text is selected instead. */
function copy(event: Event, text: string, what: string, say: (message: string) => void): void {
  const shown = (event.currentTarget as Element).closest("section")?.querySelector("code");
  const select = () => {
    if (shown) getSelection()?.selectAllChildren(shown);
    say("The text is selected: copy it with the keyboard.");
  };
  // Undefined outside of a secure context, whatever its type says.
  const clipboard = navigator.clipboard as Clipboard | undefined;
  if (clipboard === undefined) select();
  else clipboard.writeText(text).then(() => say(`The ${what} is copied.`), select);
}
