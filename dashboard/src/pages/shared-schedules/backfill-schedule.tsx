import type { BackfillSchedule as Body, Schedule, ScheduleBackfill } from "@millrace/contract/jobs/schedules";
import { useState } from "react";
import { useChange } from "../../api/use-api.ts";
import { FormDialog } from "../../parts/form/form-dialog.tsx";
import { TextField } from "../../parts/form/text-field.tsx";
import { formatInstant, plural } from "../../parts/format.ts";
import { toast } from "../../parts/overlay/toasts.tsx";
import { useSettings } from "../../parts/settings.ts";
import { Badge } from "../../parts/state/badge.tsx";
import { cronWords } from "../cron-words.ts";

const DAY_MS = 86_400_000;

/** Starts the runs of past times that have none, after a preview of the times. */
export function BackfillSchedule({ schedule, onClose }: { schedule: Schedule; onClose: () => void }) {
  const [range, setRange] = useState(() => ({ from: fieldOf(Date.now() - DAY_MS), to: fieldOf(Date.now() - 60_000) }));
  const backfill = useChange<Body, ScheduleBackfill>({
    run: (body, send) => send("POST", `/v1/schedules/${schedule.id}/backfill`, body),
    invalidates: ["/v1/schedules", "/v1/batch-operations", "/v1/runs"],
  });
  const { data: preview, reset } = backfill;
  const missing = preview?.fires.filter(({ run_id }) => run_id === null).length;
  const set = (change: Partial<typeof range>) => {
    reset();
    setRange((before) => ({ ...before, ...change }));
  };
  const submit = async () => {
    const body = { from: instantOf(range.from), to: instantOf(range.to) };
    if (!preview) return backfill.mutateAsync({ ...body, dry_run: true });
    await backfill.mutateAsync(body);
    toast({ title: `Backfill of ${plural(missing ?? 0, "run")} started`, detail: "Follow it in Batch operations." });
    onClose();
  };
  return (
    <FormDialog
      onClose={onClose}
      title={`Backfill ${schedule.name ?? cronWords(schedule.cron)}`}
      description="Starts one run for each fire time in the range that has none."
      action={missing === undefined ? "Preview backfill" : `Start ${plural(missing, "run")}`}
      disabledReason={missing === 0 ? "Every fire time in the range has a run." : undefined}
      onSubmit={submit}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label="From" type="datetime-local" required value={range.from} onChange={(from) => set({ from })} />
        <TextField label="To" type="datetime-local" required value={range.to} onChange={(to) => set({ to })} />
      </div>
      {preview && <Fires preview={preview} />}
    </FormDialog>
  );
}

function Fires({ preview: { fires, total } }: { preview: ScheduleBackfill }) {
  const { zone } = useSettings();
  if (total === 0) return <p className="text-ink-2">The schedule does not fire in this range.</p>;
  return (
    <ul aria-label="Fire times" className="max-h-56 divide-y overflow-y-auto rounded-sm border">
      {fires.map(({ scheduled_for, run_id }) => (
        <li key={scheduled_for} className="flex items-center gap-2 px-3 py-1.5 text-xs">
          <span className="font-mono">{formatInstant(scheduled_for, zone)}</span>
          {run_id && <Badge>has a run</Badge>}
        </li>
      ))}
    </ul>
  );
}

/** Local time, as the field expects it. */
function fieldOf(instant: number): string {
  const offsetMs = new Date(instant).getTimezoneOffset() * 60_000;
  return new Date(instant - offsetMs).toISOString().slice(0, 16);
}

function instantOf(field: string): string {
  return new Date(field).toISOString();
}
