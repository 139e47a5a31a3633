import { Pause, Play } from "lucide-react";
import { IconButton } from "../parts/form/icon-button.tsx";
import { Tooltip } from "../parts/overlay/tooltip.tsx";
import { LiveDot } from "../parts/state/live-dot.tsx";
import { useLiveState } from "./use-live.ts";

/** Shows whether a list updates live, and pauses it. */
export function LiveSwitch({ isPaused, onPause }: { isPaused: boolean; onPause: (isPaused: boolean) => void }) {
  const state = useLiveState();
  return (
    <span className="flex items-center gap-1">
      <Tooltip label={isPaused ? "Changes appear when you resume." : "Rows update in real time."}>
        <span className="inline-flex h-8 items-center max-sm:hidden">
          <LiveDot state={isPaused ? "paused" : state} />
        </span>
      </Tooltip>
      <IconButton
        label={isPaused ? "Resume live updates" : "Pause live updates"}
        keys="."
        pressed={isPaused}
        icon={isPaused ? <Play size={15} /> : <Pause size={15} />}
        onClick={() => onPause(!isPaused)}
      />
    </span>
  );
}
