import type { WorkflowPlan, WorkflowSimulation } from "@millrace/contract/workflows/workflow-versions";
import type { Workflow } from "@millrace/contract/workflows/workflows";
import { useState } from "react";
import { asProblem } from "../../../api/problem.ts";
import { useChange } from "../../../api/use-api.ts";
import { Diff } from "../../../parts/code/diff.tsx";
import { JsonEditor, printJson, readJson } from "../../../parts/code/json-editor.tsx";
import { Button } from "../../../parts/form/button.tsx";
import { useSubmit } from "../../../parts/form/use-submit.ts";
import { ErrorState } from "../../../parts/state/error-state.tsx";
import { SkeletonLines } from "../../../parts/state/skeleton.tsx";
import { Tabs } from "../../../parts/tabs.tsx";
import { sampleOf } from "../../shared-runs/check-schema.ts";
import { PlanView } from "../plan-view.tsx";
import { SimulationView } from "../simulation-view.tsx";
import { type Definition, type DraftLanguage, printDefinition } from "./draft.ts";

type Props = {
  workflow: Workflow;
  current: Definition;
  definition: Definition;
  language: DraftLanguage;
  plan: { data: WorkflowPlan | undefined; error: unknown };
};

/** What the draft would do: its plan, a simulation, and the differences to the current version. */
export function Checks({ workflow, current, definition, language, plan }: Props) {
  const [shown, setShown] = useState("plan");
  const tabs = [
    { id: "plan", label: "Plan", content: <PlanOf plan={plan} /> },
    { id: "simulate", label: "Simulate", content: <Simulate workflow={workflow} definition={definition} /> },
    {
      id: "diff",
      label: "Changes",
      content: (
        <Diff
          before={printDefinition(current, language)}
          after={printDefinition(definition, language)}
          labels={[`Version ${workflow.current_version}`, "Draft"]}
        />
      ),
    },
  ];
  return <Tabs label="Checks" tabs={tabs} value={shown} onChange={setShown} />;
}

function PlanOf({ plan: { data, error } }: Pick<Props, "plan">) {
  // The editor underlines invalid fields.
  if (error && asProblem(error).errors.length === 0) return <ErrorState error={error} as="banner" />;
  if (error) return <p className="text-failed-ink">The definition has errors, which are marked in the text.</p>;
  return data ? <PlanView plan={data} /> : <SkeletonLines lines={4} />;
}

/** Predicts a run of the draft with a payload. */
function Simulate({ workflow, definition }: { workflow: Workflow; definition: Definition }) {
  const schema = definition.payload_schema ?? workflow.payload_schema;
  const [payload, setPayload] = useState(() => printJson(schema ? sampleOf(schema) : {}));
  const [outcomes, setOutcomes] = useState("{}");
  const [first, second] = [readJson(payload), readJson(outcomes)];
  const simulate = useChange<object, WorkflowSimulation>({
    run: (body, send) => send("POST", `/v1/workflows/${workflow.id}/simulate`, body),
  });
  const { error, isBusy, send } = useSubmit((body: object) => simulate.mutateAsync(body));
  const run = () =>
    first.ok && second.ok && void send({ steps: definition.steps, payload: first.value, outcomes: second.value });
  return (
    <div className="grid items-start gap-6 lg:grid-cols-[minmax(280px,1fr)_2fr]">
      <div className="flex min-w-0 flex-col gap-3">
        <JsonEditor label="Sample payload" rows={4} value={payload} onChange={setPayload} />
        <JsonEditor label="Step outcomes" rows={2} value={outcomes} onChange={setOutcomes} />
        <p className="text-ink-3 text-xs">
          Example: <code className="font-mono">{`{"${definition.steps[0]?.step_ref}": {"status": "failed"}}`}</code>.
          All other steps are assumed to complete.
        </p>
        <div>
          <Button
            kind="primary"
            busy={isBusy}
            disabledReason={first.ok && second.ok ? undefined : "Not valid JSON."}
            onClick={run}
          >
            Simulate draft
          </Button>
        </div>
      </div>
      <div className="min-w-0">
        {error !== undefined && <ErrorState error={error} as="banner" />}
        {simulate.data && error === undefined && <SimulationView simulation={simulate.data} />}
        {!simulate.data && error === undefined && (
          <p className="text-ink-2">Predicts which branches a run of the draft takes, without starting it.</p>
        )}
      </div>
    </div>
  );
}
