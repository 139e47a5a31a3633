import type { ApiKey } from "@millrace/contract/api-keys";
import { KeyRound, Plus, Trash2 } from "lucide-react";
import { useMemo, useState } from "react";
import { useMe, useRefusal } from "../../api/me.ts";
import { useApiList, useChange } from "../../api/use-api.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { IconButton } from "../../parts/icon-button.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { StatusMark } from "../../parts/status-mark.tsx";
import { Table } from "../../parts/table.tsx";
import type { Column } from "../../parts/table-columns.tsx";
import { Time } from "../../parts/time.tsx";
import { useEnvironments } from "../../shell/place-switch.tsx";
import { CreateApiKey } from "./create-api-key.tsx";

/** What programs sign in with. */
export default function ApiKeysPage() {
  const list = useApiList<ApiKey>("/v1/api-keys");
  const refusal = useRefusal("api-keys:write");
  const [isCreating, setCreating] = useState(false);
  const [revoked, setRevoked] = useState<ApiKey>();
  const environments = useEnvironments();
  const columns = useMemo(
    () => columnsOf(refusal, setRevoked, new Map(environments.map(({ id, name }) => [id, name]))),
    [refusal, environments],
  );
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <PageHeader
        title="API keys"
        actions={
          <Button kind="primary" icon={<Plus size={15} />} refusal={refusal} onClick={() => setCreating(true)}>
            Create API key
          </Button>
        }
      />
      {list.error && (
        <ErrorState error={list.error} as={list.rows ? "banner" : "block"} onRetry={() => void list.refetch()} />
      )}
      <div className="mt-4 flex min-h-0 flex-1 flex-col border-t">
        <Table
          label="API keys"
          rows={list.error && !list.rows ? [] : list.rows}
          rowKey={keyOf}
          columns={columns}
          onReachEnd={list.hasNextPage && !list.isFetchingNextPage ? () => void list.fetchNextPage() : undefined}
          empty={
            <EmptyState icon={<KeyRound size={20} />} title="No API key yet">
              A program needs one to call the API.
            </EmptyState>
          }
        />
      </div>
      <CreateApiKey open={isCreating} onClose={() => setCreating(false)} />
      <RevokeKey apiKey={revoked} onClose={() => setRevoked(undefined)} />
    </div>
  );
}

function keyOf({ id }: ApiKey): string {
  return id;
}

function columnsOf(
  refusal: string | undefined,
  onRevoke: (key: ApiKey) => void,
  environments: ReadonlyMap<string, string>,
): Column<ApiKey>[] {
  return [
    {
      id: "name",
      header: "Name",
      width: "minmax(160px, 1.5fr)",
      narrow: "title",
      cell: ({ name }) => <span className="font-medium">{name}</span>,
    },
    {
      id: "key",
      header: "Key",
      width: "140px",
      narrow: "meta",
      cell: ({ key_prefix }) => <code className="font-mono text-xs">{key_prefix}…</code>,
    },
    {
      id: "status",
      header: "Status",
      width: "110px",
      narrow: "end",
      cell: ({ status }) => <StatusMark status={status} />,
    },
    {
      id: "environment",
      header: "Environment",
      width: "140px",
      cell: ({ environment_id }) =>
        environment_id ? (environments.get(environment_id) ?? "one only") : <span className="text-ink-3">every</span>,
    },
    {
      id: "scopes",
      header: "Scopes",
      width: "minmax(120px, 1fr)",
      cell: ({ scopes }) =>
        scopes === null || scopes.includes("*") ? (
          "All"
        ) : (
          <Badge title={scopes.join(", ")}>{scopes.length === 1 ? scopes[0] : `${scopes.length} scopes`}</Badge>
        ),
    },
    {
      id: "expires",
      header: "Expires",
      width: "110px",
      cell: ({ expires_at }) => (expires_at ? <Time at={expires_at} /> : <span className="text-ink-3">never</span>),
    },
    {
      id: "created",
      header: "Created",
      width: "100px",
      align: "end",
      narrow: "meta",
      cell: ({ created_at }) => <Time at={created_at} className="text-ink-2" />,
    },
    {
      id: "actions",
      header: "",
      width: "44px",
      align: "end",
      cell: (key) =>
        key.status === "revoked" ? null : (
          <IconButton
            size="small"
            label={`Revoke ${key.name}`}
            refusal={refusal}
            icon={<Trash2 size={14} />}
            onClick={(event) => {
              event.stopPropagation();
              onRevoke(key);
            }}
          />
        ),
    },
  ];
}

function RevokeKey({ apiKey, onClose }: { apiKey: ApiKey | undefined; onClose: () => void }) {
  const { data: me } = useMe();
  const revoke = useChange<ApiKey>({
    run: ({ id }, send) => send("DELETE", `/v1/api-keys/${id}`),
    done: "Key revoked",
    outdates: ["/v1/api-keys"],
  });
  return (
    <ConfirmDialog
      open={apiKey !== undefined}
      danger
      onClose={onClose}
      title="Revoke this key?"
      action="Revoke key"
      onConfirm={async () => apiKey && revoke.mutateAsync(apiKey)}
    >
      <p>
        <strong className="font-medium text-ink">{apiKey?.name}</strong>{" "}
        <code className="font-mono text-xs">{apiKey?.key_prefix}…</code>
      </p>
      <p>Requests with this key are refused at once. This cannot be undone.</p>
      {apiKey?.id === me?.key_id && <p>You are signed in with it: you will be signed out.</p>}
    </ConfirmDialog>
  );
}
