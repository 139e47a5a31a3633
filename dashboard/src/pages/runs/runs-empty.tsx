import { readTokens } from "@millrace/contract/query-language/tokens";
import { Activity, FilterX } from "lucide-react";
import { CodeBlock } from "../../parts/code/code-block.tsx";
import { Button } from "../../parts/form/button.tsx";
import { EmptyState } from "../../parts/state/empty-state.tsx";

type Props = { q: string; since: string | undefined; onChange: (q: string, since: string | undefined) => void };

/** Distinguishes no runs at all from no matching runs. */
export function RunsEmpty({ q, since, onChange }: Props) {
  const terms = readTokens(q, () => {}).map(({ text }) => text);
  if (terms.length === 0 && since === undefined) return <NoRunsEver />;
  return (
    <EmptyState
      icon={<FilterX size={20} />}
      title="No runs match this filter"
      action={
        <>
          {terms.map((term) => (
            <Button
              key={term}
              size="small"
              onClick={() => onChange(terms.filter((each) => each !== term).join(" "), since)}
            >
              Remove <code className="max-w-60 truncate font-mono">{term}</code>
            </Button>
          ))}
          {since !== undefined && (
            <Button size="small" onClick={() => onChange(q, undefined)}>
              Search all time
            </Button>
          )}
        </>
      }
    >
      A run must match every condition. Remove one to see more.
    </EmptyState>
  );
}

function NoRunsEver() {
  const trigger = `curl -s ${location.origin}/v1/jobs/my-job/trigger \\\n  -H "Authorization: Bearer $MILLRACE_API_KEY" \\\n  -H "Content-Type: application/json" \\\n  -d '{"payload": {"hello": "world"}}'`;
  return (
    <EmptyState
      icon={<Activity size={20} />}
      title="No runs yet"
      code={<CodeBlock title="Trigger a job" code={trigger} />}
    >
      A run is one execution of a job. Trigger a job and its run appears here.
    </EmptyState>
  );
}
