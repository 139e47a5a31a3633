import type { EventTrigger } from "@millrace/contract/events/events";
import type { Run } from "@millrace/contract/runs/runs";
import { formatMoment } from "../../parts/format.ts";
import { useSettings } from "../../parts/settings.ts";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import { runStatus } from "../../parts/state/statuses.ts";
import { waitWords } from "./wait-words.ts";

type Props = {
  run: Run;
  wait: EventTrigger | undefined;
  /** Since when the host of its endpoint cannot be reached. */
  downSince?: string | undefined;
  as?: "text" | "badge";
};

/** The status of a run, with what it waits for. */
export function RunState({ run, wait, downSince, as = "text" }: Props) {
  const { zone } = useSettings();
  const status = runStatus(run);
  if (run.status === "waiting" && wait) {
    const label = waitWords(wait, zone);
    return <StatusMark status={wait.wait_kind === "sleep" ? "sleeping" : "waiting"} label={label} as={as} />;
  }
  if (run.status === "pending" && downSince)
    return <StatusMark status="unhealthy" label={`Endpoint down since ${formatMoment(downSince, zone)}`} as={as} />;
  return <StatusMark status={status} as={as} />;
}
