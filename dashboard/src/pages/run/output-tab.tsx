import type { RunOutput } from "@millrace/contract/runs/run-records";
import type { Run } from "@millrace/contract/runs/runs";
import { CodeBlock } from "../../parts/code/code-block.tsx";
import { Json } from "../../parts/code/json.tsx";
import { Section } from "../../parts/facts.tsx";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { Records } from "./records.tsx";

export function OutputTab({ run }: { run: Run }) {
  return (
    <div className="flex flex-col gap-5">
      {run.result !== null && (
        <Section title="Result">
          <Json value={run.result} open={4} />
        </Section>
      )}
      <Records<RunOutput>
        path={`/v1/runs/${run.id}/outputs`}
        empty={
          run.result === null && (
            <EmptyState
              small
              title="No output"
              code={<CodeBlock code={'await ctx.output("invoice", { url });\nreturn { ok: true };'} />}
            >
              The result is what the job returns. A job can also write named outputs while it runs.
            </EmptyState>
          )
        }
      >
        {(outputs) =>
          outputs.map(({ id, name, value, attempt }) => (
            <Section key={id} title={`${name} · attempt ${attempt}`}>
              <Json value={value} />
            </Section>
          ))
        }
      </Records>
    </div>
  );
}
