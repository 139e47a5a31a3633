import type { Schedule } from "@millrace/contract/schedules";
import type { Workflow } from "@millrace/contract/workflows";
import { Plus } from "lucide-react";
import { useState } from "react";
import { useMay, useRefusal } from "../../api/me.ts";
import { type Page, useApi } from "../../api/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { Section } from "../../parts/facts.tsx";
import { SkeletonLines } from "../../parts/skeleton.tsx";
import { CreateSchedule } from "./create-schedule.tsx";
import { ScheduleRow } from "./schedule-row.tsx";

/** The times at which runs are started: the workflow's own cron, and any number of schedules beside it. */
export function ScheduleStarts({ workflow }: { workflow: Workflow }) {
  const [isCreating, setCreating] = useState(false);
  const asked = { workflow_id: workflow.id, limit: 100 };
  const { data, error, refetch } = useApi<Page<Schedule>>("/v1/schedules", asked, useMay("jobs:read"));
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
