import type { Schedule } from "@millrace/contract/jobs/schedules";
import { Plus } from "lucide-react";
import { useState } from "react";
import { useDisabledReason, useMay } from "../../api/me.ts";
import { type Page, useApi } from "../../api/use-api.ts";
import { CodeBlock } from "../../parts/code/code-block.tsx";
import { Section } from "../../parts/facts.tsx";
import { Button } from "../../parts/form/button.tsx";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";
import { codeOf } from "../code-of.ts";
import { ScheduleDialog } from "./schedule-dialog.tsx";
import { ScheduleRow } from "./schedule-row.tsx";
import { idOf, type Target } from "./target.ts";

/** The target's own cron, and any number of additional schedules. */
export function ScheduleStarts({ target }: { target: Target }) {
  const [isCreating, setCreating] = useState(false);
  const query = { ...idOf(target), limit: 100 };
  const { data, error, refetch } = useApi<Page<Schedule>>("/v1/schedules", query, useMay("jobs:read"));
  const rows = data?.data;
  const noWrite = useDisabledReason("jobs:write");
  return (
    <Section
      title="Schedules"
      actions={
        <Button
          size="small"
          className="!h-6"
          icon={<Plus size={13} />}
          disabledReason={noWrite}
          onClick={() => setCreating(true)}
        >
          Create schedule
        </Button>
      }
    >
      {error && <ErrorState error={error} as="banner" onRetry={() => void refetch()} />}
      {!rows && !error && <SkeletonLines lines={3} />}
      {rows?.length === 0 && <NoSchedule target={target} />}
      {rows && rows.length > 0 && (
        <ul aria-label="Schedules" className="card divide-y">
          {rows.map((schedule) => (
            <ScheduleRow key={schedule.id} schedule={schedule} noWrite={noWrite} />
          ))}
        </ul>
      )}
      {isCreating && <ScheduleDialog schedule={undefined} target={target} onClose={() => setCreating(false)} />}
    </Section>
  );
}

function NoSchedule({ target }: { target: Target }) {
  const body = { ...idOf(target), cron: "0 6 * * 1-5", timezone: "Europe/Berlin" };
  return (
    <EmptyState
      small
      title="No schedules"
      code={<CodeBlock code={codeOf({ method: "POST", path: "/v1/schedules", body }).curl} />}
    >
      Set a cron for the {target.kind} in Settings, or add schedules here, each with its own payload.
    </EmptyState>
  );
}
