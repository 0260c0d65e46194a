// The viewer in React 19, which sets properties of custom elements by itself.

import "@annals/viewer";

async function tokenProvider() {
  const response = await fetch("/audit-token", { method: "POST" });
  if (!response.ok) throw new Error(`the request for a token failed: ${response.status}`);
  return response.json();
}

export function AuditLog({ server, onSelect, onTokenExpiring }) {
  return (
    <annals-viewer
      server={server}
      tokenProvider={tokenProvider}
      onannals-select={({ detail }) => onSelect?.(detail.event)}
      onannals-token-expiring={({ detail }) => onTokenExpiring?.(detail.hasExpired)}
    />
  );
}
