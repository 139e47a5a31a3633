import { Actor } from "../../parts/actor.tsx";

type Started = { trigger_type: string; created_by: string; created_by_id: string | null };

/** How it was started, and by whom. A workflow run or a schedule is linked beside it, and not named by its id here. */
export function StartedBy({ run: { trigger_type, created_by, created_by_id } }: { run: Started }) {
  if (created_by.startsWith("workflow_run:") || created_by.startsWith("schedule:")) return trigger_type;
  return (
    <span className="inline-flex min-w-0 items-baseline gap-1">
      {trigger_type} by <Actor name={created_by} id={created_by_id} />
    </span>
  );
}
