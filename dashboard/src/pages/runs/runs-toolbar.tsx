import { Pause, Play } from "lucide-react";
import { useLiveState } from "../../live/use-live.ts";
import { IconButton } from "../../parts/icon-button.tsx";
import { LiveDot } from "../../parts/live-dot.tsx";
import { Tooltip } from "../../parts/tooltip.tsx";

/** Whether the list follows the service, and a way to hold it. */
export function LiveSwitch({ isPaused, onPause }: { isPaused: boolean; onPause: (isPaused: boolean) => void }) {
  const state = useLiveState();
  return (
    <span className="flex items-center gap-1">
      <Tooltip label={isPaused ? "What changes is shown when you go on." : "Rows change as the service does."}>
        <span className="inline-flex h-8 items-center max-sm:hidden">
          <LiveDot state={isPaused ? "paused" : state} />
        </span>
      </Tooltip>
      <IconButton
        label={isPaused ? "Go on live" : "Pause live"}
        keys="."
        pressed={isPaused}
        icon={isPaused ? <Play size={15} /> : <Pause size={15} />}
        onClick={() => onPause(!isPaused)}
      />
    </span>
  );
}

/** What came meanwhile. Its height is reserved by nobody: it floats over the head of the list, so nothing moves. */
export function NewsPill({ count, onShow }: { count: number; onShow: () => void }) {
  if (count === 0) return null;
  return (
    <div className="pointer-events-none absolute inset-x-0 top-11 z-20 flex justify-center">
      <button
        type="button"
        onClick={onShow}
        className="pointer-events-auto h-7 animate-appear rounded-full bg-accent px-3 font-medium text-on-accent text-xs shadow-float hover:bg-accent-strong"
      >
        {count === 1 ? "1 new" : `${count} new`}
      </button>
    </div>
  );
}
