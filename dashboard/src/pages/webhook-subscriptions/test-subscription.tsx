import type { WebhookSubscription, WebhookTest } from "@millrace/contract/deliveries/webhook-subscriptions";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../parts/form/button.tsx";
import { useSubmit } from "../../parts/form/use-submit.ts";
import { Dialog } from "../../parts/overlay/dialog.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { TestResult } from "../shared-forms/test-result.tsx";

/** Sends a test event and shows the receiver's response. */
export function TestSubscription({
  subscription: { id, url },
  onClose,
}: {
  subscription: WebhookSubscription;
  onClose: () => void;
}) {
  const test = useChange<void, WebhookTest>({
    run: (_, send) => send("POST", `/v1/webhook-subscriptions/${id}/test`),
  });
  const { error, isBusy, send } = useSubmit(() => test.mutateAsync());
  return (
    <Dialog
      open
      onClose={onClose}
      title="Test subscription"
      description={<span className="break-all">Sends one webhook.test event to {url}. It is not stored.</span>}
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button kind="primary" busy={isBusy} onClick={() => void send()}>
            Send test event
          </Button>
        </>
      }
    >
      {error !== undefined && <ErrorState error={error} as="banner" />}
      {test.data && <TestResult result={test.data} />}
      {!test.data && error === undefined && <p className="text-ink-2">The result appears here.</p>}
    </Dialog>
  );
}
