import type { Schedule } from "@millrace/contract/jobs/schedules";
import { useChange } from "../../api/use-api.ts";
import { ConfirmDialog } from "../../parts/overlay/confirm-dialog.tsx";

export function DeleteSchedule({ schedule: { id }, onClose }: { schedule: Schedule; onClose: () => void }) {
  const remove = useChange({
    run: (_, send) => send("DELETE", `/v1/schedules/${id}`),
    done: "Schedule deleted",
    invalidates: ["/v1/schedules"],
  });
  return (
    <ConfirmDialog
      danger
      open
      onClose={onClose}
      title="Delete this schedule?"
      action="Delete schedule"
      onConfirm={() => remove.mutateAsync()}
    >
      <p>No more runs are started by this schedule. Runs that it has already started continue.</p>
    </ConfirmDialog>
  );
}
