"""Mintmark in a Python test, with requests (https://requests.readthedocs.io).

Run it with the program on the PATH, or named by MINTMARK:

    MINTMARK=bin/mintmark python3 docs/recipes/python_requests.py
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
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import requests

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
    caller = requests.Session()
    caller.auth = ("example1", ready["keys"]["example1"])
    controls = ready["adminUrl"] + "/sandbox/v1/"

    # 2. Subscribe to events. The secret is shown once.
    receiver = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    answer = requests.post(
        ready["adminUrl"] + "/admin/v1/programs/1/webhooks",
        json={"name": "recipe", "url": f"http://127.0.0.1:{receiver.server_port}/"},
        headers={"Authorization": "Bearer sandbox-administrator"}, timeout=30)
    assert answer.status_code == 201, answer.text
    secret = answer.json()["secret"]

    def call(path, body):
        return caller.post(ready["url"] + path, json=body, timeout=30)

    # 3. Order a card, find it by its tag, and verify it.
    def order(tag):
        answer = call("/card/initiate", {
            "customerId": 1001, "cardHolderCustomerId": 1001, "vendorTypeCode": "VS",
            "primaryAccountId": 2001, "firstName": "Ada", "lastName": "Example",
            "nickName": tag, "tag": tag})
        assert answer.status_code == 200, answer.text
        found = caller.get(ready["url"] + "/card/getbytag/1001/" + tag, timeout=30)
        return found.json()["data"]["cardId"]

    card = order("recipe-1")
    answer = call("/card/verify", {
        "customerId": 1001, "cardId": card, "birthDate": "1985-03-14",
        "cardNumberMasked": "1111"})
    assert answer.status_code == 200, answer.text
    assert answer.json()["data"]["status"] == "Verified", answer.text
    print("verified card", card)

    # 4. Take the webhook about it, and check its signature before you read it.
    while True:
        headers, body = events.get(timeout=30)
        assert verified(secret, headers, body)
        assert not verified(secret, headers, body + b" ")
        event = json.loads(body)
        if event["type"] == "card.verified" and event["cardId"] == card:
            break
    print("webhook", event["type"])

    # 5. Move the clock. A card that nobody has verified in 90 days has expired.
    other = order("recipe-2")
    answer = requests.put(controls + "clock", json={"advance": "P91D"}, timeout=60)
    assert answer.status_code == 200, answer.text
    answer = caller.get(f"{ready['url']}/card/get/1001/{other}", timeout=30)
    assert answer.json()["data"]["status"] == "Expired", answer.text
    print("expired card", other)

    # 6. Provoke an error: the next lock is answered 503, and the one after it works again.
    answer = requests.post(
        controls + "faults", json={"route": "/card/lock", "code": 50503, "times": 1}, timeout=30)
    assert answer.status_code == 201, answer.text
    lock = {"customerId": 1001, "cardId": card, "lockReasonTypeCode": "TMP"}
    answer = call("/card/lock", lock)
    assert answer.status_code == 503, answer.text
    assert answer.json()["errors"][0]["code"] == 50503, answer.text
    answer = call("/card/lock", lock)
    assert answer.status_code == 200, answer.text
    assert answer.json()["data"]["lockTypeCode"] == "CST", answer.text
    print("locked card", card)
finally:
    sandbox.terminate()
    sandbox.wait()
