import { Pool } from "undici";

const MAX_RESPONSE_MS = 30_000;

/**
 * Returns `post(path, text, headers)`, a minimal keep-alive client that leaves most of the machine to the measured system.
 * Used for all calls to systems and for all deliveries by peers.
 */
export function openPost(origin, { connections, headers = {} }) {
  const pool = new Pool(origin, { connections, headersTimeout: MAX_RESPONSE_MS });
  const sent = { "content-type": "application/json", ...headers };
  const post = (path, body, own) =>
    new Promise((resolve, reject) => {
      const all = own ? { ...sent, ...own } : sent;
      pool.dispatch({ method: "POST", path, headers: all, body }, new ClientResponse(path, resolve, reject));
    });
  return { post, close: () => pool.destroy() };
}

/** Any 2xx is fine; otherwise the error contains the start of the response. */
class ClientResponse {
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
    this.reject(new Error(`POST ${this.path} returned ${this.#status}: ${this.#text.slice(0, 500)}`));
  }

  onResponseError(_controller, error) {
    this.reject(error);
  }
}
