import type { Schedule } from "@millrace/contract/jobs/schedules";
import { CalendarSync, Plus } from "lucide-react";
import { useMemo, useState } from "react";
import { useDisabledReason } from "../../api/me.ts";
import { useApiList } from "../../api/use-api.ts";
import { AsCode } from "../../parts/code/as-code.tsx";
import { CodeBlock } from "../../parts/code/code-block.tsx";
import { Button } from "../../parts/form/button.tsx";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { ListPage } from "../../parts/table/list-page.tsx";
import { Segments } from "../../parts/tabs.tsx";
import { useCommands } from "../../shell/command-menu/commands.ts";
import { useSearchParams } from "../../shell/place/place.ts";
import { codeOf } from "../code-of.ts";
import { BackfillSchedule } from "../shared-schedules/backfill-schedule.tsx";
import { DeleteSchedule } from "../shared-schedules/delete-schedule.tsx";
import { ScheduleDialog } from "../shared-schedules/schedule-dialog.tsx";
import { useScheduleActions } from "../shared-schedules/use-schedule-actions.ts";
import { useWorkflows } from "../shared-workflows/use-workflows.ts";
import { useJobs } from "../use-jobs.ts";
import { FireCalendar } from "./fire-calendar.tsx";
import { scheduleColumns } from "./schedule-columns.tsx";

type Open = { dialog: "edit" | "backfill" | "delete"; schedule: Schedule } | { dialog: "create" };

const VIEWS = [
  { id: "list", label: "List" },
  { id: "calendar", label: "Calendar" },
];
const CODE = codeOf({
  method: "POST",
  path: "/v1/schedules",
  body: { job_id: "nightly-report", cron: "0 6 * * 1-5", timezone: "Europe/Berlin" },
});

/** All schedules of the project, as a list or as a calendar of their next fires. */
export default function SchedulesPage() {
  const list = useApiList<Schedule>("/v1/schedules", { limit: 100 });
  const [{ view = "list" }, change] = useSearchParams();
  const disabledReason = useDisabledReason("jobs:write");
  const [open, setOpen] = useState<Open>();
  const nameOf = useTargetNames();
  const actions = useScheduleActions();
  const columns = useMemo(
    () =>
      scheduleColumns({
        ...{ nameOf, noWrite: disabledReason, noTrigger: actions.noTrigger },
        onRun: actions.runNow,
        onToggle: actions.toggle,
        onAct: (dialog, schedule) => setOpen({ dialog, schedule }),
      }),
    [nameOf, disabledReason, actions.noTrigger, actions.runNow, actions.toggle],
  );
  const create = () => setOpen({ dialog: "create" });
  const close = () => setOpen(undefined);
  useCommands([
    { label: "Create schedule", run: () => disabledReason ?? create() },
    { label: "Show schedules as a calendar", run: () => change({ view: "calendar" }) },
  ]);
  const isCalendar = view === "calendar";
  return (
    <ListPage
      title="Schedules"
      label="Schedules"
      actions={
        <>
          <Segments
            label="View"
            value={view}
            options={VIEWS}
            onChange={(id) => change({ view: id === "list" ? undefined : id })}
          />
          <AsCode
            about="Schedules"
            code={codeOf({ method: "GET", path: "/v1/schedules" }, { cli: "millrace schedules list" })}
          />
          <Button kind="primary" icon={<Plus size={15} />} disabledReason={disabledReason} onClick={create}>
            Create schedule
          </Button>
        </>
      }
      figures={isCalendar && <FireCalendar schedules={list.rows} nameOf={nameOf} />}
      list={list}
      columns={columns}
      empty={
        <EmptyState
          icon={<CalendarSync size={20} />}
          title="No schedules yet"
          code={<CodeBlock title="Create a schedule" code={CODE.curl} />}
        >
          A schedule starts a job or a workflow at the times of a cron expression.
        </EmptyState>
      }
    >
      {open?.dialog === "create" && <ScheduleDialog schedule={undefined} onClose={close} />}
      {open?.dialog === "edit" && <ScheduleDialog schedule={open.schedule} onClose={close} />}
      {open?.dialog === "backfill" && <BackfillSchedule schedule={open.schedule} onClose={close} />}
      {open?.dialog === "delete" && <DeleteSchedule schedule={open.schedule} onClose={close} />}
    </ListPage>
  );
}

/** The name of the job or workflow that a schedule starts. */
function useTargetNames() {
  const [jobs, workflows] = [useJobs(), useWorkflows()];
  return useMemo(
    () =>
      ({ job_id, workflow_id }: Schedule) =>
        (job_id ? jobs?.get(job_id)?.name : workflow_id ? workflows?.get(workflow_id)?.name : undefined) ?? "",
    [jobs, workflows],
  );
}
