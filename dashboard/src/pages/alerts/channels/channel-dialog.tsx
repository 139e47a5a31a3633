import {
  ALERT_CHANNEL_KINDS,
  type AlertChannel,
  type AlertChannelKind,
} from "@millrace/contract/alerts/alert-channels";
import { useState } from "react";
import { useChange } from "../../../api/use-api.ts";
import { type Choice, ChoiceField } from "../../../parts/form/choice-field.tsx";
import { FormDialog } from "../../../parts/form/form-dialog.tsx";
import { TextField } from "../../../parts/form/text-field.tsx";
import { CHANNEL_WORDS } from "./channel-words.ts";

const KINDS = [...ALERT_CHANNEL_KINDS]
  .map((kind): Choice => [kind, CHANNEL_WORDS[kind].label])
  .sort(([, a], [, b]) => a.localeCompare(b));
const URL_KINDS: readonly string[] = ["pagerduty", "opsgenie"];

/** Creates or edits a channel. Secret fields are never shown; left empty, they keep their values. */
export function ChannelDialog({ channel, onClose }: { channel: AlertChannel | undefined; onClose: () => void }) {
  const [kind, setKind] = useState<AlertChannelKind>(channel?.kind ?? "slack");
  const save = useChange<FormData, AlertChannel>({
    run: (form, send) =>
      channel
        ? send("PATCH", `/v1/alert-channels/${channel.id}`, fieldsOf(form))
        : send("POST", "/v1/alert-channels", { kind, ...fieldsOf(form) }),
    done: channel ? "Channel saved" : "Channel created",
    invalidates: ["/v1/alert-channels"],
    onDone: onClose,
  });
  return (
    <FormDialog
      onClose={onClose}
      title={channel ? `Edit ${channel.name}` : "Create alert channel"}
      description="Where alerts are sent. Each alert rule chooses the channels that it notifies."
      action={channel ? "Save channel" : "Create channel"}
      onSubmit={(form) => save.mutateAsync(form)}
    >
      <TextField
        label="Name"
        name="name"
        required
        maxLength={200}
        autoComplete="off"
        defaultValue={channel?.name ?? ""}
      />
      {!channel && (
        <ChoiceField
          label="Kind"
          choices={KINDS}
          value={kind}
          onChange={(chosen) => setKind(chosen as AlertChannelKind)}
        />
      )}
      <Receiver key={kind} kind={kind} isNew={channel === undefined} />
    </FormDialog>
  );
}

function Receiver({ kind, isNew }: { kind: AlertChannelKind; isNew: boolean }) {
  const { needs, field, hint } = CHANNEL_WORDS[kind];
  const kept = isNew ? hint : `${hint} Leave empty to keep it.`;
  return (
    <>
      <TextField
        label={field}
        hint={kept}
        name={needs}
        type={needs === "email" ? "email" : "password"}
        required={isNew}
        maxLength={2_048}
        autoComplete="off"
        mono={needs !== "email"}
      />
      {URL_KINDS.includes(kind) && (
        <TextField
          label="API URL (optional)"
          hint="Overrides the default URL, for example to use the EU region."
          name="url"
          type="url"
          maxLength={2_048}
          autoComplete="off"
          mono
        />
      )}
    </>
  );
}

/** The non-empty fields. */
function fieldsOf(form: FormData): Record<string, string> {
  const entries = [...form].map(([name, value]) => [name, String(value).trim()] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== ""));
}
