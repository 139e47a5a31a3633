import type { ApiKey } from "@millrace/contract/access/api-keys";
import { useMe } from "../../api/me.ts";
import { useChange } from "../../api/use-api.ts";
import { ConfirmDialog } from "../../parts/overlay/confirm-dialog.tsx";

export function RevokeKey({ apiKey, onClose }: { apiKey: ApiKey | undefined; onClose: () => void }) {
  const { data: me } = useMe();
  const revoke = useChange<ApiKey>({
    run: ({ id }, send) => send("DELETE", `/v1/api-keys/${id}`),
    done: "Key revoked",
    invalidates: ["/v1/api-keys"],
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
      <p>Requests with this key fail immediately. This cannot be undone.</p>
      {apiKey?.id === me?.key_id && <p>You are signed in with this key and will be signed out.</p>}
    </ConfirmDialog>
  );
}
