# An example of a server that makes widget tokens, in Python without a dependency. It serves index.html too:
#
#   ANNALS_URL=https://audit.example.com ANNALS_KEY=annals_sk_… python3 token_server.py
#
# The API key, with the scope events:read, stays here: it must never reach a page.

import json
import os
import pathlib
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ANNALS_URL = os.environ["ANNALS_URL"]
ANNALS_KEY = os.environ["ANNALS_KEY"]
PORT = int(os.environ.get("PORT", "3000"))
ORIGIN = os.environ.get("ORIGIN", f"http://localhost:{PORT}")
FILES = {"/": ("index.html", "text/html"), "/page.js": ("page.js", "text/javascript")}
POLICY = (
    f"default-src 'none'; script-src 'self' {ANNALS_URL}; connect-src 'self' {ANNALS_URL}; "
    "require-trusted-types-for 'script'; trusted-types lit-html annals-viewer"
)


def make_token(person):
    """What the person may see: here everything that was done to a customer's invoices."""
    body = {
        "filter": {"target_type": "invoice"},
        "parts": ["actor.meta", "target.meta", "diff"],
        "expires_in": 900,
        "origins": [ORIGIN],
        "viewer": person,
    }
    request = urllib.request.Request(
        f"{ANNALS_URL}/v1/widget-tokens",
        data=json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {ANNALS_KEY}", "Content-Type": "application/json"},
        method="POST",
    )
    with urllib.request.urlopen(request, timeout=10) as response:
        data = json.load(response)["data"]
    return {"token": data["token"], "expires_at": data["expires_at"]}


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        if self.path != "/audit-token":
            return self.send_error(404)
        # Replace it with the person of your session, and refuse all others.
        token = make_token({"id": "u_1", "name": "Ada"})
        self.respond(201, "application/json", json.dumps(token).encode())

    def do_GET(self):
        name, kind = FILES.get(self.path.split("?")[0], (None, None))
        if name is None:
            return self.send_error(404)
        text = (pathlib.Path(__file__).parent / name).read_text("utf-8")
        self.respond(200, f"{kind}; charset=utf-8", text.replace("https://audit.example.com", ANNALS_URL).encode())

    def respond(self, status, kind, body):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Security-Policy", POLICY)
        self.end_headers()
        self.wfile.write(body)


ThreadingHTTPServer(("", PORT), Handler).serve_forever()
