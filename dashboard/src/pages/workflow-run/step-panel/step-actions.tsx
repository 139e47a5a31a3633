import { Redo2, RotateCcw, SkipForward } from "lucide-react";
import { useState } from "react";
import { useDisabledReason } from "../../../api/me.ts";
import { Button } from "../../../parts/form/button.tsx";
import { type GraphNode, hasEnded, type WorkflowRunView } from "../use-workflow-run.ts";
import type { Verb } from "./choose-resets.ts";
import { ResetDialog } from "./reset-dialog.tsx";

/** Retry, replay from here, or skip. */
export function StepActions({ view, node }: { view: WorkflowRunView; node: GraphNode }) {
  const [pendingVerb, setPendingVerb] = useState<Verb>();
  const noScope = useDisabledReason("workflows:write");
  const blockedReason = noScope ?? (view.run.phase ? "The run is compensating its steps." : undefined);
  const isOpen = node.status === "running" || node.status === "waiting";
  const noRetry = blockedReason ?? (node.status === "pending" || isOpen ? "The step has not finished." : undefined);
  const noReplay = blockedReason ?? (node.status === "pending" ? "The step has not started." : undefined);
  const noSkip = blockedReason ?? skipDisabledReason(view, node);
  return (
    <div className="flex flex-wrap gap-2">
      <Button
        size="small"
        kind={node.status === "failed" ? "primary" : "default"}
        icon={<RotateCcw size={13} />}
        disabledReason={noRetry}
        onClick={() => setPendingVerb("retry")}
      >
        Retry step
      </Button>
      <Button
        size="small"
        icon={<Redo2 size={13} />}
        disabledReason={noReplay}
        onClick={() => setPendingVerb("replay-subtree")}
      >
        Replay from here
      </Button>
      <Button
        size="small"
        icon={<SkipForward size={13} />}
        disabledReason={noSkip}
        onClick={() => setPendingVerb("skip")}
      >
        Skip step
      </Button>
      {pendingVerb && (
        <ResetDialog view={view} node={node} verb={pendingVerb} onClose={() => setPendingVerb(undefined)} />
      )}
    </div>
  );
}

function skipDisabledReason({ run }: WorkflowRunView, { status }: GraphNode): string | undefined {
  if (status === "completed") return "The step is already completed.";
  if (status === "skipped") return "The step is already skipped.";
  return hasEnded(run) && status === "pending" ? "The run has already finished." : undefined;
}
