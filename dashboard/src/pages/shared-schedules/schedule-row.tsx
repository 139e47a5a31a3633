import type { Schedule } from "@millrace/contract/jobs/schedules";
import { History, Pause, Pencil, Play, Trash2, Zap } from "lucide-react";
import { useState } from "react";
import { IconButton } from "../../parts/form/icon-button.tsx";
import { Badge } from "../../parts/state/badge.tsx";
import { Time } from "../../parts/time.tsx";
import { cronWords } from "../cron-words.ts";
import { BackfillSchedule } from "./backfill-schedule.tsx";
import { DeleteSchedule } from "./delete-schedule.tsx";
import { ScheduleDialog } from "./schedule-dialog.tsx";
import { useScheduleActions } from "./use-schedule-actions.ts";

type Props = { schedule: Schedule; noWrite: string | undefined };

/** One schedule with its next run and actions. */
export function ScheduleRow({ schedule, noWrite }: Props) {
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
      <Times schedule={schedule} />
      <span className="flex">
        <RunAndPause schedule={schedule} noWrite={noWrite} />
        <EditAndDelete schedule={schedule} noWrite={noWrite} />
      </span>
    </li>
  );
}

function Times({
  schedule: { name, cron, timezone, overlap_policy, paused, is_default, next_fire_at, last_fired_at },
}: {
  schedule: Schedule;
}) {
  return (
    <div className="min-w-40 flex-1">
      <p className="font-medium">
        {name ?? cronWords(cron)} {is_default && <Badge>default cron</Badge>} {paused && <Badge>paused</Badge>}
      </p>
      <p className="text-ink-2 text-xs">
        {name && `${cronWords(cron)} · `}
        <code className="whitespace-nowrap font-mono">{cron}</code> <span className="ml-1">{timezone}</span>
        {overlap_policy !== "allow" && `, overlap: ${overlap_policy.replaceAll("_", " ")}`}
      </p>
      <p className="text-ink-3 text-xs">
        {next_fire_at ? (
          <>
            next <Time at={next_fire_at} />
          </>
        ) : (
          "no upcoming runs"
        )}
        {last_fired_at && (
          <>
            , last <Time at={last_fired_at} />
          </>
        )}
      </p>
    </div>
  );
}

function RunAndPause({ schedule, noWrite }: Props) {
  const { noTrigger, runNow, toggle } = useScheduleActions();
  const { paused } = schedule;
  return (
    <>
      <IconButton
        label="Run now"
        disabledReason={noTrigger}
        icon={<Zap size={15} />}
        onClick={() => runNow(schedule)}
      />
      <IconButton
        label={paused ? "Resume schedule" : "Pause schedule"}
        disabledReason={noWrite}
        icon={paused ? <Play size={15} /> : <Pause size={15} />}
        onClick={() => toggle(schedule)}
      />
    </>
  );
}

function EditAndDelete({ schedule, noWrite }: Props) {
  const [open, setOpen] = useState<"edit" | "backfill" | "delete">();
  const { noTrigger } = useScheduleActions();
  const noChange = schedule.is_default ? "This is the cron in Settings. Change it there." : noWrite;
  const close = () => setOpen(undefined);
  return (
    <>
      <IconButton
        label="Backfill schedule"
        disabledReason={noTrigger}
        icon={<History size={15} />}
        onClick={() => setOpen("backfill")}
      />
      <IconButton
        label="Edit schedule"
        disabledReason={noChange}
        icon={<Pencil size={15} />}
        onClick={() => setOpen("edit")}
      />
      <IconButton
        label="Delete schedule"
        disabledReason={noChange}
        icon={<Trash2 size={15} />}
        onClick={() => setOpen("delete")}
      />
      {open === "edit" && <ScheduleDialog schedule={schedule} onClose={close} />}
      {open === "backfill" && <BackfillSchedule schedule={schedule} onClose={close} />}
      {open === "delete" && <DeleteSchedule schedule={schedule} onClose={close} />}
    </>
  );
}
