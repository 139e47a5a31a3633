import type { WorkflowRun } from "@millrace/contract/workflows/workflow-runs";
import type { Workflow } from "@millrace/contract/workflows/workflows";
import { useRouter } from "@tanstack/react-router";
import { useChange } from "../../api/use-api.ts";
import { JsonDialog } from "../../parts/code/json-dialog.tsx";
import { usePlace } from "../../shell/place/place.ts";
import { checkSchema } from "../shared-runs/check-schema.ts";

/** Starts a run and opens it. */
export function TriggerWorkflow({ workflow, onClose }: { workflow: Workflow; onClose: () => void }) {
  const { at, environmentFilter } = usePlace();
  const { history } = useRouter();
  const { mutateAsync } = useChange<unknown, WorkflowRun>({
    run: (payload, send) =>
      send("POST", `/v1/workflows/${workflow.id}/trigger`, {
        payload,
        ...(environmentFilter && { environment_id: environmentFilter }),
      }),
    invalidates: ["/v1/workflow-runs"],
  });
  return (
    <JsonDialog
      title={`Trigger ${workflow.name}`}
      label="Payload"
      first="{}"
      rows={10}
      action="Start run"
      issuesOf={(payload) => checkSchema(workflow.payload_schema, payload)}
      onSend={async (payload) => history.push(at(`workflow-runs/${(await mutateAsync(payload)).id}`))}
      onClose={onClose}
    />
  );
}
