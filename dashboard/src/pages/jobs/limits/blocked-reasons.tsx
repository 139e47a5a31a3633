import type { RunExplanation } from "@millrace/contract/runs/run-explanation";
import type { Run } from "@millrace/contract/runs/runs";
import { useEffect, useState } from "react";
import { useApi } from "../../../api/use-api.ts";
import { withMoments } from "../../../parts/format.ts";
import { useSettings } from "../../../parts/settings.ts";
import { Countdown } from "../../../parts/state/countdown.tsx";
import { StatusMark } from "../../../parts/state/status-mark.tsx";

const DELAY_MS = 1_200;

/** Why a triggered run is not running yet, and when it will. Shown after a delay, because most runs start sooner. */
export function BlockedReasons({ run }: { run: Run }) {
  const { zone } = useSettings();
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), DELAY_MS);
    return () => clearTimeout(timer);
  }, []);
  const { data } = useApi<RunExplanation>(`/v1/runs/${run.id}/explain`, {}, isLate);
  if (!data || data.run_id !== run.id || data.blockers.length === 0) return null;
  return (
    <section aria-label="Why it is not running" className="card divide-y">
      {data.blockers.map(({ code, message, until, remedy }) => (
        <div key={code} className="flex flex-wrap items-start gap-x-3 gap-y-1 px-4 py-2.5">
          <span className="mt-[3px]">
            <StatusMark status={until ? "delayed" : "waiting"} as="mark" />
          </span>
          <div className="min-w-0 flex-1 basis-60">
            <p>{withMoments(message, zone)}</p>
            <p className="text-ink-2 text-xs">{remedy.message}</p>
          </div>
          {until && <Countdown until={until} ended="due now" />}
        </div>
      ))}
    </section>
  );
}
