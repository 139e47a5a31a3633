import type { Workflow } from "@millrace/contract/workflows/workflows";
import { useCallback, useMemo } from "react";
import { Json } from "../../parts/code/json.tsx";
import { Dag } from "../../parts/dag/dag.tsx";
import { Facts, Section } from "../../parts/facts.tsx";
import { useSearchParams } from "../../shell/place/place.ts";
import { definitionGraph } from "../shared-workflows/definition-graph.ts";
import { effectOf, kindOf } from "../shared-workflows/step-kinds.ts";
import { useWorkflows } from "../shared-workflows/use-workflows.ts";
import { useJobs } from "../use-jobs.ts";

/** Names of jobs and workflows by id. */
export function useNames(): (id: string) => string | undefined {
  const [jobs, workflows] = [useJobs(), useWorkflows()];
  return useCallback((id) => jobs?.get(id)?.name ?? workflows?.get(id)?.name, [jobs, workflows]);
}

/** The defined steps. Hovering a step highlights its ancestors and descendants. */
export function GraphTab({ workflow }: { workflow: Workflow }) {
  const [{ step }, change] = useSearchParams();
  const nameOf = useNames();
  const { nodes, edges } = useMemo(() => definitionGraph(workflow.steps, nameOf), [workflow.steps, nameOf]);
  const chosen = workflow.steps.find(({ step_ref }) => step_ref === step);
  const select = (id: string) => change({ step: id === step ? undefined : id }, { replace: true });
  return (
    <div className="flex flex-col gap-4 lg:flex-row">
      <div className="min-w-0 flex-1">
        <Dag label="Steps" nodes={nodes} edges={edges} height="min(560px, 64vh)" selected={step} onSelect={select} />
      </div>
      {chosen && (
        <aside aria-label="Step" className="card flex w-full flex-none flex-col gap-4 p-4 lg:w-96">
          <h2 className="font-semibold text-base">{chosen.step_ref}</h2>
          <Facts
            facts={[
              ["Type", kindOf(chosen.type).label],
              ["Job", chosen.job_id && (nameOf(chosen.job_id) ?? chosen.job_id)],
              ["Workflow", chosen.workflow_id && (nameOf(chosen.workflow_id) ?? chosen.workflow_id)],
              ["Depends on", chosen.depends_on.join(", ")],
              ["On failure", effectOf(chosen.on_failure)],
              ["Condition", chosen.condition && <code className="font-mono text-xs">{chosen.condition}</code>],
              ["Timeout", chosen.timeout_secs && `${chosen.timeout_secs} s`],
            ]}
          />
          <Section title="Definition">
            <Json value={chosen} />
          </Section>
        </aside>
      )}
    </div>
  );
}
