import type { EventsPurged } from "@millrace/contract/events/events";
import { useState } from "react";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../parts/form/button.tsx";
import { TextField } from "../../parts/form/text-field.tsx";
import { useSubmit } from "../../parts/form/use-submit.ts";
import { formatCount, plural } from "../../parts/format.ts";
import { Dialog } from "../../parts/overlay/dialog.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";

/** Deletes old finished waits: counts them first, then asks to type the count. */
export function PurgeEvents({ onClose }: { onClose: () => void }) {
  const [days, setDays] = useState("30");
  const [counted, setCounted] = useState<{ days: string; matched: number }>();
  const [typed, setTyped] = useState("");
  const purge = useChange<boolean, EventsPurged>({
    run: (isDry, send) => send("POST", "/v1/events/purge", { older_than_days: Number(days), dry_run: isDry }),
    done: ({ dry_run, deleted }) => (dry_run ? "Dry run: nothing was deleted" : `${plural(deleted, "wait")} deleted`),
    invalidates: ["/v1/events"],
  });
  const isCounted = counted?.days === days;
  const { error, isBusy, send } = useSubmit(async () => {
    const { matched } = await purge.mutateAsync(!isCounted);
    if (isCounted) return onClose();
    setTyped("");
    setCounted({ days, matched });
  });
  const matched = isCounted ? counted.matched : undefined;
  return (
    <Dialog
      open
      onClose={onClose}
      title="Purge finished waits"
      description="Permanently deletes finished waits. Waits that are still open are never deleted."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind={matched === undefined ? "primary" : "danger"}
            busy={isBusy}
            disabledReason={disabledReasonOf(days, matched, typed)}
            onClick={() => void send()}
          >
            {matched === undefined ? "Preview" : `Delete ${plural(matched, "wait")}`}
          </Button>
        </>
      }
    >
      <TextField
        label="Finished more than this many days ago"
        type="number"
        min={0}
        max={36_500}
        value={days}
        onChange={setDays}
      />
      {matched !== undefined && (
        <p aria-live="polite">
          <strong className="font-semibold">{formatCount(matched)}</strong> would be deleted.
        </p>
      )}
      {matched !== undefined && matched > 0 && (
        <TextField label={`Type ${matched} to confirm`} mono autoComplete="off" value={typed} onChange={setTyped} />
      )}
      {error !== undefined && <ErrorState error={error} as="banner" />}
    </Dialog>
  );
}

function disabledReasonOf(days: string, matched: number | undefined, typed: string): string | undefined {
  if (!/^\d+$/.test(days)) return "Enter a number of days.";
  if (matched === undefined) return undefined;
  if (matched === 0) return "There is nothing to delete.";
  return typed === String(matched) ? undefined : `Type ${matched} to confirm.`;
}
