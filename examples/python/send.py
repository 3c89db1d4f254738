#!/usr/bin/env python3
"""Sends a text once, with only the standard library, however often this is run with the same key.

    GATEWAY_TOKEN=<token> python3 examples/python/send.py order-4711-shipped +12025550102 "On its way"

GATEWAY_URL and SESSION name another gateway or session. A key of the gateway needs the scope `send`.
"""

import http.client
import json
import os
import random
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

ATTEMPTS = 6
TIMEOUT_S = 150  # The gateway answers earlier.
# After these, or without an answer, the message may have been sent. The key makes a retry safe.
RETRIED = {408, 429, 500, 502, 503, 504}
# The first request is still in progress; the session is starting.
NOT_YET = ('"idempotency_in_progress"', '"session_not_ready"')


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """The gateway never redirects, and the token must not go elsewhere."""

    def redirect_request(self, *_):
        return None


def send(key, message, url, token, session):
    """Returns the message as the network has it. Raises urllib.error.HTTPError or OSError."""
    opener = urllib.request.build_opener(NoRedirects)
    request = urllib.request.Request(
        f"{url}/sessions/{urllib.parse.quote(session, safe='')}/messages",
        data=json.dumps(message).encode("utf-8"),
        headers={
            "Content-Type": "application/json",
            "Idempotency-Key": key,
            **({"Authorization": "Bearer " + token} if token else {}),
        },
    )
    delay = 1.0
    for attempts_left in reversed(range(ATTEMPTS)):
        wait = 0.0
        try:
            with opener.open(request, timeout=TIMEOUT_S) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            error.body = error.read().decode("utf-8", "replace")
            not_yet = error.code == 409 and any(code in error.body for code in NOT_YET)
            if attempts_left == 0 or not (error.code in RETRIED or not_yet):
                raise
            after = error.headers.get("Retry-After", "")
            wait = float(after) if after.isdigit() else 0.0
        except (OSError, http.client.HTTPException):
            if attempts_left == 0:
                raise
        time.sleep(max(wait, delay * random.uniform(0.5, 1)))
        delay *= 2


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: send.py <key of your own> <number with country code> <text>")
    _, key, to, text = sys.argv
    url = os.environ.get("GATEWAY_URL", "http://127.0.0.1:3000").rstrip("/")
    try:
        sent = send(
            key,
            {"type": "text", "to": to, "body": text},
            url,
            os.environ.get("GATEWAY_TOKEN"),
            os.environ.get("SESSION", "main"),
        )
    except urllib.error.HTTPError as error:
        sys.exit(f"{error.code} {error.body}")
    except (OSError, http.client.HTTPException) as error:
        sys.exit(f"the gateway did not answer: {error}. Run this again with the same key.")
    print(f"sent {sent['id']}")


if __name__ == "__main__":
    main()
