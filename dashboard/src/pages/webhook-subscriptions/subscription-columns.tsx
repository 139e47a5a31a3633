import type { WebhookSubscription } from "@millrace/contract/deliveries/webhook-subscriptions";
import { Pause, Pencil, Play, Send, Trash2 } from "lucide-react";
import { IconButton } from "../../parts/form/icon-button.tsx";
import { plural } from "../../parts/format.ts";
import { Badge } from "../../parts/state/badge.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import type { Column } from "../../parts/table/table-columns.tsx";
import { Time } from "../../parts/time.tsx";

type Given = {
  disabledReason: string | undefined;
  onToggle: (subscription: WebhookSubscription) => void;
  onAct: (dialog: "edit" | "test" | "delete", subscription: WebhookSubscription) => void;
};

const NONE = <span className="text-ink-3">–</span>;

export function subscriptionColumns(given: Given): Column<WebhookSubscription>[] {
  return [
    ...COLUMNS,
    {
      id: "actions",
      header: "",
      width: "132px",
      align: "end",
      narrow: "end",
      cell: (subscription) => <Actions subscription={subscription} {...given} />,
    },
  ];
}

const COLUMNS: Column<WebhookSubscription>[] = [
  {
    id: "state",
    header: "State",
    width: "112px",
    isFixed: true,
    narrow: "meta",
    cell: ({ enabled, consecutive_failures }) => <State enabled={enabled} failures={consecutive_failures} />,
  },
  {
    id: "url",
    header: "URL",
    width: "minmax(200px, 1.6fr)",
    isFixed: true,
    narrow: "title",
    cell: ({ url, description }) => (
      <span className="block truncate" title={url}>
        <code className="font-mono text-xs">{url}</code>
        {description && <span className="ml-2 text-ink-2">{description}</span>}
      </span>
    ),
  },
  {
    id: "events",
    header: "Events",
    width: "minmax(120px, 1fr)",
    cell: ({ events }) => (
      <span className="flex min-w-0 gap-1" title={events.join(", ")}>
        <Badge mono>{events[0]}</Badge>
        {events.length > 1 && <span className="text-ink-3">+{events.length - 1}</span>}
      </span>
    ),
  },
  {
    id: "filter",
    header: "Filter",
    width: "minmax(120px, 1.2fr)",
    hidePriority: 2,
    cell: ({ filter, last_filter_error }) =>
      filter === null ? (
        NONE
      ) : (
        <code
          className={`block truncate font-mono text-xs ${last_filter_error ? "text-failed-ink" : "text-ink-2"}`}
          title={last_filter_error ?? filter}
        >
          {filter}
        </code>
      ),
  },
  {
    id: "delivered",
    header: "Last delivered",
    width: "128px",
    hidePriority: 1,
    cell: ({ last_delivered_at }) => <Time at={last_delivered_at} />,
  },
];

function State({ enabled, failures }: { enabled: boolean; failures: number }) {
  if (!enabled) return <StatusMark status="paused" label="Disabled" />;
  if (failures === 0) return <StatusMark status="ok" label="Enabled" />;
  return (
    <span title={`${plural(failures, "failure")} in a row`}>
      <StatusMark status="unhealthy" label="Failing" />
    </span>
  );
}

function Actions({ subscription, disabledReason, onToggle, onAct }: Given & { subscription: WebhookSubscription }) {
  const { url, enabled } = subscription;
  return (
    <span className="inline-flex gap-1">
      <IconButton
        size="small"
        label={`Test ${url}`}
        disabledReason={disabledReason}
        icon={<Send size={13} />}
        onClick={() => onAct("test", subscription)}
      />
      <IconButton
        size="small"
        label={`Edit ${url}`}
        disabledReason={disabledReason}
        icon={<Pencil size={13} />}
        onClick={() => onAct("edit", subscription)}
      />
      <IconButton
        size="small"
        label={`${enabled ? "Disable" : "Enable"} ${url}`}
        disabledReason={disabledReason}
        icon={enabled ? <Pause size={13} /> : <Play size={13} />}
        onClick={() => onToggle(subscription)}
      />
      <IconButton
        size="small"
        label={`Delete ${url}`}
        disabledReason={disabledReason}
        icon={<Trash2 size={13} />}
        onClick={() => onAct("delete", subscription)}
      />
    </span>
  );
}
