"""A Millrace worker in Python, with nothing but the standard library. Copy it."""

import base64
import hashlib
import hmac
import json
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOLERANCE_SECS = 300


class Suspended(Exception):
    """The run waits now; it is called again when what it waits for has come."""


class Run:
    """The run of one dispatch: what it was given, and what it may say and ask."""

    def __init__(self, dispatch, base_url, token):
        self.id = dispatch["run_id"]
        self.attempt = dispatch["attempt"]
        self.payload = dispatch["payload"]
        self.state = dispatch["state"]
        self._waits = dispatch["waits"]
        self._base_url = base_url
        self._token = token

    def log(self, message, level="info", **fields):
        self._tell("log", {"message": message, "level": level, "fields": fields})

    def progress(self, percent, message=None):
        self._tell("progress", {"percent": percent, "message": message})

    def save(self, state):
        """The next attempt finds it in `run.state`."""
        self._tell("checkpoint", {"state": state})

    def wait_for_event(self, key, timeout_secs=3600):
        """The payload of the event, on the call that follows it; until then the run holds nothing."""
        for wait in self._waits:
            if wait["event_key"] == key and wait["status"] == "received":
                return wait["payload"]
        self._tell("wait-for-event", {"event_key": key, "timeout_secs": timeout_secs})
        raise Suspended()

    def _tell(self, what, body):
        return call("POST", f"{self._base_url}/sdk/v1/runs/{self.id}/{what}", self._token, body)


def call(method, url, bearer, body=None):
    """One request of JSON; an answer that is no 2xx is raised as urllib.error.HTTPError."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {bearer}", "Content-Type": "application/json"}
    request = urllib.request.Request(url, data=data, headers=headers, method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.loads(answer.read() or b"null")


def is_signed(secret, headers, body):
    """Whether this very body was signed by the service, within the last five minutes."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    timestamp = headers.get("X-Svc-Timestamp", "")
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > TOLERANCE_SECS:
        return False
    expected = "v1=" + hmac.new(key, timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    given = headers.get("X-Svc-Signature", "").split(",")  # two, while the secret rotates
    return any(hmac.compare_digest(expected, one.strip()) for one in given)


def serve(jobs, secret, base_url, port=0):
    """An endpoint for jobs by their slug: `/resize` is worked on by `jobs["resize"](run)`. Answers the server."""

    class Endpoint(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle(self):
            try:
                super().handle()
            except ConnectionError:  # the run waits or was canceled: the service has hung up
                self.close_connection = True

        def do_POST(self):
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if not is_signed(secret, self.headers, body):
                return self.answer(401, {"error": "the signature is missing or wrong"})
            work = jobs.get(self.path.strip("/"))
            if work is None:
                return self.answer(404, {"error": f"there is no job at {self.path}"})
            run = Run(json.loads(body), base_url, self.headers["X-Svc-Run-Token"])
            try:
                status, value = 200, work(run)
            except Suspended:
                status, value = 202, None
            except Exception as error:  # tried again, as the job's settings say
                status, value = 500, {"error": f"{type(error).__name__}: {error}"}
            return self.answer(status, value)

        def answer(self, status, value):
            text = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_):
            pass

    return ThreadingHTTPServer(("127.0.0.1", port), Endpoint)
