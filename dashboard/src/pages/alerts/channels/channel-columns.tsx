import type { AlertChannel } from "@millrace/contract/alerts/alert-channels";
import { Pause, Pencil, Play, Send, Trash2 } from "lucide-react";
import { IconButton } from "../../../parts/form/icon-button.tsx";
import { StatusMark } from "../../../parts/state/status-mark.tsx";
import type { Column } from "../../../parts/table/table-columns.tsx";
import { Time } from "../../../parts/time.tsx";
import { CHANNEL_WORDS } from "./channel-words.ts";

type Given = {
  disabledReason: string | undefined;
  onTest: (channel: AlertChannel) => void;
  onToggle: (channel: AlertChannel) => void;
  onEdit: (channel: AlertChannel) => void;
  onDelete: (channel: AlertChannel) => void;
};

export function channelColumns(given: Given): Column<AlertChannel>[] {
  return [
    {
      id: "state",
      header: "State",
      width: "110px",
      isFixed: true,
      narrow: "meta",
      cell: ({ enabled }) => <StatusMark status={enabled ? "active" : "disabled"} />,
    },
    {
      id: "name",
      header: "Channel",
      width: "minmax(160px, 1fr)",
      isFixed: true,
      narrow: "title",
      cell: ({ name }) => <span className="block truncate">{name}</span>,
    },
    { id: "kind", header: "Kind", width: "130px", narrow: "meta", cell: ({ kind }) => CHANNEL_WORDS[kind].label },
    {
      id: "target",
      header: "Sends to",
      width: "minmax(160px, 1.4fr)",
      cell: ({ target }) => (
        <code className="block truncate font-mono text-xs">{target.replace(/^mailto:|\/$/g, "")}</code>
      ),
    },
    {
      id: "created",
      header: "Created",
      width: "120px",
      hidePriority: 1,
      cell: ({ created_at }) => <Time at={created_at} />,
    },
    {
      id: "actions",
      header: "",
      width: "140px",
      align: "end",
      narrow: "end",
      cell: (channel) => <Actions channel={channel} {...given} />,
    },
  ];
}

function Actions({ channel, disabledReason, onTest, onToggle, onEdit, onDelete }: Given & { channel: AlertChannel }) {
  const { name, enabled } = channel;
  return (
    <span className="inline-flex gap-1">
      <IconButton
        size="small"
        label={`Test ${name}`}
        disabledReason={disabledReason ?? (enabled ? undefined : "The channel is disabled.")}
        icon={<Send size={13} />}
        onClick={() => onTest(channel)}
      />
      <IconButton
        size="small"
        label={`${enabled ? "Disable" : "Enable"} ${name}`}
        disabledReason={disabledReason}
        icon={enabled ? <Pause size={13} /> : <Play size={13} />}
        onClick={() => onToggle(channel)}
      />
      <IconButton
        size="small"
        label={`Edit ${name}`}
        disabledReason={disabledReason}
        icon={<Pencil size={13} />}
        onClick={() => onEdit(channel)}
      />
      <IconButton
        size="small"
        label={`Delete ${name}`}
        disabledReason={disabledReason}
        icon={<Trash2 size={13} />}
        onClick={() => onDelete(channel)}
      />
    </span>
  );
}
