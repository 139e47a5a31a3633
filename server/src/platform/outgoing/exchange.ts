import type { IncomingHttpHeaders } from "node:http";
import { performance } from "node:perf_hooks";
import { type Dispatcher, util } from "undici";
import type { AbortHandle } from "./abort-handle.ts";
import { explainFailure, type FailureReason, type Sent } from "./sent.ts";

export type ExchangeLimits = { timeout_ms: number; max_response_bytes: number; abortHandle: AbortHandle | undefined };

/**
 * One request and its response, as undici's handler. Settles exactly once; later socket events are dropped. The timer
 * starts with the call: waiting for a connection, dialing and the body all count. It implements the older of undici's
 * two handler APIs: the newer is a wrapper around it, with two more objects per request and headers that are always
 * parsed.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #startedAt = performance.now();
  readonly #resolve: (sent: Sent) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #abortHandle: AbortHandle | undefined;
  readonly #body: ResponseBody;
  #abort: ((reason: Error) => void) | undefined;
  #settled = false;
  #status = 0;
  #headers: Buffer[] = [];

  constructor(limits: ExchangeLimits, resolve: (sent: Sent) => void) {
    this.#resolve = resolve;
    this.#body = new ResponseBody(limits.max_response_bytes);
    this.#timer = setTimeout(
      () => this.#fail("timeout", `No complete response within ${limits.timeout_ms} ms.`),
      limits.timeout_ms,
    );
    this.#abortHandle = limits.abortHandle;
    if (this.#abortHandle) this.#abortHandle.onAbort = () => this.#fail("aborted", "The request was aborted.");
  }

  onConnect(abort: (reason?: Error) => void): void {
    this.#abort = abort;
    if (this.#settled) this.#closeSocket();
  }

  onHeaders(status: number, headers: Buffer[]): boolean {
    this.#status = status;
    this.#headers = headers;
    return true;
  }

  onData(chunk: Buffer): boolean {
    if (this.#settled) return true;

    this.#body.add(chunk);
    if (!this.#body.truncated) return true;
    this.#end();
    this.#closeSocket();
    return true;
  }

  onComplete(): void {
    this.#end();
  }

  onError(error: Error): void {
    const { reason, message } = explainFailure(error);
    this.#fail(reason, message);
  }

  #end(): void {
    if (this.#settled) return;
    this.#settle(new ReceivedResponse(this.#status, this.#headers, this.#body, this.#elapsedMs()));
  }

  #fail(reason: FailureReason, message: string): void {
    // undici calls onConnect just before it writes the request.
    const was_sent = this.#abort !== undefined;
    this.#settle({ kind: "failed", reason, message, was_sent, duration_ms: this.#elapsedMs() });
    this.#closeSocket();
  }

  #settle(sent: Sent): void {
    if (this.#settled) return;

    this.#settled = true;
    clearTimeout(this.#timer);
    if (this.#abortHandle) this.#abortHandle.onAbort = undefined;
    this.#resolve(sent);
  }

  /** Destroys the socket: the rest of an unwanted response is not read. Before it is connected nothing was sent yet. */
  #closeSocket(): void {
    this.#abort?.(new Error("The exchange is over."));
  }

  #elapsedMs(): number {
    return Math.round(performance.now() - this.#startedAt);
  }
}

/** The response. Its headers are parsed on access, which is rare. */
class ReceivedResponse {
  readonly kind = "responded";
  readonly status: number;
  readonly body: Buffer;
  readonly truncated: boolean;
  readonly duration_ms: number;
  readonly #raw: Buffer[];

  constructor(status: number, raw: Buffer[], body: ResponseBody, duration_ms: number) {
    this.status = status;
    this.body = body.bytes();
    this.truncated = body.truncated;
    this.duration_ms = duration_ms;
    this.#raw = raw;
  }

  get headers(): IncomingHttpHeaders {
    return util.parseHeaders(this.#raw);
  }
}

/**
 * Collects a body up to a cap. Chunks are copied into one growing buffer: an endpoint that sends a megabyte in
 * one-byte chunks would otherwise cost a hundred times that in small objects.
 */
class ResponseBody {
  truncated = false;
  #held = Buffer.alloc(0);
  #size = 0;
  readonly #capBytes: number;

  constructor(capBytes: number) {
    this.#capBytes = capBytes;
  }

  add(chunk: Buffer): void {
    const room = this.#capBytes - this.#size;
    this.truncated = chunk.length > room;

    const taken = Math.min(chunk.length, room);
    this.#growTo(this.#size + taken);
    chunk.copy(this.#held, this.#size, 0, taken);
    this.#size += taken;
  }

  bytes(): Buffer {
    return this.#held.subarray(0, this.#size);
  }

  #growTo(size: number): void {
    if (size <= this.#held.length) return;

    const grown = Buffer.allocUnsafe(Math.max(size, Math.min(this.#held.length * 2, this.#capBytes)));
    this.#held.copy(grown, 0, 0, this.#size);
    this.#held = grown;
  }
}
