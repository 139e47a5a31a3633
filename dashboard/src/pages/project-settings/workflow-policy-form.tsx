import type { Project } from "@millrace/contract/projects/projects";
import { STEP_TYPES } from "@millrace/contract/workflows/step-runs";
import type {
  ChangedWorkflowPolicy,
  PutWorkflowPolicy,
  WorkflowPolicy,
} from "@millrace/contract/workflows/workflow-policies";
import { useState } from "react";
import { useDisabledReason } from "../../api/me.ts";
import { useApi, useChange } from "../../api/use-api.ts";
import { Button } from "../../parts/form/button.tsx";
import { TextField } from "../../parts/form/text-field.tsx";
import { useSubmit } from "../../parts/form/use-submit.ts";
import { plural } from "../../parts/format.ts";
import { Link } from "../../parts/link.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";
import { usePlace } from "../../shell/place/place.ts";
import { CheckField } from "../shared-forms/check-field.tsx";
import { kindOf } from "../shared-workflows/step-kinds.ts";

/** Restrictions on the project's workflows, with a preview of those that would violate them. */
export function WorkflowPolicyForm({ project }: { project: Project }) {
  const path = `/v1/workflow-policies/${project.id}`;
  const { data, error, refetch } = useApi<WorkflowPolicy>(path);
  if (!data) return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <SkeletonLines lines={5} />;
  return <Form key={data.updated_at} policy={data} path={path} />;
}

const BOUNDS = [
  { field: "max_steps", label: "Max. steps" },
  { field: "max_depth", label: "Max. depth" },
  { field: "max_fan_out", label: "Max. fan-out" },
] as const;

function Form({ policy, path }: { policy: WorkflowPolicy; path: string }) {
  const [form, setForm] = useState<PutWorkflowPolicy>(() => settableOf(policy));
  const noWrite = useDisabledReason("workflows:write");
  const put = useChange<PutWorkflowPolicy, ChangedWorkflowPolicy>({
    run: (body, send) => send("PUT", path, body),
    done: "Workflow policy saved",
    invalidates: ["/v1/workflow-policies"],
  });
  const preview = useChange<PutWorkflowPolicy, ChangedWorkflowPolicy>({
    run: (body, send) => send("PUT", path, body, { dry_run: true }),
  });
  const { error, isBusy, send } = useSubmit(() => put.mutateAsync(form));
  const set = (change: Partial<PutWorkflowPolicy>) => {
    preview.reset();
    setForm((before) => ({ ...before, ...change }));
  };
  const forbidden = form.forbidden_step_types ?? [];
  return (
    <div className="flex max-w-2xl flex-col gap-4">
      <p className="text-ink-2">Checked whenever the steps of a workflow are saved. Empty: no limit.</p>
      <div className="grid gap-4 sm:grid-cols-3">
        {BOUNDS.map(({ field, label }) => (
          <TextField
            key={field}
            label={label}
            type="number"
            min={1}
            max={1_000_000}
            value={form[field] ?? ""}
            onChange={(value) => set({ [field]: value === "" ? null : Number(value) })}
          />
        ))}
      </div>
      <fieldset className="flex flex-col gap-1.5">
        <legend className="mb-1.5 font-medium text-xs">Forbidden step types</legend>
        {STEP_TYPES.map((type) => (
          <CheckField
            key={type}
            label={kindOf(type).label}
            checked={forbidden.includes(type)}
            onChange={(is) =>
              set({ forbidden_step_types: is ? [...forbidden, type] : forbidden.filter((each) => each !== type) })
            }
          />
        ))}
      </fieldset>
      <CheckField
        label="Require approval to deploy"
        hint="A changed version becomes current only when someone other than its author activates it."
        checked={form.require_approval_for_deploy ?? false}
        onChange={(require_approval_for_deploy) => set({ require_approval_for_deploy })}
      />
      {error !== undefined && <ErrorState error={error} as="banner" />}
      {preview.data?.preview && <Violating preview={preview.data.preview} />}
      <div className="flex gap-2">
        <Button busy={preview.isPending} disabledReason={noWrite} onClick={() => preview.mutate(form)}>
          Preview violations
        </Button>
        <Button kind="primary" busy={isBusy} disabledReason={noWrite} onClick={() => void send()}>
          Save policy
        </Button>
      </div>
    </div>
  );
}

function Violating({ preview }: { preview: NonNullable<ChangedWorkflowPolicy["preview"]> }) {
  const { at } = usePlace();
  const { checked_count, violating_count, violating } = preview;
  return (
    <section aria-label="Violations" className="card flex flex-col gap-2 p-3">
      <p>
        {violating_count === 0
          ? `None of ${plural(checked_count, "workflow")} would violate the policy.`
          : `${violating_count} of ${plural(checked_count, "workflow")} would violate the policy.`}
      </p>
      <ul className="flex flex-col gap-1 text-xs">
        {violating.map(({ workflow_id, slug, violations }) => (
          <li key={workflow_id}>
            <Link href={at(`workflows/${workflow_id}`)} className="font-mono text-accent hover:underline">
              {slug}
            </Link>{" "}
            {violations.map(({ message }) => message).join("; ")}
          </li>
        ))}
      </ul>
    </section>
  );
}

function settableOf(policy: WorkflowPolicy): PutWorkflowPolicy {
  const { max_fan_out, max_depth, max_steps, forbidden_step_types, require_approval_for_deploy } = policy;
  return { max_fan_out, max_depth, max_steps, forbidden_step_types, require_approval_for_deploy };
}
