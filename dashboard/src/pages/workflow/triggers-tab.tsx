import type { Workflow } from "@millrace/contract/workflows/workflows";
import { CodeBlock } from "../../parts/code/code-block.tsx";
import { Section } from "../../parts/facts.tsx";
import { Link } from "../../parts/link.tsx";
import { usePlace } from "../../shell/place/place.ts";
import { codeOf } from "../code-of.ts";
import { ScheduleStarts } from "../shared-schedules/schedule-starts.tsx";
import { useWorkflows } from "../shared-workflows/use-workflows.ts";
import { EventStarts } from "./event-starts.tsx";

/** Everything that starts the workflow: schedules, events, other workflows, API requests. */
export function TriggersTab({ workflow }: { workflow: Workflow }) {
  const path = `/v1/workflows/${workflow.slug}/trigger`;
  const { curl } = codeOf({ method: "POST", path, body: { payload: {} } });
  return (
    <div className="grid items-start gap-6 lg:grid-cols-2">
      <ScheduleStarts target={{ kind: "workflow", id: workflow.id, name: workflow.name }} />
      <EventStarts workflow={workflow} />
      <WorkflowStarts workflow={workflow} />
      <Section title="API request">
        <CodeBlock code={curl} />
      </Section>
    </div>
  );
}

/** Other workflows with a step that starts this one. */
function WorkflowStarts({ workflow }: { workflow: Workflow }) {
  const { at } = usePlace();
  const workflows = useWorkflows();
  if (!workflows) return null;
  const starts = [...workflows.values()].flatMap(({ id, name, slug, steps }) =>
    steps.filter((step) => step.workflow_id === workflow.id).map(({ step_ref }) => ({ id, name, slug, step_ref })),
  );
  return (
    <Section title="Other workflows">
      {starts.length === 0 ? (
        <p className="card px-4 py-3 text-ink-2">
          No workflow has a <code className="font-mono text-xs">sub_workflow</code> step that starts this one.
        </p>
      ) : (
        <ul className="card divide-y">
          {starts.map(({ id, name, slug, step_ref }) => (
            <li key={`${id} ${step_ref}`} className="flex min-h-10 items-center gap-3 px-4">
              <Link
                href={at(`workflows/${slug}`, { step: step_ref })}
                className="min-w-0 flex-1 truncate font-medium hover:text-accent hover:underline"
              >
                {name}
              </Link>
              <code className="truncate font-mono text-ink-2 text-xs">{step_ref}</code>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
