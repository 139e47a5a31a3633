import type { RunCheckpoint } from "@millrace/contract/runs/run-records";
import type { Run } from "@millrace/contract/runs/runs";
import { useState } from "react";
import { CodeBlock } from "../../parts/code/code-block.tsx";
import { Diff } from "../../parts/code/diff.tsx";
import { Json } from "../../parts/code/json.tsx";
import { Section } from "../../parts/facts.tsx";
import { type Choice, ChoiceField } from "../../parts/form/choice-field.tsx";
import { formatInstant } from "../../parts/format.ts";
import { useSettings } from "../../parts/settings.ts";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { Records } from "./records.tsx";

export function CheckpointsTab({ run }: { run: Run }) {
  return (
    <Records<RunCheckpoint>
      path={`/v1/runs/${run.id}/checkpoints`}
      empty={
        <EmptyState small title="No checkpoints" code={<CodeBlock code={"await ctx.checkpoint.set({ page: 12 });"} />}>
          A job can save its state here. The next attempt receives it and resumes from that point.
        </EmptyState>
      }
    >
      {(checkpoints) => <Compared checkpoints={checkpoints} />}
    </Records>
  );
}

/** Diff of any two checkpoints; the last two by default. */
function Compared({ checkpoints }: { checkpoints: RunCheckpoint[] }) {
  const { zone } = useSettings();
  const [picked, setPicked] = useState<{ from?: string; to?: string }>({});
  const to = checkpoints.find(({ id }) => id === picked.to) ?? checkpoints.at(-1);
  const from = checkpoints.find(({ id }) => id === picked.from) ?? checkpoints.at(-2);
  if (!to) return null;
  if (!from) return <Json value={to.state} open={4} />;
  const choices = checkpoints.map(
    ({ id, attempt, created_at }, nth): Choice => [
      id,
      `${nth + 1} · attempt ${attempt} · ${formatInstant(created_at, zone)}`,
    ],
  );
  const pick = (changes: typeof picked) => setPicked({ ...picked, ...changes });
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-2">
        <ChoiceField label="From" choices={choices} value={from.id} onChange={(id) => pick({ from: id })} />
        <ChoiceField label="To" choices={choices} value={to.id} onChange={(id) => pick({ to: id })} />
      </div>
      <Diff before={from.state} after={to.state} />
      <Section title={`State at checkpoint ${checkpoints.indexOf(to) + 1}`}>
        <Json value={to.state} open={3} />
      </Section>
    </>
  );
}
