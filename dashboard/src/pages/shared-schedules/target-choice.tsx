import { FormField } from "../../parts/form/form-field.tsx";
import { useWorkflows } from "../shared-workflows/use-workflows.ts";
import { useJobs } from "../use-jobs.ts";
import type { Target } from "./target.ts";

type Props = { label?: string; target: Target | undefined; onChange: (target: Target | undefined) => void };

/** Chooses the job or workflow that is started. */
export function TargetChoice({ label = "Target", target, onChange }: Props) {
  const [jobs, workflows] = [[...(useJobs()?.values() ?? [])], [...(useWorkflows()?.values() ?? [])]];
  const targets: Target[] = [
    ...jobs.map(({ id, name }): Target => ({ kind: "job", id, name })),
    ...workflows.map(({ id, name }): Target => ({ kind: "workflow", id, name })),
  ];
  const options = (kind: Target["kind"]) =>
    targets
      .filter((each) => each.kind === kind)
      .map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ));
  return (
    <FormField label={label}>
      {(ids) => (
        <select
          {...ids}
          className="field"
          required
          value={target?.id ?? ""}
          onChange={(event) => onChange(targets.find(({ id }) => id === event.target.value))}
        >
          <option value="">Choose a job or a workflow</option>
          <optgroup label="Jobs">{options("job")}</optgroup>
          <optgroup label="Workflows">{options("workflow")}</optgroup>
        </select>
      )}
    </FormField>
  );
}
