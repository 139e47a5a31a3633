import { ALERT_KIND_RULES } from "@millrace/contract/alerts/alert-kinds";
import type { Queue } from "@millrace/contract/workers/queues";
import { useMay } from "../../../api/me.ts";
import { useApiList } from "../../../api/use-api.ts";
import { type Choice, ChoiceField } from "../../../parts/form/choice-field.tsx";
import { TextField } from "../../../parts/form/text-field.tsx";
import { useEnvironments } from "../../../shell/place/use-places.ts";
import { useWorkflows } from "../../shared-workflows/use-workflows.ts";
import { useJobs } from "../../use-jobs.ts";
import type { RuleDraft, RuleTarget } from "./rule-draft.ts";

type Props = { draft: RuleDraft; onChange: (fields: Partial<RuleDraft>) => void };

const TARGETS: [RuleTarget, string][] = [
  ["project", "The whole project"],
  ["job_id", "A job"],
  ["workflow_id", "A workflow"],
  ["queue", "A queue"],
  ["tag", "Jobs with a tag"],
];

/** What the rule is limited to: only what its kind can measure is offered. */
export function TargetFields({ draft, onChange }: Props) {
  const { targets } = ALERT_KIND_RULES[draft.kind];
  const environments = useEnvironments();
  if (targets.length === 0) return null;
  const offered = TARGETS.filter(([id]) => id === "project" || targets.includes(id));
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <ChoiceField
        label="Applies to"
        choices={offered}
        value={draft.target}
        onChange={(target) => onChange({ target: target as RuleTarget, of: "" })}
      />
      {draft.target !== "project" && <TargetOf draft={draft} onChange={onChange} />}
      {targets.includes("environment_id") && (
        <ChoiceField
          label="Environment"
          choices={[["", "All environments"], ...environments.map(({ id, name }): Choice => [id, name])]}
          value={draft.environment_id}
          onChange={(environment_id) => onChange({ environment_id })}
        />
      )}
    </div>
  );
}

function TargetOf({ draft: { target, of }, onChange }: Props) {
  const jobs = useJobs();
  const workflows = useWorkflows();
  const queues = useApiList<Queue>("/v1/queues", { limit: 100 }, useMay("jobs:read") && target === "queue");
  const set = (value: string) => onChange({ of: value });
  if (target === "tag")
    return (
      <TextField
        label="Tag"
        hint="key or key:value"
        required
        mono
        autoComplete="off"
        maxLength={500}
        value={of}
        onChange={set}
      />
    );
  const named = (rows: Iterable<{ id: string; name: string }> = []) =>
    [...rows].map(({ id, name }): Choice => [id, name]);
  if (target === "queue")
    return <Named label="Queue" choices={(queues.rows ?? []).map(({ name }) => [name, name])} value={of} onSet={set} />;
  return target === "job_id" ? (
    <Named label="Job" choices={named(jobs?.values())} value={of} onSet={set} />
  ) : (
    <Named label="Workflow" choices={named(workflows?.values())} value={of} onSet={set} />
  );
}

type NamedProps = { label: string; choices: Choice[]; value: string; onSet: (value: string) => void };

/** A target that cannot be listed, because it was deleted or is not readable, is shown by its id. */
function Named({ label, choices, value, onSet }: NamedProps) {
  const isListed = value === "" || choices.some(([id]) => id === value);
  return (
    <ChoiceField
      label={label}
      choices={[["", "Select one"], ...choices, ...(isListed ? [] : [[value, value] as const])]}
      value={value}
      onChange={onSet}
    />
  );
}
