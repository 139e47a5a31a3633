import { useEffect, useState } from "react";
import { useLiveState } from "../live/use-live.ts";
import { MarkIcon } from "../parts/state/status-mark.tsx";

const AFTER_MS = 600; // a normal reconnect is not worth a message

/** Warns about stale data while the service is not responding. Disappears by itself. */
export function ReconnectBanner() {
  const state = useLiveState();
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    if (state !== "offline") return setShown(false);
    const timer = setTimeout(() => setShown(true), AFTER_MS);
    return () => clearTimeout(timer);
  }, [state]);
  if (!isShown) return null;
  return (
    <div role="status" className="flex flex-none items-center gap-2 border-b bg-surface px-4 py-1.5 text-ink-2 lg:px-6">
      <MarkIcon shape="again" className="text-retrying" />
      Reconnecting. Data may be out of date.
    </div>
  );
}
