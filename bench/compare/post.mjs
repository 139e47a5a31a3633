import { Pool } from "undici";

const LONGEST_ANSWER_MS = 30_000;

/**
 * Gives `post(path, text)`, the leanest keep-alive client there is: what is left of the machine is for what we measure.
 * Every system's calls, and every peer's deliveries to the sink, are made with it.
 */
export function openPost(origin, { connections, headers = {} }) {
  const pool = new Pool(origin, { connections, headersTimeout: LONGEST_ANSWER_MS });
  const sent = { "content-type": "application/json", ...headers };
  const post = (path, body) =>
    new Promise((resolve, reject) => {
      pool.dispatch({ method: "POST", path, headers: sent, body }, new Answer(path, resolve, reject));
    });
  return { post, close: () => pool.destroy() };
}

/** Any 2xx is right; of another answer the error tells the beginning. */
class Answer {
  #status = 0;
  #text = "";

  constructor(path, resolve, reject) {
    this.path = path;
    this.resolve = resolve;
    this.reject = reject;
  }

  onRequestStart() {}

  onResponseStart(_controller, status) {
    this.#status = status;
  }

  onResponseData(_controller, chunk) {
    if (this.#status >= 300) this.#text += chunk.toString("utf8", 0, 500);
  }

  onResponseEnd() {
    if (this.#status < 300) return this.resolve();
    this.reject(new Error(`POST ${this.path} answered ${this.#status}: ${this.#text.slice(0, 500)}`));
  }

  onResponseError(_controller, error) {
    this.reject(error);
  }
}
