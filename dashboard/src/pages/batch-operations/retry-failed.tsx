import type { BatchItem, BatchOperation } from "@millrace/contract/runs/batch-operations";
import { useRouter } from "@tanstack/react-router";
import { RotateCcw } from "lucide-react";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { useDisabledReason } from "../../api/me.ts";
import type { Page } from "../../api/use-api.ts";
import { Button } from "../../parts/form/button.tsx";
import { plural } from "../../parts/format.ts";
import { ConfirmDialog } from "../../parts/overlay/confirm-dialog.tsx";
import { usePlace } from "../../shell/place/place.ts";
import { isLive } from "./batch-kinds.ts";

/** How to retry items by run id, a hundred at a time. */
const AGAIN: Record<string, string> = {
  cancel: "/v1/runs/bulk-cancel",
  cancel_all: "/v1/runs/bulk-cancel",
  replay: "/v1/runs/bulk-replay",
  dlq_replay: "/v1/runs/bulk-dlq-replay",
};
const MAX = 100;

/** Retries the failed items as a new batch operation. */
export function RetryFailed({ batch }: { batch: BatchOperation }) {
  const [isConfirming, setConfirming] = useState(false);
  const { project, at } = usePlace();
  const { history } = useRouter();
  const noScope = useDisabledReason("runs:write");
  const path = AGAIN[batch.kind];
  const count = Math.min(batch.failed, MAX);
  const disabledReason = noScope ?? reasonOf(batch, path);
  const again = async () => {
    const query = { status: "failed", order: "asc", limit: MAX };
    const { data } = await call<Page<BatchItem>>("GET", `/v1/batch-operations/${batch.id}/items`, { project, query });
    const run_ids = data.flatMap(({ target_id }) => target_id ?? []);
    const { batch_id, id } = await call<{ batch_id?: string; id?: string }>("POST", path ?? "", {
      project,
      body: { run_ids },
    });
    history.push(at(`batch-operations/${batch_id ?? id}`));
  };
  return (
    <>
      <Button icon={<RotateCcw size={14} />} disabledReason={disabledReason} onClick={() => setConfirming(true)}>
        Retry failed
      </Button>
      <ConfirmDialog
        open={isConfirming}
        onClose={() => setConfirming(false)}
        title={`Retry ${plural(count, "item")}?`}
        action={`Retry ${plural(count, "item")}`}
        onConfirm={again}
      >
        <p>Retries the failed items in a new batch operation.</p>
        {batch.failed > MAX && (
          <p>
            Only the first {MAX} of {batch.failed} will be retried.
          </p>
        )}
      </ConfirmDialog>
    </>
  );
}

function reasonOf(batch: BatchOperation, path: string | undefined): string | undefined {
  if (path === undefined) return "Failed items of this kind of batch operation cannot be retried.";
  if (batch.failed === 0) return "No items failed.";
  return isLive(batch) ? "The batch operation is still running." : undefined;
}
