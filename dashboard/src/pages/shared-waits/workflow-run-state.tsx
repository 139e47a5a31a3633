import type { EventTrigger } from "@millrace/contract/events/events";
import type { WorkflowRun } from "@millrace/contract/workflows/workflow-runs";
import { useSettings } from "../../parts/settings.ts";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import { waitWords } from "./wait-words.ts";

type Props = { run: WorkflowRun; wait: EventTrigger | undefined; as?: "text" | "badge" };

/** The status of a workflow run; while it runs, what one of its steps waits for. */
export function WorkflowRunState({ run: { status, phase }, wait, as = "text" }: Props) {
  const { zone } = useSettings();
  if (phase) return <StatusMark status={status} label="Compensating" as={as} />;
  if (status !== "running" || !wait) return <StatusMark status={status} as={as} />;
  return (
    <StatusMark status={wait.wait_kind === "sleep" ? "sleeping" : "waiting"} label={waitWords(wait, zone)} as={as} />
  );
}
