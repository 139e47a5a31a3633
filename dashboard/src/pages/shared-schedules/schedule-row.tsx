import type { Schedule } from "@millrace/contract/schedules";
import { Pause, Play, Trash2, Zap } from "lucide-react";
import { useState } from "react";
import { useDisabledReason } from "../../api/me.ts";
import { useChange } from "../../api/use-api.ts";
import { IconButton } from "../../parts/form/icon-button.tsx";
import { ConfirmDialog } from "../../parts/overlay/confirm-dialog.tsx";
import { Badge } from "../../parts/state/badge.tsx";
import { Time } from "../../parts/time.tsx";
import { cronWords } from "../cron-words.ts";

const PATH = "/v1/schedules";

type Props = { schedule: Schedule; noWrite: string | undefined };

/** One schedule with its next run and actions. */
export function ScheduleRow({ schedule, noWrite }: Props) {
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
      <Times schedule={schedule} />
      <span className="flex">
        <RunAndPause schedule={schedule} noWrite={noWrite} />
        <Delete schedule={schedule} noWrite={noWrite} />
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

function RunAndPause({ schedule: { id, paused }, noWrite }: Props) {
  const noTrigger = useDisabledReason("jobs:trigger");
  const act = useChange<{ verb: string; done: string }>({
    run: ({ verb }, send) => send("POST", `${PATH}/${id}/${verb}`),
    done: (_, { done }) => done,
    invalidates: [PATH, "/v1/runs", "/v1/workflow-runs"],
  });
  const toggle = paused ? { verb: "resume", done: "Schedule resumed" } : { verb: "pause", done: "Schedule paused" };
  return (
    <>
      <IconButton
        label="Run now"
        disabledReason={noTrigger}
        icon={<Zap size={15} />}
        onClick={() => act.mutate({ verb: "run-now", done: "Run started" })}
      />
      <IconButton
        label={paused ? "Resume schedule" : "Pause schedule"}
        disabledReason={noWrite}
        icon={paused ? <Play size={15} /> : <Pause size={15} />}
        onClick={() => act.mutate(toggle)}
      />
    </>
  );
}

function Delete({ schedule: { id, is_default }, noWrite }: Props) {
  const [isConfirming, setConfirming] = useState(false);
  const remove = useChange({
    run: (_, send) => send("DELETE", `${PATH}/${id}`),
    done: "Schedule deleted",
    invalidates: [PATH],
  });
  return (
    <>
      <IconButton
        label="Delete schedule"
        disabledReason={is_default ? "This is the cron in Settings. Remove it there." : noWrite}
        icon={<Trash2 size={15} />}
        onClick={() => setConfirming(true)}
      />
      <ConfirmDialog
        danger
        open={isConfirming}
        onClose={() => setConfirming(false)}
        title="Delete this schedule?"
        action="Delete schedule"
        onConfirm={() => remove.mutateAsync()}
      >
        <p>No more runs are started by this schedule. Runs that it has already started continue.</p>
      </ConfirmDialog>
    </>
  );
}
