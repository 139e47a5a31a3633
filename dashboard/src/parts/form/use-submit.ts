import { useState } from "react";

/** State of a request: whether it is pending, and its last error. */
export function useSubmit<Args extends unknown[]>(onSend: (...args: Args) => Promise<unknown>) {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const send = async (...args: Args): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await onSend(...args);
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return { error, isBusy, send, forget: () => setError(undefined) };
}
