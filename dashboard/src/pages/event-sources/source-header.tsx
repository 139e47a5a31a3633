import type { EventSource, EventSourceSecret } from "@millrace/contract/events/event-sources";
import { useRouter } from "@tanstack/react-router";
import { Pause, Pencil, Play } from "lucide-react";
import { useState } from "react";
import { useDisabledReason } from "../../api/me.ts";
import { useChange } from "../../api/use-api.ts";
import { AsCode } from "../../parts/code/as-code.tsx";
import { CopyButton } from "../../parts/code/copy-button.tsx";
import { Button } from "../../parts/form/button.tsx";
import { SecretOnce } from "../../parts/form/secret-once.tsx";
import { TextField } from "../../parts/form/text-field.tsx";
import { Id } from "../../parts/id.tsx";
import { ConfirmDialog, TypedConfirm } from "../../parts/overlay/confirm-dialog.tsx";
import { Menu } from "../../parts/overlay/menu.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import { Time } from "../../parts/time.tsx";
import { useCommands } from "../../shell/command-menu/commands.ts";
import { usePlace } from "../../shell/place/place.ts";
import { codeOf } from "../code-of.ts";
import { SourceDialog } from "./source-dialog.tsx";

const PATH = "/v1/event-sources";
type Open = "edit" | "rotate" | "delete";

export function SourceHeader({ source }: { source: EventSource }) {
  const [open, setOpen] = useState<Open>();
  const disabledReason = useDisabledReason("events:write");
  const toggle = useChange<boolean>({
    run: (enabled, send) => send("PATCH", `${PATH}/${source.id}`, { enabled }),
    done: (_, enabled) => (enabled ? "Event source enabled" : "Event source disabled"),
    undo: (enabled) => !enabled,
    invalidates: [PATH],
  });
  const noSecret = source.signature === "none" ? "The source accepts no webhooks." : undefined;
  useCommands([
    { label: "Edit event source", run: () => disabledReason ?? setOpen("edit") },
    { label: "Rotate secret of event source", run: () => disabledReason ?? noSecret ?? setOpen("rotate") },
  ]);
  const close = () => setOpen(undefined);
  const dispatch = {
    method: "POST",
    path: "/v1/events/dispatch",
    body: { source: source.slug, type: "order.paid", payload: {} },
  } as const;
  return (
    <PageHeader
      lead={<StatusMark status={source.enabled ? "active" : "disabled"} as="badge" />}
      title={source.name}
      count={<Id value={source.id} head={8} tail={12} />}
      actions={
        <>
          <AsCode about="Event source" code={codeOf(dispatch)} />
          <Button
            icon={source.enabled ? <Pause size={14} /> : <Play size={14} />}
            disabledReason={disabledReason}
            busy={toggle.isPending}
            onClick={() => toggle.mutate(!source.enabled)}
          >
            {source.enabled ? "Disable" : "Enable"}
          </Button>
          <Button icon={<Pencil size={14} />} disabledReason={disabledReason} onClick={() => setOpen("edit")}>
            Edit
          </Button>
          <Menu
            label="More actions"
            align="end"
            trigger={<Button>More</Button>}
            items={[
              { label: "Rotate secret", disabledReason: disabledReason ?? noSecret, onSelect: () => setOpen("rotate") },
              { label: "Delete event source", danger: true, disabledReason, onSelect: () => setOpen("delete") },
            ]}
          />
        </>
      }
    >
      <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 text-ink-2">
        <code className="font-mono text-xs">{source.slug}</code>
        {source.inbound_url && (
          <span className="flex min-w-0 items-center gap-1">
            <code className="truncate font-mono text-xs">{source.inbound_url}</code>
            <CopyButton text={source.inbound_url} label="Copy inbound URL" />
          </span>
        )}
        {source.previous_secret_expires_at && (
          <span className="text-xs">
            previous secret valid until <Time at={source.previous_secret_expires_at} />
          </span>
        )}
        {source.description && <p className="basis-full">{source.description}</p>}
      </div>
      {open === "edit" && <SourceDialog source={source} onClose={close} />}
      {open === "rotate" && <RotateSecret source={source} onClose={close} />}
      {open === "delete" && <DeleteSource source={source} onClose={close} />}
    </PageHeader>
  );
}

type Props = { source: EventSource; onClose: () => void };

function RotateSecret({ source, onClose }: Props) {
  const [minutes, setMinutes] = useState("60");
  const [secret, setSecret] = useState<string>();
  const rotate = useChange<void, EventSourceSecret>({
    run: (_, send) => send("POST", `${PATH}/${source.id}/secret/rotate`, { grace_period_minutes: Number(minutes) }),
    invalidates: [PATH],
  });
  if (secret) {
    return (
      <SecretOnce secret={secret} title={`New secret of ${source.name}`} variable="WEBHOOK_SECRET" onClose={onClose} />
    );
  }
  return (
    <ConfirmDialog
      open
      onClose={() => {}}
      title={`Rotate the secret of ${source.name}?`}
      action="Rotate secret"
      onConfirm={async () => setSecret((await rotate.mutateAsync()).secret)}
    >
      <p>The sender must sign with the new secret. The previous one stays valid for a while.</p>
      <TextField
        label="Grace period (minutes)"
        type="number"
        min={0}
        max={10_080}
        required
        value={minutes}
        onChange={setMinutes}
      />
    </ConfirmDialog>
  );
}

function DeleteSource({ source: { id, name, slug }, onClose }: Props) {
  const { at } = usePlace();
  const { history } = useRouter();
  const remove = useChange({
    run: (_, send) => send("DELETE", `${PATH}/${id}`),
    done: `${name} deleted`,
    invalidates: [PATH],
    onDone: () => history.push(at("event-sources")),
  });
  return (
    <TypedConfirm
      open
      onClose={onClose}
      title={`Delete ${name}?`}
      action="Delete event source"
      typed={slug}
      onConfirm={() => remove.mutateAsync()}
    >
      <p>Its subscriptions are deleted with it, and senders get 404. Runs that it started continue.</p>
    </TypedConfirm>
  );
}
