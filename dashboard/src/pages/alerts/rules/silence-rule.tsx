import type { AlertRule } from "@millrace/contract/alerts/alert-rules";
import { useChange } from "../../../api/use-api.ts";
import { type Choice, ChoiceField } from "../../../parts/form/choice-field.tsx";
import { FormDialog } from "../../../parts/form/form-dialog.tsx";

const TIMES: Choice[] = [
  ["3600", "1 hour"],
  ["14400", "4 hours"],
  ["86400", "1 day"],
  ["604800", "1 week"],
  ["2592000", "30 days"],
];

/** A silence always has an end, so that nobody forgets it. */
export function SilenceRule({ rule, onClose }: { rule: AlertRule; onClose: () => void }) {
  const silence = useChange<FormData, AlertRule>({
    run: (form, send) =>
      send("POST", `/v1/alert-rules/${rule.id}/silence`, { duration_secs: Number(form.get("duration_secs")) }),
    done: `${rule.name} silenced`,
    invalidates: ["/v1/alert-rules"],
    onDone: onClose,
  });
  return (
    <FormDialog
      onClose={onClose}
      width="narrow"
      title={`Silence ${rule.name}`}
      description="Its alerts are still recorded. An alert that still fires when the silence ends is sent then."
      action="Silence rule"
      onSubmit={(form) => silence.mutateAsync(form)}
    >
      <ChoiceField label="For" name="duration_secs" choices={TIMES} />
    </FormDialog>
  );
}
