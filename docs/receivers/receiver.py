"""A receiver of Annals' webhooks that needs only Python 3.9 or newer. It verifies both signatures, handles each event
once and in order, and lists what it missed. docs/webhooks.md explains it.

    WEBHOOK_SECRET=whsec_... ANNALS_URL=https://annals.example.com ANNALS_KEY=annals_sk_... python3 receiver.py

It uses HTTPS if TLS_CERT and TLS_KEY name PEM files, otherwise HTTP, for use behind a TLS proxy.
"""

import base64
import hashlib
import hmac
import json
import os
import ssl
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# During a rotation WEBHOOK_SECRET holds both secrets, separated by a space.
SECRETS = os.environ["WEBHOOK_SECRET"].split(" ")
ANNALS_URL = os.environ["ANNALS_URL"]
ANNALS_KEY = os.environ["ANNALS_KEY"]
MAX_BODY_BYTES = 8 * 1024 * 1024
MAX_AGE_S = 5 * 60


def handle(event):
    print(f"event {event['sequence_number']} {event['action']}", flush=True)


def is_service_signature_valid(headers, body):
    """X-Service-Signature: hex HMAC-SHA256 of the raw body, keyed with the secret as it was shown."""
    given = headers.get("X-Service-Signature", "").encode()
    return any(
        hmac.compare_digest(hmac.new(secret.encode(), body, hashlib.sha256).hexdigest().encode(), given)
        for secret in SECRETS
    )


def is_standard_signature_valid(headers, body):
    """Standard Webhooks: base64 HMAC-SHA256 of `id.timestamp.body`, keyed with the bytes after whsec_."""
    message_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > MAX_AGE_S:
        return False
    signed = f"{message_id}.{timestamp}.".encode() + body
    for secret in SECRETS:
        key = base64.b64decode(secret.removeprefix("whsec_"))
        expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
        for given in headers.get("webhook-signature", "").split(" "):
            if hmac.compare_digest(expected, given.encode()):
                return True
    return False


class Chain:
    """Handles each event once and in order."""

    def __init__(self, handled_up_to):
        # Keep it in your database, in the transaction that handles the event.
        self.handled_up_to = handled_up_to
        self.lock = threading.Lock()

    def take(self, event):
        with self.lock:
            while self.handled_up_to + 1 < event["sequence_number"]:
                missed = self.list_missed(event["sequence_number"])
                if not missed:
                    raise RuntimeError("the log lacks the missing events")
                for one in missed:
                    self.handle_once(one)
            self.handle_once(event)

    def list_missed(self, before):
        query = f"order=asc&limit=100&after_sequence={self.handled_up_to}&before_sequence={before}"
        request = urllib.request.Request(
            f"{ANNALS_URL}/v1/events?{query}", headers={"Authorization": f"Bearer {ANNALS_KEY}"}
        )
        with urllib.request.urlopen(request, timeout=10) as response:
            return json.load(response)["data"]

    def handle_once(self, event):
        if event["sequence_number"] == self.handled_up_to + 1:
            handle(event)
            self.handled_up_to = event["sequence_number"]


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 10
    chain = Chain(int(os.environ.get("START_AFTER", "0")))

    def do_POST(self):
        length = int(self.headers.get("Content-Length", "0"))
        if not 0 <= length <= MAX_BODY_BYTES:
            self.close_connection = True
            return self.respond(413)
        # The raw bytes: JSON that was parsed and serialised again has another signature.
        body = self.rfile.read(length)
        if not (is_service_signature_valid(self.headers, body) and is_standard_signature_valid(self.headers, body)):
            return self.respond(401)
        payload = json.loads(body)
        try:
            if payload["event"] == "event.created":
                self.chain.take(payload["data"])
            else:
                print(payload["event"], flush=True)
        except Exception as error:  # Any status but 2xx causes a retry.
            print(error, flush=True)
            return self.respond(500)
        self.respond(204)

    def respond(self, status):
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("", int(os.environ.get("PORT", "8081"))), Receiver)
if "TLS_CERT" in os.environ:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.environ["TLS_CERT"], os.environ["TLS_KEY"])
    # The TLS handshake runs in the thread of the request, so a slow client does not block others.
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
print(f"listening on {server.server_address[1]}", flush=True)
server.serve_forever()
