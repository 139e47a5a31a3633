/**
 * Aborts an exchange. Lighter than an AbortController, of which every dispatch would need its own (10 of its 100 µs).
 */
export type AbortHandle = { isAborted: boolean; onAbort: (() => void) | undefined };

export function newAbortHandle(): AbortHandle {
  return { isAborted: false, onAbort: undefined };
}

export function abortRequest(abortHandle: AbortHandle): void {
  abortHandle.isAborted = true;
  abortHandle.onAbort?.();
}
