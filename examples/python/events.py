#!/usr/bin/env python3
"""Follows the events of a gateway, with only the standard library, and resumes after any interruption.

    GATEWAY_TOKEN=<token> python3 examples/python/events.py position main

Prints one JSON line for each event of the sessions named, or of all. The position is kept in a file: an event is handled
at least once, even if this program, the gateway or the machine crashes. GATEWAY_URL names another gateway; a key needs
the scope `read`. Python 3.8 or newer.
"""

import http.client
import json
import os
import random
import signal
import sys
import time
import urllib.parse

FIRST_DELAY_S, MAX_DELAY_S = 0.25, 30.0
SILENCE_S = 75  # A comment arrives every 30 s: a connection that is silent for longer is dead.
RETRIED = {408, 429}  # Of the 4xx. The others mean that the request, the token or a session is wrong.


def handle(event):
    """Replace this with your own code. If it raises, the program exits; the next run begins with the same event."""
    if event["name"] == "gap":
        print(f"events are missing: {event['data']}; look at the chats themselves", file=sys.stderr)
    print(json.dumps(event), flush=True)


def load(path):
    if not os.path.exists(path):
        return None
    with open(path, encoding="ascii") as file:
        return file.read()


def save(path, position):
    """Atomic: a crash leaves either the former position or this one."""
    with open(path + ".new", "w", encoding="ascii") as file:
        file.write(position)
        file.flush()
        os.fsync(file.fileno())
    os.replace(path + ".new", path)


class Broken(Exception):
    """A retry may help, after at least `wait` seconds."""

    def __init__(self, why, wait=0.0):
        super().__init__(why)
        self.wait = wait


def open_stream(url, token, sessions, position):
    connect = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
    # Without a position: the oldest event that the gateway keeps. Last-Event-ID takes precedence over `after`.
    query = urllib.parse.urlencode({"after": "oldest", **({"sessions": ",".join(sessions)} if sessions else {})})
    headers = {"Authorization": token and "Bearer " + token, "Last-Event-ID": position}
    headers = {name: value for name, value in headers.items() if value}
    connection = connect(url.hostname, url.port, timeout=SILENCE_S)
    try:
        connection.request("GET", f"{url.path.rstrip('/')}/events?{query}", headers=headers)
        response = connection.getresponse()
        answer = "" if response.status == 200 else response.read(10_000).decode("utf-8", "replace")
    except (OSError, http.client.HTTPException) as error:
        raise Broken(repr(error)) from error
    if response.status == 200:
        return response
    if 400 <= response.status < 500 and response.status not in RETRIED:
        sys.exit(f"the gateway refused: {response.status} {answer}")
    after = response.getheader("Retry-After", "")
    raise Broken(f"{response.status} {answer}", float(after) if after.isdigit() else 0.0)


def messages(response):
    """The frames of the stream, as (id, event, data). An incomplete frame at the end of a broken stream is dropped."""
    fields = {}
    while True:
        try:
            line = response.readline()
        except (OSError, http.client.HTTPException) as error:
            raise Broken(repr(error)) from error
        if not line.endswith(b"\n"):
            raise Broken("the stream ended")
        text = line.decode("utf-8").rstrip("\r\n")
        if text:
            name, _, value = text.partition(": ")  # A comment has no name.
            fields[name] = value
        else:
            yield fields.get("id"), fields.get("event"), fields.get("data")
            fields = {}


def main():
    path, *sessions = sys.argv[1:] or sys.exit("usage: events.py <file for the position> [session ...]")
    url = urllib.parse.urlsplit(os.environ.get("GATEWAY_URL", "http://127.0.0.1:3000"))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    delay = FIRST_DELAY_S
    while True:
        try:
            with open_stream(url, os.environ.get("GATEWAY_TOKEN"), sessions, load(path)) as response:
                for position, name, data in messages(response):
                    delay = FIRST_DELAY_S
                    if data:
                        handle({"id": position, "name": name, **json.loads(data)})  # with session, at, data
                    if position:  # `qr` has none. A keepalive may have one: the position stays recent.
                        save(path, position)
        except Broken as broken:
            print(f"{broken}; reconnecting", file=sys.stderr)
            time.sleep(max(broken.wait, delay * random.uniform(0.5, 1)))
            delay = min(2 * delay, MAX_DELAY_S)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        pass
