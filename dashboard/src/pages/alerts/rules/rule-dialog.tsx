import type { AlertRule } from "@millrace/contract/alerts/alert-rules";
import { useState } from "react";
import { useChange } from "../../../api/use-api.ts";
import { FormDialog } from "../../../parts/form/form-dialog.tsx";
import { ProseField } from "../../../parts/form/prose-field.tsx";
import { TextField } from "../../../parts/form/text-field.tsx";
import { ChannelChoice } from "../channels/channel-choice.tsx";
import { ConditionFields, TimingFields } from "./condition-fields.tsx";
import { bodyOf, draftOf, newDraft, type RuleDraft } from "./rule-draft.ts";
import { RulePreview } from "./rule-preview.tsx";
import { TargetFields } from "./target-fields.tsx";

/** Creates an alert rule, or changes this one. Its kind cannot be changed. */
export function RuleDialog({ rule, onClose }: { rule: AlertRule | undefined; onClose: () => void }) {
  const [draft, setDraft] = useState<RuleDraft>(() => (rule ? draftOf(rule) : newDraft()));
  const change = (fields: Partial<RuleDraft>) => setDraft((before) => ({ ...before, ...fields }));
  const save = useChange<RuleDraft, AlertRule>({
    run: (given, send) => {
      const { kind, ...settings } = bodyOf(given);
      return rule
        ? send("PATCH", `/v1/alert-rules/${rule.id}`, settings)
        : send("POST", "/v1/alert-rules", { kind, ...settings });
    },
    done: rule ? "Alert rule saved" : "Alert rule created",
    invalidates: ["/v1/alert-rules"],
    onDone: onClose,
  });
  return (
    <FormDialog
      onClose={onClose}
      width="wide"
      title={rule ? `Edit ${rule.name}` : "Create alert rule"}
      description="A rule is evaluated every 45 seconds. Its channels are notified once when it fires, and once when it is resolved."
      action={rule ? "Save rule" : "Create rule"}
      onSubmit={() => save.mutateAsync(draft)}
    >
      <TextField
        label="Name"
        required
        maxLength={200}
        autoComplete="off"
        value={draft.name}
        onChange={(name) => change({ name })}
      />
      <ConditionFields draft={draft} isKindFixed={rule !== undefined} onChange={change} />
      <TargetFields draft={draft} onChange={change} />
      <TimingFields draft={draft} onChange={change} />
      <ChannelChoice ids={draft.channel_ids} onChange={(channel_ids) => change({ channel_ids })} />
      <ProseField
        label="Runbook"
        hint="What to do. Part of every notification; links are clickable."
        rows={3}
        maxLength={2_000}
        value={draft.runbook}
        onChange={(runbook) => change({ runbook })}
      />
      <RulePreview draft={draft} />
    </FormDialog>
  );
}
