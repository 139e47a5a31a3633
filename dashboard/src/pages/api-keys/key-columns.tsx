import type { ApiKey } from "@millrace/contract/access/api-keys";
import type { Environment } from "@millrace/contract/projects/environments";
import { RefreshCcw, Trash2 } from "lucide-react";
import { IconButton } from "../../parts/form/icon-button.tsx";
import { Badge } from "../../parts/state/badge.tsx";
import { Countdown } from "../../parts/state/countdown.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import type { Column } from "../../parts/table/table-columns.tsx";
import { Time } from "../../parts/time.tsx";
import type { KeyAction } from "./key-action.ts";

type OnAction = (action: KeyAction) => void;

export function keyColumns(
  disabledReason: string | undefined,
  onAction: OnAction,
  environments: Environment[],
): Column<ApiKey>[] {
  const names = new Map(environments.map(({ id, name }) => [id, name]));
  return [
    {
      ...{ id: "name", header: "Name", width: "minmax(160px, 1.5fr)", narrow: "title" },
      cell: ({ name, subject }) => (
        <span className="flex items-center gap-2">
          <span className="truncate font-medium">{name}</span>
          {subject !== null && <Badge title={`Acts on behalf of ${subject}`}>personal</Badge>}
        </span>
      ),
    },
    {
      ...{ id: "key", header: "Key", width: "140px", narrow: "meta" },
      cell: ({ key_prefix }) => <code className="font-mono text-xs">{key_prefix}…</code>,
    },
    {
      ...{ id: "status", header: "Status", width: "110px", narrow: "end" },
      cell: ({ status }) => <StatusMark status={status} />,
    },
    {
      ...{ id: "environment", header: "Environment", width: "120px", hidePriority: 3 },
      cell: ({ environment_id }) =>
        environment_id ? (names.get(environment_id) ?? "unknown") : <span className="text-ink-3">all</span>,
    },
    {
      id: "scopes",
      header: "Scopes",
      width: "minmax(96px, 0.8fr)",
      hidePriority: 1,
      cell: (key) => <Scopes apiKey={key} />,
    },
    {
      ...{ id: "rotation", header: "Rotation", width: "minmax(136px, 1fr)", hidePriority: 2, narrow: "meta" },
      cell: (key) => <Rotation apiKey={key} />,
    },
    {
      ...{ id: "used", header: "Last used", width: "96px" },
      cell: ({ last_used_at }) => (last_used_at ? <Time at={last_used_at} /> : <Dim>never</Dim>),
    },
    {
      ...{ id: "expires", header: "Expires", width: "96px" },
      cell: ({ expires_at }) => (expires_at ? <Time at={expires_at} /> : <Dim>never</Dim>),
    },
    {
      ...{ id: "actions", header: "", width: "76px", align: "end" },
      cell: (key) =>
        key.status !== "revoked" && <Actions apiKey={key} disabledReason={disabledReason} onAction={onAction} />,
    },
  ];
}

function Dim({ children }: { children: string }) {
  return <span className="text-ink-3">{children}</span>;
}

function Scopes({ apiKey: { scopes } }: { apiKey: ApiKey }) {
  if (scopes === null || scopes.includes("*")) return "All";
  return <Badge title={scopes.join(", ")}>{scopes.length === 1 ? scopes[0] : `${scopes.length} scopes`}</Badge>;
}

/** While two secrets are valid: how long the old one still works. */
export function Rotation({ apiKey }: { apiKey: ApiKey }) {
  const { previous_key_expires_at: until, rotation_due, rotated_at, created_at } = apiKey;
  if (until !== null && Date.parse(until) > Date.now())
    return (
      <span className="flex items-center gap-1.5 text-ink-2 text-xs">
        Old secret expires in <Countdown until={until} ended="expired" />
      </span>
    );
  if (rotation_due) return <StatusMark status="expiring" label="Due" />;
  return rotated_at === created_at ? <Dim>never</Dim> : <Time at={rotated_at} className="text-ink-2" />;
}

type ActionProps = { apiKey: ApiKey; disabledReason: string | undefined; onAction: OnAction };

function Actions({ apiKey, disabledReason, onAction }: ActionProps) {
  const request = (verb: KeyAction["verb"]) => (event: { stopPropagation: () => void }) => {
    event.stopPropagation(); // do not open the row
    onAction({ verb, key: apiKey });
  };
  return (
    <span className="inline-flex gap-1">
      <IconButton
        size="small"
        label={`Rotate ${apiKey.name}`}
        disabledReason={disabledReason ?? noRotation(apiKey)}
        icon={<RefreshCcw size={14} />}
        onClick={request("rotate")}
      />
      <IconButton
        size="small"
        label={`Revoke ${apiKey.name}`}
        disabledReason={disabledReason}
        icon={<Trash2 size={14} />}
        onClick={request("revoke")}
      />
    </span>
  );
}

/** Rotating a key reveals its new secret. */
export function noRotation({ subject }: ApiKey): string | undefined {
  return subject === null ? undefined : "Personal keys cannot be rotated. Their owner can create another one.";
}
