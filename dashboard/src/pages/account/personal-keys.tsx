import type { ApiKey } from "@millrace/contract/access/api-keys";
import { Plus } from "lucide-react";
import { useState } from "react";
import { useApiList, useChange } from "../../api/use-api.ts";
import { Button } from "../../parts/form/button.tsx";
import { ConfirmDialog } from "../../parts/overlay/confirm-dialog.tsx";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";
import { PersonalKeyList } from "../shared-members/personal-key-list.tsx";
import { Card } from "./card.tsx";
import { CreatePersonalKey } from "./create-personal-key.tsx";

const PATH = "/v1/api-keys/personal";

/** The caller's personal keys in this project. */
export function PersonalKeys() {
  const { rows, error, refetch } = useApiList<ApiKey>(PATH, { status: "active" });
  const [isCreating, setCreating] = useState(false);
  const [revoked, setRevoked] = useState<ApiKey>();
  const revoke = useChange<ApiKey>({
    run: ({ id }, send) => send("DELETE", `${PATH}/${id}`),
    done: "Key revoked",
    invalidates: ["/v1/api-keys"],
  });
  const create = (
    <Button size="small" icon={<Plus size={14} />} onClick={() => setCreating(true)}>
      Create personal key
    </Button>
  );
  return (
    <Card title="Personal keys" actions={create}>
      {error && <ErrorState as="banner" error={error} onRetry={() => void refetch()} />}
      {!rows && !error && <SkeletonLines lines={2} />}
      {rows?.length === 0 && (
        <EmptyState small title="No personal keys">
          A personal key acts on your behalf in this project, with your role. It is revoked when you leave.
        </EmptyState>
      )}
      {rows && rows.length > 0 && <PersonalKeyList keys={rows} onRevoke={setRevoked} />}
      <CreatePersonalKey open={isCreating} onClose={() => setCreating(false)} />
      <ConfirmDialog
        danger
        open={revoked !== undefined}
        onClose={() => setRevoked(undefined)}
        title="Revoke this key?"
        action="Revoke key"
        onConfirm={async () => revoked && revoke.mutateAsync(revoked)}
      >
        <p>
          Requests with <strong className="font-medium text-ink">{revoked?.name}</strong> fail immediately. This cannot
          be undone.
        </p>
      </ConfirmDialog>
    </Card>
  );
}
