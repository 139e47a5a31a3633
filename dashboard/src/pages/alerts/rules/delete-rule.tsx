import type { AlertRule } from "@millrace/contract/alerts/alert-rules";
import { useChange } from "../../../api/use-api.ts";
import { ConfirmDialog } from "../../../parts/overlay/confirm-dialog.tsx";

type Props = { rule: AlertRule; onClose: () => void; onDeleted: () => void };

export function DeleteRule({ rule, onClose, onDeleted }: Props) {
  const remove = useChange({
    run: (_, send) => send("DELETE", `/v1/alert-rules/${rule.id}`),
    done: `${rule.name} deleted`,
    invalidates: ["/v1/alert-rules", "/v1/alerts"],
    onDone: onDeleted,
  });
  return (
    <ConfirmDialog
      open
      danger
      onClose={onClose}
      title={`Delete the rule ${rule.name}?`}
      action="Delete rule"
      onConfirm={() => remove.mutateAsync()}
    >
      <p>
        {rule.state === "firing" ? "Its alert is resolved, and its channels are notified. " : ""}Past alerts are kept.
        This cannot be undone.
      </p>
    </ConfirmDialog>
  );
}
