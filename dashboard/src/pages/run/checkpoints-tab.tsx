import type { RunCheckpoint } from "@millrace/contract/run-records";
import type { Run } from "@millrace/contract/runs";
import { useState } from "react";
import { CodeBlock } from "../../parts/code-block.tsx";
import { Diff } from "../../parts/diff.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { FormField } from "../../parts/form-field.tsx";
import { formatInstant } from "../../parts/format.ts";
import { Json } from "../../parts/json.tsx";
import { useSettings } from "../../parts/settings.ts";
import { Records } from "./records.tsx";

export function CheckpointsTab({ run }: { run: Run }) {
  return (
    <Records<RunCheckpoint>
      path={`/v1/runs/${run.id}/checkpoints`}
      empty={
        <EmptyState small title="No checkpoint" code={<CodeBlock code={"await ctx.checkpoint.set({ page: 12 });"} />}>
          What a job saves is handed to its next attempt, so that it goes on where it was.
        </EmptyState>
      }
    >
      {(checkpoints) => <Compared checkpoints={checkpoints} />}
    </Records>
  );
}

/** Any two beside each other: at first the last two. */
function Compared({ checkpoints }: { checkpoints: RunCheckpoint[] }) {
  const [picked, setPicked] = useState<{ from?: string; to?: string }>({});
  const to = checkpoints.find(({ id }) => id === picked.to) ?? checkpoints.at(-1);
  const from = checkpoints.find(({ id }) => id === picked.from) ?? checkpoints.at(-2);
  if (!to) return null;
  if (!from) return <Json value={to.state} open={4} />;
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-2">
        <Choice
          label="From"
          checkpoints={checkpoints}
          value={from.id}
          onChange={(id) => setPicked({ ...picked, from: id })}
        />
        <Choice
          label="To"
          checkpoints={checkpoints}
          value={to.id}
          onChange={(id) => setPicked({ ...picked, to: id })}
        />
      </div>
      <Diff before={from.state} after={to.state} />
      <Json value={to.state} open={3} />
    </>
  );
}

type ChoiceProps = { label: string; checkpoints: RunCheckpoint[]; value: string; onChange: (id: string) => void };

function Choice({ label, checkpoints, value, onChange }: ChoiceProps) {
  const { zone } = useSettings();
  return (
    <FormField label={label}>
      {(ids) => (
        <select {...ids} className="field" value={value} onChange={(event) => onChange(event.target.value)}>
          {checkpoints.map(({ id, attempt, created_at }, nth) => (
            <option key={id} value={id}>
              {nth + 1} · attempt {attempt} · {formatInstant(created_at, zone)}
            </option>
          ))}
        </select>
      )}
    </FormField>
  );
}
