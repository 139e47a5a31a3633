import type { WorkflowPlan, WorkflowSimulation } from "@millrace/contract/workflows/workflow-versions";
import type { Workflow } from "@millrace/contract/workflows/workflows";
import { useEffect, useState } from "react";
import { useChange } from "../../api/use-api.ts";
import { JsonEditor, readJson } from "../../parts/code/json-editor.tsx";
import { Button } from "../../parts/form/button.tsx";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";
import { PlanView } from "./plan-view.tsx";
import { SimulationView } from "./simulation-view.tsx";

/** Plans the step order with overrides, and simulates a run. Nothing is changed. */
export function PlanTab({ workflow }: { workflow: Workflow }) {
  return (
    <div className="flex flex-col gap-8">
      <Plan workflow={workflow} />
      <Simulate workflow={workflow} />
    </div>
  );
}

const OVERRIDES = "[]";

function Plan({ workflow }: { workflow: Workflow }) {
  const [text, setText] = useState(OVERRIDES);
  const plan = useChange<unknown, WorkflowPlan>({
    run: (step_overrides, send) => send("POST", `/v1/workflows/${workflow.id}/plan`, { step_overrides }),
  });
  const { mutate } = plan;
  useEffect(() => mutate([]), [mutate]);
  const read = readJson(text);
  return (
    <section aria-label="Plan" className="flex flex-col gap-4">
      <h2 className="font-semibold text-base">Plan</h2>
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(280px,1fr)_2fr]">
        <div className="flex flex-col gap-3">
          <JsonEditor label="Step overrides" value={text} onChange={setText} rows={8} />
          <p className="text-ink-3 text-xs">
            Example:{" "}
            <code className="font-mono">{`[{"step_ref": "${workflow.steps.at(-1)?.step_ref}", "depends_on": []}]`}</code>
          </p>
          <div>
            <Button
              kind="primary"
              busy={plan.isPending}
              disabledReason={read.ok ? undefined : "Not valid JSON."}
              onClick={() => read.ok && mutate(read.value)}
            >
              Plan
            </Button>
          </div>
        </div>
        {plan.data ? <PlanView plan={plan.data} /> : <SkeletonLines lines={5} />}
      </div>
    </section>
  );
}

function Simulate({ workflow }: { workflow: Workflow }) {
  const [payload, setPayload] = useState("{}");
  const [outcomes, setOutcomes] = useState("{}");
  const simulate = useChange<{ payload: unknown; outcomes: unknown }, WorkflowSimulation>({
    run: (body, send) => send("POST", `/v1/workflows/${workflow.id}/simulate`, body),
  });
  const [first, second] = [readJson(payload), readJson(outcomes)];
  const run = () => first.ok && second.ok && simulate.mutate({ payload: first.value, outcomes: second.value });
  return (
    <section aria-label="Simulate" className="flex flex-col gap-4">
      <h2 className="font-semibold text-base">Simulate</h2>
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(280px,1fr)_2fr]">
        <div className="flex flex-col gap-3">
          <JsonEditor label="Payload" value={payload} onChange={setPayload} rows={5} />
          <JsonEditor label="Step outcomes" value={outcomes} onChange={setOutcomes} rows={4} />
          <p className="text-ink-3 text-xs">
            Example: <code className="font-mono">{`{"${workflow.steps[0]?.step_ref}": {"status": "failed"}}`}</code>.
            All other steps are assumed to complete.
          </p>
          <div>
            <Button
              kind="primary"
              busy={simulate.isPending}
              disabledReason={first.ok && second.ok ? undefined : "Not valid JSON."}
              onClick={run}
            >
              Simulate
            </Button>
          </div>
        </div>
        {simulate.data ? (
          <SimulationView simulation={simulate.data} />
        ) : (
          <p className="text-ink-2">Predicts which branches a run takes, and in which order, without starting it.</p>
        )}
      </div>
    </section>
  );
}
