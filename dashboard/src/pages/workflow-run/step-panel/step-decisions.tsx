import type { WorkflowDecision } from "@millrace/contract/workflows/workflow-graph";
import { type Page, useApi } from "../../../api/use-api.ts";
import { Actor } from "../../../parts/actor.tsx";
import { Section } from "../../../parts/facts.tsx";
import { Time } from "../../../parts/time.tsx";
import { useSearchParams } from "../../../shell/place/place.ts";

const SHOWN = 5;

/** Latest decisions about a step. The decision log has all of them. */
export function StepDecisions({ runId, stepRef }: { runId: string; stepRef: string }) {
  const [, change] = useSearchParams();
  const { data } = useApi<Page<WorkflowDecision>>(`/v1/workflow-runs/${runId}/explain`, {
    step_ref: stepRef,
    limit: SHOWN,
    order: "desc",
  });
  if (!data || data.data.length === 0) return null;
  return (
    <Section
      title="Decisions"
      actions={
        <button
          type="button"
          className="text-accent text-xs hover:underline"
          onClick={() => change({ explain: "on", about: stepRef }, { replace: true })}
        >
          All decisions
        </button>
      }
    >
      <ol className="flex flex-col gap-1.5">
        {data.data.map(({ ordinal, decision_type, reason, decided_by, decided_by_id, created_at }) => (
          <li key={ordinal} className="flex items-baseline gap-2">
            <span className="w-20 flex-none text-ink-3 text-xs">{decision_type}</span>
            <span className="min-w-0 flex-1 text-ink-2">
              {reason} {decided_by_id && <Actor name={decided_by ?? ""} id={decided_by_id} />}
            </span>
            <Time at={created_at} className="text-ink-3 text-xs" />
          </li>
        ))}
      </ol>
    </Section>
  );
}
