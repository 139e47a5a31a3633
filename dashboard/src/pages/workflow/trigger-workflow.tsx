import type { WorkflowRun } from "@millrace/contract/workflow-runs";
import type { Workflow } from "@millrace/contract/workflows";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { JsonEditor, readJson } from "../../parts/json-editor.tsx";
import { usePlace } from "../../shell/place.ts";
import { checkSchema } from "../of-runs/check-schema.ts";

/** Starts a run and goes to it. */
export function TriggerWorkflow({ workflow, onClose }: { workflow: Workflow; onClose: () => void }) {
  const [text, setText] = useState("{}");
  const [error, setError] = useState<unknown>();
  const { at, environmentFilter } = usePlace();
  const { history } = useRouter();
  const trigger = useChange<unknown, WorkflowRun>({
    run: (payload, send) =>
      send("POST", `/v1/workflows/${workflow.id}/trigger`, {
        payload,
        ...(environmentFilter && { environment_id: environmentFilter }),
      }),
    outdates: ["/v1/workflow-runs"],
  });
  const read = readJson(text);
  const faults = read.ok ? checkSchema(workflow.payload_schema, read.value) : [];
  const submit = async () => {
    if (!read.ok) return;
    setError(undefined);
    try {
      const { id } = await trigger.mutateAsync(read.value);
      history.push(at(`workflow-runs/${id}`));
    } catch (fault) {
      setError(fault);
    }
  };
  const refusal = !read.ok ? "The payload is not JSON." : faults.length > 0 ? "The payload does not fit." : undefined;
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Trigger ${workflow.name}`}
      footer={
        <>
          <Button onClick={onClose}>Back</Button>
          <Button kind="primary" busy={trigger.isPending} refusal={refusal} onClick={() => void submit()}>
            Start run
          </Button>
        </>
      }
    >
      <JsonEditor label="Payload" value={text} onChange={setText} rows={10} faults={faults} />
      {error !== undefined && <ErrorState error={error} as="banner" />}
    </Dialog>
  );
}
