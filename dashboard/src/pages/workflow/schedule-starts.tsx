import type { Schedule } from "@millrace/contract/schedules";
import type { Workflow } from "@millrace/contract/workflows";
import { Pause, Play, Plus, Trash2, Zap } from "lucide-react";
import { useState } from "react";
import { useMay, useRefusal } from "../../api/me.ts";
import { type Page, useApi, useChange } from "../../api/use-api.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { Section } from "../../parts/facts.tsx";
import { IconButton } from "../../parts/icon-button.tsx";
import { SkeletonLines } from "../../parts/skeleton.tsx";
import { Time } from "../../parts/time.tsx";
import { cronWords } from "../cron-words.ts";
import { CreateSchedule } from "./create-schedule.tsx";

const PATH = "/v1/schedules";

/** The times at which runs are started: the workflow's own cron, and any number of schedules beside it. */
export function ScheduleStarts({ workflow }: { workflow: Workflow }) {
  const [isCreating, setCreating] = useState(false);
  const asked = { workflow_id: workflow.id, limit: 100 };
  const { data, error, refetch } = useApi<Page<Schedule>>(PATH, asked, useMay("jobs:read"));
  const rows = data?.data.filter(({ workflow_id }) => workflow_id === workflow.id);
  const noWrite = useRefusal("jobs:write");
  return (
    <Section
      title="By the clock"
      actions={
        <Button
          size="small"
          className="!h-6"
          icon={<Plus size={13} />}
          refusal={noWrite}
          onClick={() => setCreating(true)}
        >
          Add schedule
        </Button>
      }
    >
      {error && <ErrorState error={error} as="banner" onRetry={() => void refetch()} />}
      {!rows && !error && <SkeletonLines lines={3} />}
      {rows?.length === 0 && (
        <p className="card px-4 py-3 text-ink-2">
          No schedule. Give the workflow a cron of its own in Settings, or add schedules here, each with its payload.
        </p>
      )}
      {rows && rows.length > 0 && (
        <ul aria-label="Schedules" className="card divide-y">
          {rows.map((schedule) => (
            <ScheduleRow key={schedule.id} schedule={schedule} noWrite={noWrite} />
          ))}
        </ul>
      )}
      {isCreating && <CreateSchedule workflow={workflow} onClose={() => setCreating(false)} />}
    </Section>
  );
}

function ScheduleRow({ schedule, noWrite }: { schedule: Schedule; noWrite: string | undefined }) {
  const [isAsked, setAsked] = useState(false);
  const noTrigger = useRefusal("jobs:trigger");
  const { id, name, cron, timezone, paused, is_default, next_fire_at, last_fired_at } = schedule;
  const act = useChange<{ verb: string; done: string }>({
    run: ({ verb }, send) => send("POST", `${PATH}/${id}/${verb}`),
    done: (_, { done }) => done,
    outdates: [PATH, "/v1/workflow-runs"],
  });
  const remove = useChange({
    run: (_, send) => send("DELETE", `${PATH}/${id}`),
    done: "Schedule deleted",
    outdates: [PATH],
  });
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
      <div className="min-w-40 flex-1">
        <p className="font-medium">
          {name ?? cronWords(cron)} {is_default && <Badge>its own cron</Badge>} {paused && <Badge>paused</Badge>}
        </p>
        <p className="text-ink-2 text-xs">
          {name && `${cronWords(cron)} · `}
          <code className="whitespace-nowrap font-mono">{cron}</code> <span className="ml-1">{timezone}</span>
        </p>
        <p className="text-ink-3 text-xs">
          {next_fire_at ? (
            <>
              next <Time at={next_fire_at} />
            </>
          ) : (
            "fires nothing"
          )}
          {last_fired_at && (
            <>
              , last <Time at={last_fired_at} />
            </>
          )}
        </p>
      </div>
      <span className="flex">
        <IconButton
          label="Run now"
          refusal={noTrigger}
          icon={<Zap size={15} />}
          onClick={() => act.mutate({ verb: "run-now", done: "Run started" })}
        />
        <IconButton
          label={paused ? "Resume schedule" : "Pause schedule"}
          refusal={noWrite}
          icon={paused ? <Play size={15} /> : <Pause size={15} />}
          onClick={() =>
            act.mutate(
              paused ? { verb: "resume", done: "Schedule resumed" } : { verb: "pause", done: "Schedule paused" },
            )
          }
        />
        <IconButton
          label="Delete schedule"
          refusal={is_default ? "It is the workflow's own cron: change it in Settings." : noWrite}
          icon={<Trash2 size={15} />}
          onClick={() => setAsked(true)}
        />
      </span>
      <ConfirmDialog
        danger
        open={isAsked}
        onClose={() => setAsked(false)}
        title="Delete this schedule?"
        action="Delete schedule"
        onConfirm={() => remove.mutateAsync()}
      >
        <p>It starts nothing from then on. Runs that it has started go on.</p>
      </ConfirmDialog>
    </li>
  );
}
