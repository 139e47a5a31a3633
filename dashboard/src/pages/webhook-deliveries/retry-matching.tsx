import type { BatchOperation } from "@millrace/contract/runs/batch-operations";
import { useRouter } from "@tanstack/react-router";
import { RotateCw } from "lucide-react";
import { useState } from "react";
import { useDisabledReason } from "../../api/me.ts";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../parts/form/button.tsx";
import { ConfirmDialog } from "../../parts/overlay/confirm-dialog.tsx";
import { STILL_LOADING } from "../../parts/state/messages.ts";
import { usePlace } from "../../shell/place/place.ts";

/** `failed`: number of failed deliveries in the list; undefined while loading. */
type Props = { filter: Record<string, string>; failed: number | undefined };

/** Retries all failed deliveries that match the filter, as a batch operation. */
export function RetryMatching({ filter, failed }: Props) {
  const [isConfirming, setConfirming] = useState(false);
  const disabledReason = useDisabledReason("webhooks:write");
  const { history } = useRouter();
  const { at } = usePlace();
  const retry = useChange<void, BatchOperation>({
    run: (_, send) => send<BatchOperation>("POST", "/v1/webhook-deliveries/bulk-retry", { filter }),
    done: "Retrying in the background",
    invalidates: ["/v1/webhook-deliveries"],
    onDone: ({ id }) => history.push(at(`batch-operations/${id}`)),
  });
  const parts = Object.entries(filter);
  return (
    <>
      <Button
        icon={<RotateCw size={14} />}
        disabledReason={disabledReason ?? disabledReasonOf(failed)}
        onClick={() => setConfirming(true)}
      >
        Retry all matching
      </Button>
      <ConfirmDialog
        open={isConfirming}
        onClose={() => setConfirming(false)}
        title="Retry all failed deliveries?"
        action="Retry deliveries"
        onConfirm={() => retry.mutateAsync()}
      >
        <p>
          Every matching delivery in the dead-letter queue is sent again from its first attempt. A batch operation shows
          the progress.
        </p>
        <p>
          {parts.length === 0 ? "No filter: all failed deliveries of the project." : "Filter: "}
          {parts.map(([name, value]) => (
            <code key={name} className="mr-2 font-mono text-xs">
              {name}:{value}
            </code>
          ))}
        </p>
      </ConfirmDialog>
    </>
  );
}

function disabledReasonOf(failed: number | undefined): string | undefined {
  if (failed === undefined) return STILL_LOADING;
  return failed === 0 ? "No failed deliveries in this list." : undefined;
}
