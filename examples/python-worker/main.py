"""Counts the words of a text, asks for confirmation if there are many, and reports its progress."""

import os
import threading
import time

from millrace_worker import Worker, call, serve

BASE_URL = os.environ.get("MILLRACE_BASE_URL", "http://localhost:8787")
API_KEY = os.environ["MILLRACE_API_KEY"]
SECRET = os.environ["MILLRACE_SIGNING_SECRET"]


def count_words(run):
    words = run.payload["text"].split()
    if len(words) > 5:
        run.log("many words: asking for confirmation", words=len(words))
        answer = run.wait_for_event(f"count:{run.payload['title']}")
        if not answer["confirmed"]:
            return {"counted": False}
    run.progress(50, "counting")
    longest = max(words, key=len)
    run.log("counted", words=len(words))
    return {"counted": True, "words": len(words), "longest": longest}


def main():
    # Push: the service sends the runs to this server.
    server = serve({"count-words": count_words}, SECRET, BASE_URL)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/count-words"
    create({"name": "Count words", "slug": "count-words", "endpoint_url": url})
    show("count-words")

    # Pull: this worker claims the runs.
    create({"name": "Count words, pulled", "slug": "count-words-pulled", "delivery": "pull"})
    worker = Worker({"count-words-pulled": count_words}, API_KEY, BASE_URL)
    threading.Thread(target=worker.run, daemon=True).start()
    show("count-words-pulled")
    worker.stop()  # a long-running program would now wait for `run` to return


def show(job):
    print(job)
    short = trigger(job, {"title": job, "text": "durable jobs in Python"}, wait_secs=20)
    print("  short:", short["status"], short["result"])

    long = trigger(job, {"title": job, "text": "a wait is a row and it may last for months"})
    while get(long)["status"] != "waiting":
        time.sleep(0.05)
    print("  long:", get(long)["status"])
    call("POST", f"{BASE_URL}/v1/events/count:{job}/send", API_KEY, {"payload": {"confirmed": True}})
    while get(long)["finished_at"] is None:
        time.sleep(0.05)
    print("  long:", get(long)["status"], get(long)["result"], flush=True)


def create(job):
    call("POST", f"{BASE_URL}/v1/jobs", API_KEY, job)


def trigger(job, payload, wait_secs=None):
    query = f"?wait_secs={wait_secs}" if wait_secs else ""
    return call("POST", f"{BASE_URL}/v1/jobs/{job}/trigger{query}", API_KEY, {"payload": payload})


def get(run):
    return call("GET", f"{BASE_URL}/v1/runs/{run['id']}", API_KEY)


if __name__ == "__main__":
    main()
