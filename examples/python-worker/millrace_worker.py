"""A Millrace worker in Python that uses only the standard library. Copy it into your project."""

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
    """Ends the attempt. The job is called again when the wait ends."""


class Run:
    """One attempt of a run: its input, and calls about it."""

    def __init__(self, dispatch, base_url, token):
        self.id = dispatch["run_id"]
        self.attempt = dispatch["attempt"]
        self.payload = dispatch["payload"]
        self.state = dispatch["state"]
        self._waits = dispatch["waits"]
        self._base_url = base_url
        self._token = token

    def log(self, message, level="info", **fields):
        self._post("log", {"message": message, "level": level, "fields": fields})

    def progress(self, percent, message=None):
        self._post("progress", {"percent": percent, "message": message})

    def save(self, state):
        """Saves a checkpoint, which the next attempt reads from `run.state`."""
        self._post("checkpoint", {"state": state})

    def wait_for_event(self, key, timeout_secs=3600):
        """Suspends the run until the event arrives, then returns its payload."""
        for wait in self._waits:
            if wait["event_key"] == key and wait["status"] == "received":
                return wait["payload"]
        self._post("wait-for-event", {"event_key": key, "timeout_secs": timeout_secs})
        raise Suspended()

    def _post(self, path, body):
        return call("POST", f"{self._base_url}/sdk/v1/runs/{self.id}/{path}", self._token, body)


def call(method, url, bearer, body=None):
    """Sends a JSON request. Raises urllib.error.HTTPError for responses other than 2xx."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {bearer}", "Content-Type": "application/json"}
    request = urllib.request.Request(url, data=data, headers=headers, method=method)
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.loads(response.read() or b"null")


def is_signed(secret, headers, body):
    """Whether the service signed exactly this body within the last five minutes."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    timestamp = headers.get("X-Svc-Timestamp", "")
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > TOLERANCE_SECS:
        return False
    expected = "v1=" + hmac.new(key, timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    given = headers.get("X-Svc-Signature", "").split(",")  # two during rotation
    return any(hmac.compare_digest(expected, one.strip()) for one in given)


def serve(jobs, secret, base_url, port=0):
    """Creates a server for jobs by slug: `/resize` calls `jobs["resize"](run)`."""

    class Endpoint(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle(self):
            try:
                super().handle()
            except ConnectionError:  # the service closed the connection: the run is waiting or was canceled
                self.close_connection = True

        def do_POST(self):
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if not is_signed(secret, self.headers, body):
                return self.respond(401, {"error": "missing or invalid signature"})
            work = jobs.get(self.path.strip("/"))
            if work is None:
                return self.respond(404, {"error": f"no job at {self.path}"})
            run = Run(json.loads(body), base_url, self.headers["X-Svc-Run-Token"])
            try:
                status, value = 200, work(run)
            except Suspended:
                status, value = 202, None
            except Exception as error:  # retried according to the job's settings
                status, value = 500, {"error": f"{type(error).__name__}: {error}"}
            return self.respond(status, value)

        def respond(self, status, value):
            text = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_):
            pass

    return ThreadingHTTPServer(("127.0.0.1", port), Endpoint)
