import type { WorkflowRun } from "@millrace/contract/workflows/workflow-runs";
import { Json } from "../../parts/code/json.tsx";
import { Facts, Section } from "../../parts/facts.tsx";
import { Id } from "../../parts/id.tsx";
import { TagList } from "../../parts/tag-list.tsx";
import { Time } from "../../parts/time.tsx";
import { StartedBy } from "../shared-runs/started-by.tsx";

/** Input and metadata of the run. */
export function RunDetails({ run }: { run: WorkflowRun }) {
  return (
    <div className="flex flex-col gap-5 p-4">
      <Facts
        facts={[
          ["Id", <Id key="i" value={run.id} head={8} tail={12} />],
          ["Trigger", <StartedBy key="by" run={run} />],
          ["Routing key", run.routing_key],
          ["Idempotency key", run.idempotency_key],
          ["Scheduled for", <Time key="s" at={run.scheduled_at} />],
          ["Started", run.started_at && <Time key="b" at={run.started_at} />],
          ["Deadline", run.deadline && <Time key="d" at={run.deadline} />],
          ["Finished", run.finished_at && <Time key="e" at={run.finished_at} />],
          ["Failed steps", run.error_count > 0 ? run.error_count : null],
          ["Tags", Object.keys(run.tags).length > 0 && <TagList key="t" tags={run.tags} />],
        ]}
      />
      <Section title="Payload">
        <Json value={run.payload} />
      </Section>
      {Object.keys(run.metadata).length > 0 && (
        <Section title="Metadata">
          <Json value={run.metadata} />
        </Section>
      )}
    </div>
  );
}
