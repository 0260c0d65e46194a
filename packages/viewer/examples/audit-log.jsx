// The viewer in React 19, which sets properties of custom elements by itself.

import "@annals/viewer";

async function tokenProvider() {
  const answer = await fetch("/audit-token", { method: "POST" });
  if (!answer.ok) throw new Error(`the token was answered ${answer.status}`);
  return answer.json();
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
