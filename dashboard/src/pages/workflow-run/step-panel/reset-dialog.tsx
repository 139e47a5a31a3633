import { useMemo } from "react";
import { useChange } from "../../../api/use-api.ts";
import { plural } from "../../../parts/format.ts";
import { ConfirmDialog } from "../../../parts/overlay/confirm-dialog.tsx";
import { StatusMark } from "../../../parts/state/status-mark.tsx";
import { shownStatus } from "../run-graph.ts";
import type { GraphNode, WorkflowRunView } from "../use-workflow-run.ts";
import { chooseResets, type Verb } from "./choose-resets.ts";

type Props = { view: WorkflowRunView; node: GraphNode; verb: Verb; onClose: () => void };

const WORDS: Record<Verb, { title: string; action: string; done: string }> = {
  retry: { title: "Retry", action: "Retry step", done: "Step restarted" },
  "replay-subtree": { title: "Replay from", action: "Replay steps", done: "Steps restarted" },
  skip: { title: "Skip", action: "Skip step", done: "Step skipped" },
};

/** Previews which steps run again and which do not change. */
export function ResetDialog({ view, node, verb, onClose }: Props) {
  const words = WORDS[verb];
  const { reset, unchanged } = useMemo(() => chooseResets(view, node.step_ref, verb), [view, node.step_ref, verb]);
  const stopped = reset.filter(({ status }) => status === "running" || status === "waiting");
  const path = `/v1/workflow-runs/${view.run.id}/steps/${encodeURIComponent(node.step_ref)}/${verb}`;
  const act = useChange({
    run: (_, send) => send("POST", path, verb === "skip" ? {} : undefined),
    done: words.done,
    invalidates: ["/v1/workflow-runs", "/v1/events"],
  });
  const restarted = verb === "skip" ? reset.filter(({ step_ref }) => step_ref !== node.step_ref) : reset;
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`${words.title} ${node.step_ref}?`}
      action={verb === "replay-subtree" ? `Replay ${plural(reset.length, "step")}` : words.action}
      onConfirm={() => act.mutateAsync()}
    >
      {verb === "skip" && <p>Dependent steps treat it as completed. Its output is null.</p>}
      {restarted.length > 0 && <StepList title="Steps to run again" nodes={restarted} />}
      {stopped.length > 0 && <p>{plural(stopped.length, "active step is", "active steps are")} canceled first.</p>}
      {unchanged.length > 0 && verb !== "skip" && <StepList title="Unchanged steps" nodes={unchanged} isQuiet />}
    </ConfirmDialog>
  );
}

const MAX = 60;

function StepList({ title, nodes, isQuiet }: { title: string; nodes: GraphNode[]; isQuiet?: boolean }) {
  return (
    <section aria-label={title} className="flex flex-col gap-1">
      <h3 className="font-medium text-ink text-xs">
        {title} <span className="font-normal text-ink-3">{nodes.length}</span>
      </h3>
      <ul className={`flex flex-wrap gap-x-3 gap-y-1 ${isQuiet ? "text-ink-3" : "text-ink"}`}>
        {nodes.slice(0, MAX).map((node) => (
          <li key={node.step_ref} className="flex items-center gap-1">
            <StatusMark status={shownStatus(node)} as="mark" />
            {node.step_ref}
          </li>
        ))}
        {nodes.length > MAX && <li>and {nodes.length - MAX} more</li>}
      </ul>
    </section>
  );
}
