"""
A Millrace worker in Python that uses only the standard library. Copy it into your project.

`serve` receives runs over HTTP; `Worker` claims them, and needs no open port. Both call the same jobs.
"""

import base64
import hashlib
import hmac
import json
import random
import threading
import time
import urllib.error
import urllib.request
import uuid
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOLERANCE_SECS = 300
HEARTBEAT_SECS = 10
WAIT_SECS = 20


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
        self.lost = threading.Event()  # set when the run was canceled, or another attempt has it

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


def execute(work, run):
    """Calls the job. Returns its result as `POST /worker/v1/results` takes it; None if the run is waiting."""
    try:
        return {"status": "completed", "result": work(run)}
    except Suspended:
        return None
    except Exception as error:  # retried according to the job's settings
        return {"status": "failed", "error": {"message": f"{type(error).__name__}: {error}"}}


class Worker:
    """Claims runs of jobs with `delivery: pull`, so it needs no open port. The key needs the scope `runs:work`."""

    def __init__(self, jobs, api_key, base_url, queues=("default",), concurrency=10):
        self.id = str(uuid.uuid4())
        self._jobs, self._queues, self._concurrency = jobs, list(queues), concurrency
        self._api_key, self._base_url = api_key, base_url
        self._held = {}  # by run id: from the claim until the service has the result
        self._changed = threading.Condition()
        self._stopping = threading.Event()
        self._ended = threading.Event()

    def run(self):
        """Returns after `stop`, when the runs that have started are done."""
        threading.Thread(target=self._keep_beating, daemon=True).start()
        with ThreadPoolExecutor(self._concurrency) as pool:
            while not self._stopping.is_set():
                with self._changed:
                    self._changed.wait_for(lambda: len(self._held) < self._concurrency or self._stopping.is_set())
                    room = self._concurrency - len(self._held)
                if not self._stopping.is_set():
                    self._claim(pool, min(room, 100))
        self._ended.set()
        self._post("drain", {"worker_id": self.id, "runs": []})

    def stop(self):
        self._stopping.set()
        with self._changed:
            self._changed.notify_all()

    def _claim(self, pool, room):
        # The same id until there is an answer: a repeated claim returns the same runs.
        claim = {"worker_id": self.id, "claim_id": str(uuid.uuid4()), "queues": self._queues}
        claim |= {"jobs": list(self._jobs), "max": room, "wait_secs": WAIT_SECS}
        claim["info"] = {"name": "python", "concurrency": self._concurrency}
        for claimed in self._until_answered("claims", claim)["runs"]:
            run = Run(claimed, self._base_url, claimed["run_token"])
            lease = {name: claimed[name] for name in ("run_id", "attempt", "lease_token")}
            with self._changed:
                self._held[run.id] = (run, lease)
            pool.submit(self._execute, run, lease, claimed["job_slug"])

    def _execute(self, run, lease, slug):
        work = self._jobs.get(slug)
        result = execute(work, run) if work else {"status": "unknown_job"}
        try:
            if result is not None and not run.lost.is_set():
                self._report(lease, result)
        finally:
            with self._changed:
                if self._held.get(run.id, (None,))[0] is run:
                    del self._held[run.id]
                self._changed.notify_all()

    def _report(self, lease, result):
        # Repeated until there is an answer: a result that arrives twice counts once.
        send = lambda one: self._until_answered("results", {"worker_id": self.id, "results": [lease | one]})
        try:
            send(result)
        except (TypeError, ValueError, urllib.error.HTTPError) as error:  # no JSON, or refused: fails with the reason
            message = f"The result cannot be reported: {error}"
            send({"status": "failed", "error": {"code": "result_rejected", "message": message}, "retryable": False})

    def _keep_beating(self):
        delay = HEARTBEAT_SECS
        while not self._ended.wait(delay):
            with self._changed:
                held = dict(self._held)
            try:
                answer = self._post("heartbeats", {"worker_id": self.id, "runs": [lease for _, lease in held.values()]})
                for run_id in answer["cancel"] + answer["lost"]:
                    held[run_id][0].lost.set()
                delay = HEARTBEAT_SECS
            except OSError:
                delay = 1  # the first lease lasts 15 s

    def _until_answered(self, path, body):
        delay = 0.1
        while True:
            try:
                return self._post(path, body)
            except urllib.error.HTTPError as error:
                if error.code in (400, 413, 422):  # the body is at fault: repeating it does not help
                    raise
            except OSError:
                pass  # the service is unavailable: retry forever
            time.sleep(random.uniform(0, delay))
            delay = min(4, delay * 2)

    def _post(self, path, body):
        return call("POST", f"{self._base_url}/worker/v1/{path}", self._api_key, body)


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
            result = execute(work, run)
            if result is None:
                return self.respond(202, None)
            if result["status"] == "failed":
                return self.respond(500, {"error": result["error"]["message"]})
            return self.respond(200, result["result"])

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
