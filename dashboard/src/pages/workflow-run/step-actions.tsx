import { Redo2, RotateCcw, SkipForward } from "lucide-react";
import { useState } from "react";
import { useRefusal } from "../../api/me.ts";
import { Button } from "../../parts/button.tsx";
import type { Verb } from "./choose-resets.ts";
import { ResetDialog } from "./reset-dialog.tsx";
import { type GraphNode, hasEnded, type WorkflowRunView } from "./use-workflow-run.ts";

/** Retry, replay from here, or skip. */
export function StepActions({ view, node }: { view: WorkflowRunView; node: GraphNode }) {
  const [asked, setAsked] = useState<Verb>();
  const noScope = useRefusal("workflows:write");
  const held = noScope ?? (view.run.phase ? "The run is compensating its steps." : undefined);
  const isOpen = node.status === "running" || node.status === "waiting";
  const noRetry = held ?? (node.status === "pending" || isOpen ? "The step has not finished." : undefined);
  const noReplay = held ?? (node.status === "pending" ? "The step has not started." : undefined);
  const noSkip = held ?? skipRefusal(view, node);
  return (
    <div className="flex flex-wrap gap-2">
      <Button
        size="small"
        kind={node.status === "failed" ? "primary" : "default"}
        icon={<RotateCcw size={13} />}
        refusal={noRetry}
        onClick={() => setAsked("retry")}
      >
        Retry step
      </Button>
      <Button size="small" icon={<Redo2 size={13} />} refusal={noReplay} onClick={() => setAsked("replay-subtree")}>
        Replay from here
      </Button>
      <Button size="small" icon={<SkipForward size={13} />} refusal={noSkip} onClick={() => setAsked("skip")}>
        Skip step
      </Button>
      {asked && <ResetDialog view={view} node={node} verb={asked} onClose={() => setAsked(undefined)} />}
    </div>
  );
}

function skipRefusal({ run }: WorkflowRunView, { status }: GraphNode): string | undefined {
  if (status === "completed") return "The step is already completed.";
  if (status === "skipped") return "The step is already skipped.";
  return hasEnded(run) && status === "pending" ? "The run has already finished." : undefined;
}
