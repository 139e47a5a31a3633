import type { ClientCore } from "../client/create-core.ts";
import { ApiError } from "../client/http/api-error.ts";
import { pause } from "../client/http/pause.ts";

const FIRST_DELAY_MS = 100;
/** A worker is back within five seconds after the service is. */
const MAX_DELAY_MS = 4_000;

type CallOptions = {
  signal?: AbortSignal;
  timeoutMs: number;
  /** Errors that repeating the call cannot change. Default: none. */
  isFinal?: (error: unknown) => boolean;
};

/** The worker's connection to the service. */
export type ServiceLine = {
  /** Tries once. */
  send: <T>(path: string, body: unknown, options: CallOptions) => Promise<T>;
  /** Repeats the same body until the service answers, with jittered backoff. */
  untilAnswered: <T>(path: string, body: unknown, options: CallOptions) => Promise<T>;
};

export function openServiceLine(core: ClientCore, onError: (error: unknown) => void): ServiceLine {
  let reported: string | undefined;

  const send = async <T>(path: string, body: unknown, { signal, timeoutMs }: CallOptions) => {
    const answer = await core.request<T>("POST", `/worker/v1${path}`, { body, signal, timeoutMs, retries: 0 });
    reported = undefined;
    return answer;
  };
  /** An outage of an hour is one message. */
  function tell(error: unknown): void {
    const code = (error as { code?: string }).code ?? String(error);
    if (code !== reported) onError(error);
    reported = code;
  }
  return {
    send,
    untilAnswered: async <T>(path: string, body: unknown, options: CallOptions) => {
      for (let retry = 0; ; retry++) {
        try {
          return await send<T>(path, body, options);
        } catch (error) {
          if (options.signal?.aborted || options.isFinal?.(error)) throw error;
          tell(error);
          await pause(delayMs(error, retry), options.signal);
        }
      }
    },
  };
}

/** Full jitter, so that the workers do not come back all at once. `Retry-After` is a minimum. */
function delayMs(error: unknown, retry: number): number {
  const minimum = (error instanceof ApiError ? (error.retryAfterSecs ?? 0) : 0) * 1_000;
  return minimum + Math.random() * Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(retry, 10));
}
