// The script of index.html: it gets widget tokens from the page's own server. A file of its own, so that the
// page's policy needs no inline script.

document.querySelector("annals-viewer").tokenProvider = async () => {
  const response = await fetch("/audit-token", { method: "POST" });
  if (!response.ok) throw new Error(`the request for a token failed: ${response.status}`);
  return response.json();
};
