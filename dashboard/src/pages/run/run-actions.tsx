import type { Job } from "@millrace/contract/jobs/jobs";
import type { Run } from "@millrace/contract/runs/runs";
import { Ban, RotateCcw } from "lucide-react";
import { useState } from "react";
import { useDisabledReason } from "../../api/me.ts";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../parts/form/button.tsx";
import { ConfirmDialog, TypedConfirm } from "../../parts/overlay/confirm-dialog.tsx";
import { useShortcut } from "../../parts/overlay/use-shortcut.ts";
import { useCommands } from "../../shell/command-menu/commands.ts";
import { ENDED } from "../shared-runs/use-run.ts";
import { MoreActions } from "./more-actions.tsx";
import { ReplayRun } from "./replay-run.tsx";

type DialogName = "cancel" | "replay" | "erase";

/** Run actions. Disabled ones show the reason. */
export function RunActions({ run, job }: { run: Run; job: Job | undefined }) {
  const [openDialog, setOpenDialog] = useState<DialogName>();
  const noScope = useDisabledReason("runs:write");
  const hasEnded = ENDED.has(run.status);
  const noReplay = noScope ?? (hasEnded ? undefined : "The run has not finished. Cancel it or wait.");
  const noCancel = noScope ?? (hasEnded ? "The run has already finished." : undefined);
  const replay = () => noReplay ?? setOpenDialog("replay");
  const cancel = () => noCancel ?? setOpenDialog("cancel");
  useShortcut("r", replay);
  useShortcut("c", cancel);
  useCommands([
    { label: "Replay run", keys: "r", run: replay },
    { label: "Cancel run", keys: "c", run: cancel },
  ]);
  const close = () => setOpenDialog(undefined);
  return (
    <>
      <Button icon={<Ban size={14} />} disabledReason={noCancel} onClick={cancel}>
        Cancel
      </Button>
      <Button kind="primary" icon={<RotateCcw size={14} />} disabledReason={noReplay} onClick={replay}>
        Replay
      </Button>
      <MoreActions run={run} noScope={noScope} noCancel={noCancel} onErase={() => setOpenDialog("erase")} />
      {openDialog === "replay" && <ReplayRun run={run} job={job} onClose={close} />}
      <CancelRun run={run} open={openDialog === "cancel"} onClose={close} />
      <EraseRun run={run} open={openDialog === "erase"} onClose={close} />
    </>
  );
}

type DialogProps = { run: Run; open: boolean; onClose: () => void };

function CancelRun({ run, open, onClose }: DialogProps) {
  const cancel = useChange({
    run: (_, send) => send("POST", `/v1/runs/${run.id}/cancel`, {}),
    done: "Run canceled",
    invalidates: ["/v1/runs"],
  });
  return (
    <ConfirmDialog
      open={open}
      danger
      onClose={onClose}
      title="Cancel this run?"
      action="Cancel run"
      onConfirm={() => cancel.mutateAsync()}
    >
      <p>Cancels the run and its child runs. A running job is notified at its next heartbeat.</p>
    </ConfirmDialog>
  );
}

function EraseRun({ run, open, onClose }: DialogProps) {
  const erase = useChange({
    run: (_, send) => send("DELETE", `/v1/runs/${run.id}/data`),
    done: "Payload, result and logs deleted",
    invalidates: ["/v1/runs", "/v1/logs"],
  });
  return (
    <TypedConfirm
      open={open}
      typed={run.id.slice(-6)}
      onClose={onClose}
      title="Delete run data?"
      action="Delete data"
      onConfirm={() => erase.mutateAsync()}
    >
      <p>
        The payload, result, logs and other records are permanently deleted. The run itself and its final status remain.
      </p>
    </TypedConfirm>
  );
}
