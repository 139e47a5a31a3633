import { Clock, Hourglass, type LucideIcon, Repeat2, Stamp, Workflow, Zap } from "lucide-react";

type Kind = { label: string; Icon: LucideIcon };

const KINDS: Record<string, Kind> = {
  job: { label: "Job", Icon: Zap },
  wait_for_event: { label: "Event", Icon: Hourglass },
  sleep: { label: "Sleep", Icon: Clock },
  approval: { label: "Approval", Icon: Stamp },
  map: { label: "Map", Icon: Repeat2 },
  sub_workflow: { label: "Workflow", Icon: Workflow },
};

/** Label and icon of a step type. Unknown types of later versions keep their own name. */
export function kindOf(type: string): Kind {
  return KINDS[type] ?? { label: type, Icon: Zap };
}

const EFFECTS: Record<string, string> = {
  fail_workflow: "the run fails",
  skip_dependents: "dependent steps are skipped while other steps continue",
  continue: "dependent steps start anyway",
};

/** The effect of a failed step on the run. */
export function effectOf(on_failure: string): string {
  return EFFECTS[on_failure] ?? on_failure;
}
