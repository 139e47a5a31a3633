import { Actor } from "../../parts/actor.tsx";

type Started = { trigger_type: string; created_by: string; created_by_id: string | null };

/** Trigger and creator. A workflow run or a schedule has its own link, so its id is not repeated here. */
export function StartedBy({ run: { trigger_type, created_by, created_by_id } }: { run: Started }) {
  if (created_by.startsWith("workflow_run:") || created_by.startsWith("schedule:")) return trigger_type;
  return (
    <span className="inline-flex min-w-0 items-baseline gap-1">
      {trigger_type} by <Actor name={created_by} id={created_by_id} />
    </span>
  );
}
