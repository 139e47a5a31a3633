import type { Canary, CreateCanary } from "@millrace/contract/workflows/canaries";
import type { Workflow, WorkflowVersion } from "@millrace/contract/workflows/workflows";
import { useId, useState } from "react";
import { useDisabledReason } from "../../../api/me.ts";
import { type Page, useApi, useChange } from "../../../api/use-api.ts";
import { CodeBlock } from "../../../parts/code/code-block.tsx";
import { Button } from "../../../parts/form/button.tsx";
import { type Choice, ChoiceField } from "../../../parts/form/choice-field.tsx";
import { TextField } from "../../../parts/form/text-field.tsx";
import { EmptyState } from "../../../parts/state/empty-state.tsx";
import { codeOf } from "../../code-of.ts";

/** Starts a canary of any version but the current one. */
export function StartCanary({ workflow }: { workflow: Workflow }) {
  const path = `/v1/workflows/${workflow.id}`;
  const { data } = useApi<Page<WorkflowVersion>>(`${path}/versions`, { limit: 100, order: "desc" });
  const others = data?.data.filter(({ version }) => version !== workflow.current_version) ?? [];
  const [target, setTarget] = useState<number>();
  const [share, setShare] = useState(10);
  const [isAuto, setAuto] = useState(false);
  const auto = useId();
  const noWrite = useDisabledReason("workflows:write");
  const begin = useChange<CreateCanary, Canary>({
    run: (body, send) => send("POST", `${path}/canary`, body),
    done: ({ traffic_pct, target_version }) => `${traffic_pct}% of new runs use version ${target_version}`,
    invalidates: ["/v1/workflows"],
  });
  const chosen = target ?? others[0]?.version;
  if (data && chosen === undefined) return <OneVersion workflow={workflow} />;
  const body: CreateCanary = {
    target_version: chosen ?? 1,
    traffic_pct: share,
    ...(isAuto && { auto_promote_config: {} }),
  };
  return (
    <section aria-label="Start canary" className="card flex max-w-xl flex-col gap-4 p-4">
      <h3 className="font-semibold text-base">Try a version on a share of new runs</h3>
      <div className="grid gap-4 sm:grid-cols-2">
        <ChoiceField
          label="Canary version"
          choices={others.map(({ version }): Choice => [String(version), `Version ${version}`])}
          value={String(chosen ?? "")}
          onChange={(version) => setTarget(Number(version))}
        />
        <TextField
          label="Share of new runs (%)"
          type="number"
          min={0}
          max={100}
          value={share}
          onChange={(given) => setShare(Number(given))}
        />
      </div>
      <label htmlFor={auto} className="flex items-center gap-2">
        <input
          id={auto}
          type="checkbox"
          className="size-4"
          checked={isAuto}
          onChange={(event) => setAuto(event.target.checked)}
        />
        Promote automatically (10, 25, 50, 100%) and roll back if the failure rate rises
      </label>
      <div>
        <Button
          kind="primary"
          busy={begin.isPending}
          disabledReason={noWrite ?? (chosen === undefined ? "Still loading versions." : undefined)}
          onClick={() => begin.mutate(body)}
        >
          Start canary
        </Button>
      </div>
    </section>
  );
}

function OneVersion({ workflow }: { workflow: Workflow }) {
  const { curl } = codeOf({
    method: "PATCH",
    path: `/v1/workflows/${workflow.slug}`,
    body: { steps: workflow.steps.slice(0, 1), activate: false },
  });
  return (
    <EmptyState small title="Only one version" code={<CodeBlock title="Save a second version" code={curl} />}>
      Edit the steps in the Editor tab, and save them with "Make this the current version" off. Then try the new version
      here on a share of runs.
    </EmptyState>
  );
}
