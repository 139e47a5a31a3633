import type { IncomingHttpHeaders } from "node:http";
import { performance } from "node:perf_hooks";
import type { Dispatcher } from "undici";
import type { Cord } from "./cord.ts";
import { ResponseBody } from "./response-body.ts";
import { explainFailure, type FailureReason, type Sent } from "./sent.ts";

export type ExchangeLimits = { timeout_ms: number; max_response_bytes: number; cord?: Cord };

/**
 * One request and its answer, as undici's handler. Settles exactly once; whatever the socket reports afterwards is
 * dropped. The timer runs from the call on: waiting for a connection, dialling and the body all count.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #startedAt = performance.now();
  readonly #resolve: (sent: Sent) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #cord: Cord | undefined;
  readonly #body: ResponseBody;
  #controller: Dispatcher.DispatchController | undefined;
  #settled = false;
  #status = 0;
  #headers: IncomingHttpHeaders = {};

  constructor(limits: ExchangeLimits, resolve: (sent: Sent) => void) {
    this.#resolve = resolve;
    this.#body = new ResponseBody(limits.max_response_bytes);
    this.#timer = setTimeout(
      () => this.#fail("timeout", `No complete answer within ${limits.timeout_ms} ms.`),
      limits.timeout_ms,
    );
    this.#cord = limits.cord;
    if (this.#cord) this.#cord.onPull = () => this.#fail("aborted", "The request was aborted.");
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#settled) this.#hangUp();
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#settled) return;

    this.#body.add(chunk);
    if (!this.#body.truncated) return;
    this.#answer();
    this.#hangUp();
  }

  onResponseEnd(): void {
    this.#answer();
  }

  onResponseError(_controller: unknown, error: Error): void {
    const { reason, message } = explainFailure(error);
    this.#fail(reason, message);
  }

  #answer(): void {
    this.#settle({
      kind: "answered",
      status: this.#status,
      headers: this.#headers,
      body: this.#body.bytes(),
      truncated: this.#body.truncated,
      duration_ms: this.#elapsedMs(),
    });
  }

  #fail(reason: FailureReason, message: string): void {
    this.#settle({ kind: "failed", reason, message, duration_ms: this.#elapsedMs() });
    this.#hangUp();
  }

  #settle(sent: Sent): void {
    if (this.#settled) return;

    this.#settled = true;
    clearTimeout(this.#timer);
    if (this.#cord) this.#cord.onPull = undefined;
    this.#resolve(sent);
  }

  /** Destroys the socket: the rest of an answer nobody wants is not read. Without a controller nothing was sent yet. */
  #hangUp(): void {
    this.#controller?.abort(new Error("The exchange is over."));
  }

  #elapsedMs(): number {
    return Math.round(performance.now() - this.#startedAt);
  }
}
