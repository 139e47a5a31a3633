import type { AlertChannel, AlertChannelTest } from "@millrace/contract/alerts/alert-channels";
import { Megaphone, Plus } from "lucide-react";
import { useMemo, useState } from "react";
import { useDisabledReason } from "../../../api/me.ts";
import { useApiList, useChange } from "../../../api/use-api.ts";
import { AsCode } from "../../../parts/code/as-code.tsx";
import { Button } from "../../../parts/form/button.tsx";
import { ConfirmDialog } from "../../../parts/overlay/confirm-dialog.tsx";
import { EmptyState } from "../../../parts/state/empty-state.tsx";
import { ListPage } from "../../../parts/table/list-page.tsx";
import { useCommands } from "../../../shell/command-menu/commands.ts";
import { codeOf } from "../../code-of.ts";
import { useTestToast } from "../rules/use-rule-actions.ts";
import { ViewSwitch } from "../view-switch.tsx";
import { channelColumns } from "./channel-columns.tsx";
import { ChannelDialog } from "./channel-dialog.tsx";

/** Where alerts are sent. */
export function ChannelsView() {
  const list = useApiList<AlertChannel>("/v1/alert-channels");
  const disabledReason = useDisabledReason("alerts:write");
  const [edited, setEdited] = useState<AlertChannel | "new">();
  const [deleted, setDeleted] = useState<AlertChannel>();
  const { test, toggle } = useChannelActions();
  const columns = useMemo(
    () =>
      channelColumns({
        ...{ disabledReason, onEdit: setEdited, onDelete: setDeleted },
        ...{ onTest: (channel) => test.mutate(channel), onToggle: (channel) => toggle.mutate(channel) },
      }),
    [disabledReason, test.mutate, toggle.mutate],
  );
  useCommands([{ label: "Create alert channel", run: () => disabledReason ?? setEdited("new") }]);
  const create = (
    <Button kind="primary" icon={<Plus size={15} />} disabledReason={disabledReason} onClick={() => setEdited("new")}>
      Create channel
    </Button>
  );
  return (
    <ListPage
      title="Alerts"
      label="Alert channels"
      actions={
        <>
          <AsCode
            about="Alert channels"
            code={codeOf({ method: "GET", path: "/v1/alert-channels" }, { cli: "millrace alerts channels list" })}
          />
          {create}
        </>
      }
      toolbar={<ViewSwitch view="channels" />}
      list={list}
      columns={columns}
      empty={
        <EmptyState icon={<Megaphone size={20} />} title="No alert channels yet" action={create}>
          Send alerts to Slack, Discord, Microsoft Teams, PagerDuty, Opsgenie, an e-mail address or a webhook.
        </EmptyState>
      }
    >
      {edited && <ChannelDialog channel={edited === "new" ? undefined : edited} onClose={() => setEdited(undefined)} />}
      {deleted && <DeleteChannel channel={deleted} onClose={() => setDeleted(undefined)} />}
    </ListPage>
  );
}

function useChannelActions() {
  const notifyTest = useTestToast();
  const test = useChange<AlertChannel, AlertChannelTest>({
    run: ({ id }, send) => send("POST", `/v1/alert-channels/${id}/test`),
    onDone: ({ delivery_ids }, { name }) => notifyTest(`Test of ${name}`, "", delivery_ids),
  });
  const toggle = useChange<AlertChannel, AlertChannel>({
    run: ({ id, enabled }, send) => send("PATCH", `/v1/alert-channels/${id}`, { enabled: !enabled }),
    done: ({ name, enabled }) => `${name} ${enabled ? "enabled" : "disabled. New alerts are not sent to it."}`,
    undo: (channel) => ({ ...channel, enabled: !channel.enabled }),
    invalidates: ["/v1/alert-channels"],
  });
  return { test, toggle };
}

function DeleteChannel({ channel, onClose }: { channel: AlertChannel; onClose: () => void }) {
  const remove = useChange({
    run: (_, send) => send("DELETE", `/v1/alert-channels/${channel.id}`),
    done: `${channel.name} deleted`,
    invalidates: ["/v1/alert-channels"],
  });
  return (
    <ConfirmDialog
      open
      danger
      onClose={onClose}
      title={`Delete the channel ${channel.name}?`}
      action="Delete channel"
      onConfirm={() => remove.mutateAsync()}
    >
      <p>Remove it from its rules first. This cannot be undone.</p>
    </ConfirmDialog>
  );
}
