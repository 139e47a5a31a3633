import type { Workflow } from "@millrace/contract/workflows";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { JsonEditor, readJson } from "../../parts/json-editor.tsx";
import { usePlace } from "../../shell/place.ts";

export const TEMPLATE = JSON.stringify(
  {
    name: "Ship an order",
    steps: [
      { step_ref: "paid", type: "wait_for_event", event_key: "paid-{{payload.order.id}}", timeout_secs: 86400 },
      { step_ref: "check", type: "approval", message: "Ship {{payload.order.id}}?", depends_on: ["paid"] },
      { step_ref: "rest", type: "sleep", sleep_duration: "10s", depends_on: ["check"] },
    ],
  },
  null,
  2,
);

/** A workflow from JSON, as the API takes it; it begins with steps that need no job. */
export function CreateWorkflow({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState(TEMPLATE);
  const [error, setError] = useState<unknown>();
  const { at } = usePlace();
  const { history } = useRouter();
  const create = useChange<unknown, Workflow>({
    run: (body, send) => send("POST", "/v1/workflows", body),
    done: ({ name }) => `${name} created`,
    outdates: ["/v1/workflows"],
  });
  const read = readJson(text);
  const submit = async () => {
    if (!read.ok) return;
    setError(undefined);
    try {
      const { slug } = await create.mutateAsync(read.value);
      history.push(at(`workflows/${slug}`));
    } catch (fault) {
      setError(fault);
    }
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title="Create workflow"
      width="wide"
      footer={
        <>
          <Button onClick={onClose}>Back</Button>
          <Button
            kind="primary"
            busy={create.isPending}
            refusal={read.ok ? undefined : "This is not JSON."}
            onClick={() => void submit()}
          >
            Create workflow
          </Button>
        </>
      }
    >
      <JsonEditor label="Definition" value={text} onChange={setText} rows={18} />
      {error !== undefined && <ErrorState error={error} as="banner" />}
    </Dialog>
  );
}
