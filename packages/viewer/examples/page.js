// The script of index.html: it gets widget tokens from the page's own server. A file of its own, so that the
// page's policy needs no inline script.

document.querySelector("annals-viewer").tokenProvider = async () => {
  const answer = await fetch("/audit-token", { method: "POST" });
  if (!answer.ok) throw new Error(`the token was answered ${answer.status}`);
  return answer.json();
};
