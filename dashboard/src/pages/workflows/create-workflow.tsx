import type { Workflow } from "@millrace/contract/workflows/workflows";
import { useRouter } from "@tanstack/react-router";
import { useChange } from "../../api/use-api.ts";
import { JsonDialog } from "../../parts/code/json-dialog.tsx";
import { usePlace } from "../../shell/place/place.ts";

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

/** Creates a workflow from JSON. The template needs no job. */
export function CreateWorkflow({ onClose }: { onClose: () => void }) {
  const { at } = usePlace();
  const { history } = useRouter();
  const { mutateAsync } = useChange<unknown, Workflow>({
    run: (body, send) => send("POST", "/v1/workflows", body),
    done: ({ name }) => `${name} created`,
    invalidates: ["/v1/workflows"],
  });
  return (
    <JsonDialog
      title="Create workflow"
      width="wide"
      label="Definition"
      first={TEMPLATE}
      rows={18}
      action="Create workflow"
      onSend={async (body) => history.push(at(`workflows/${(await mutateAsync(body)).slug}`))}
      onClose={onClose}
    />
  );
}
