import { Ban, Download, Ellipsis, FileText, Link2, Pause, Play, RotateCcw } from "lucide-react";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { useDisabledReason } from "../../api/me.ts";
import { asProblem } from "../../api/problem.ts";
import { useChange } from "../../api/use-api.ts";
import { copyText } from "../../parts/code/copy-text.ts";
import { downloadText } from "../../parts/code/download.ts";
import { Button } from "../../parts/form/button.tsx";
import { IconButton } from "../../parts/form/icon-button.tsx";
import { ConfirmDialog } from "../../parts/overlay/confirm-dialog.tsx";
import { Menu, type MenuItem } from "../../parts/overlay/menu.tsx";
import { toast } from "../../parts/overlay/toasts.tsx";
import { useShortcut } from "../../parts/overlay/use-shortcut.ts";
import { useCommands } from "../../shell/command-menu/commands.ts";
import { usePlace, useSearchParams } from "../../shell/place/place.ts";
import { hasEnded, type WorkflowRunView } from "./use-workflow-run.ts";

/** Actions on the whole run. Disabled ones show the reason. */
export function RunActions({ view: { run, graph } }: { view: WorkflowRunView }) {
  const [isCanceling, setCanceling] = useState(false);
  const noScope = useDisabledReason("workflows:write");
  const isOver = hasEnded(run);
  const noCancel = noScope ?? (isOver ? "The workflow run has already finished." : undefined);
  const hasFailed = graph.nodes.some(({ status }) => status === "failed") || (isOver && run.status !== "completed");
  const noRetry = noScope ?? (hasFailed ? undefined : "No steps have failed.");
  const path = `/v1/workflow-runs/${run.id}`;
  const act = useChange<{ verb: string; done: string }>({
    run: ({ verb }, send) => send("POST", `${path}/${verb}`, verb === "cancel" ? {} : undefined),
    done: (_, { done }) => done,
    invalidates: ["/v1/workflow-runs", "/v1/events"],
  });
  const retry = () => act.mutate({ verb: "retry", done: "Failed steps restarted" });
  const isPaused = run.status === "paused";
  const pause = () =>
    act.mutate(isPaused ? { verb: "resume", done: "Run resumed" } : { verb: "pause", done: "Run paused" });
  useShortcut("c", () => noCancel ?? setCanceling(true));
  useShortcut("p", () => noCancel ?? pause());
  useShortcut("r", () => noRetry ?? retry());
  useCommands([
    { label: "Cancel workflow run", keys: "c", run: () => noCancel ?? setCanceling(true) },
    { label: `${isPaused ? "Resume" : "Pause"} workflow run`, keys: "p", run: () => noCancel ?? pause() },
    { label: "Retry failed steps", keys: "r", run: () => noRetry ?? retry() },
  ]);
  return (
    <>
      <Button icon={isPaused ? <Play size={14} /> : <Pause size={14} />} disabledReason={noCancel} onClick={pause}>
        {isPaused ? "Resume" : "Pause"}
      </Button>
      <Button icon={<Ban size={14} />} disabledReason={noCancel} onClick={() => setCanceling(true)}>
        Cancel
      </Button>
      {hasFailed && (
        <Button kind="primary" icon={<RotateCcw size={14} />} disabledReason={noRetry} onClick={retry}>
          Retry failed steps
        </Button>
      )}
      <MoreMenu id={run.id} path={path} />
      <ConfirmDialog
        open={isCanceling}
        danger
        onClose={() => setCanceling(false)}
        title="Cancel this workflow run?"
        action="Cancel run"
        onConfirm={() => act.mutateAsync({ verb: "cancel", done: "Workflow run canceled" })}
      >
        <p>
          Cancels active steps and the runs they started. Completed steps that define a compensation are compensated
          before the run ends.
        </p>
      </ConfirmDialog>
    </>
  );
}

function MoreMenu({ id, path }: { id: string; path: string }) {
  const { project } = usePlace();
  const [, change] = useSearchParams();
  const exportCapsule = async () => {
    try {
      const capsule = await call<unknown>("GET", `${path}/capsule`, { project });
      downloadText(`workflow-run-${id}.json`, JSON.stringify(capsule, null, 2), "application/json");
    } catch (error) {
      const { title, detail } = asProblem(error);
      toast({ tone: "bad", title, detail });
    }
  };
  const items: MenuItem[] = [
    {
      label: "Payload and details",
      icon: <FileText size={14} />,
      onSelect: () => change({ panel: "run", step: undefined }, { replace: true }),
    },
    {
      label: "Copy link",
      icon: <Link2 size={14} />,
      onSelect: () => void copyText(location.href).then((ok) => ok && toast({ title: "Link copied" })),
    },
    { label: "Download as capsule", icon: <Download size={14} />, onSelect: () => void exportCapsule() },
  ];
  return (
    <Menu label="More" align="end" items={items} trigger={<IconButton label="More" icon={<Ellipsis size={16} />} />} />
  );
}
