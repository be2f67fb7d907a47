"""Mintmark in a Python test, with the standard library alone (Python 3.9 or newer).

Run it with the program on the PATH, or named by MINTMARK:

    MINTMARK=bin/mintmark python3 docs/recipes/python_standard_library.py
"""

import base64
import hashlib
import hmac
import json
import os
import queue
import subprocess
import threading
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# 1. Start a sandbox of your own: free ports, data in memory. When it is ready it prints one line.
sandbox = subprocess.Popen(
    [os.environ.get("MINTMARK", "mintmark"), "sandbox", "--print-json",
     "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"],
    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
events = queue.Queue()


class Receiver(BaseHTTPRequestHandler):
    """Takes webhooks. Keep the bytes as they came: the signature is over them."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        events.put((self.headers, body))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


def send(method, url, body=None, **headers):
    """Returns the status and the JSON of an answer, whatever the status is."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.loads(answer.read() or b"null")
    except urllib.error.HTTPError as refused:
        return refused.code, json.loads(refused.read() or b"null")


def verified(secret, headers, body):
    """Reports whether a webhook is signed with the secret (Standard Webhooks)."""
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    key = base64.b64decode(secret[len("whsec_"):])
    want = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    recent = abs(time.time() - int(headers["webhook-timestamp"])) < 300
    given = [one[len("v1,"):] for one in headers["webhook-signature"].split()
             if one.startswith("v1,")]
    return recent and any(hmac.compare_digest(want, one) for one in given)


try:
    ready = json.loads(sandbox.stdout.readline())
    basic = base64.b64encode(f"example1:{ready['keys']['example1']}".encode()).decode()

    def call(path, body=None):
        """Calls the interface; a body makes it a POST."""
        return send("GET" if body is None else "POST", ready["url"] + path, body,
                    Authorization="Basic " + basic)

    def control(method, path, body=None):
        """Moves the sandbox itself; that needs no credentials."""
        return send(method, ready["adminUrl"] + "/sandbox/v1/" + path, body)

    # 2. Subscribe to events. The secret is shown once.
    receiver = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    status, webhook = send(
        "POST", ready["adminUrl"] + "/admin/v1/programs/1/webhooks",
        {"name": "recipe", "url": f"http://127.0.0.1:{receiver.server_port}/"},
        Authorization="Bearer sandbox-administrator")
    assert status == 201, webhook

    # 3. Order a card, find it by its tag, and verify it.
    def order(tag):
        status, answer = call("/card/initiate", {
            "customerId": 1001, "cardHolderCustomerId": 1001, "vendorTypeCode": "VS",
            "primaryAccountId": 2001, "firstName": "Ada", "lastName": "Example",
            "nickName": tag, "tag": tag})
        assert status == 200, answer
        return call("/card/getbytag/1001/" + tag)[1]["data"]["cardId"]

    card = order("recipe-1")
    status, answer = call("/card/verify", {
        "customerId": 1001, "cardId": card, "birthDate": "1985-03-14",
        "cardNumberMasked": "1111"})
    assert status == 200 and answer["data"]["status"] == "Verified", answer
    print("verified card", card)

    # 4. Take the webhook about it, and check its signature before you read it.
    while True:
        headers, body = events.get(timeout=30)
        assert verified(webhook["secret"], headers, body)
        assert not verified(webhook["secret"], headers, body + b" ")
        event = json.loads(body)
        if event["type"] == "card.verified" and event["cardId"] == card:
            break
    print("webhook", event["type"])

    # 5. Move the clock. A card that nobody has verified in 90 days has expired.
    other = order("recipe-2")
    status, answer = control("PUT", "clock", {"advance": "P91D"})
    assert status == 200, answer
    status, answer = call(f"/card/get/1001/{other}")
    assert answer["data"]["status"] == "Expired", answer
    print("expired card", other)

    # 6. Provoke an error: the next lock is answered 503, and the one after it works again.
    status, answer = control("POST", "faults", {"route": "/card/lock", "code": 50503, "times": 1})
    assert status == 201, answer
    lock = {"customerId": 1001, "cardId": card, "lockReasonTypeCode": "TMP"}
    status, answer = call("/card/lock", lock)
    assert status == 503 and answer["errors"][0]["code"] == 50503, answer
    status, answer = call("/card/lock", lock)
    assert status == 200 and answer["data"]["lockTypeCode"] == "CST", answer
    print("locked card", card)
finally:
    sandbox.terminate()
    sandbox.wait()
