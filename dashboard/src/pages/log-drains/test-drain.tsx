import type { LogDrain, LogDrainTest } from "@millrace/contract/deliveries/log-drains";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../parts/form/button.tsx";
import { useSubmit } from "../../parts/form/use-submit.ts";
import { Dialog } from "../../parts/overlay/dialog.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { TestResult } from "../shared-forms/test-result.tsx";

/** Sends a test record and shows the receiver's response. */
export function TestDrain({ drain: { id, name, url }, onClose }: { drain: LogDrain; onClose: () => void }) {
  const test = useChange<void, LogDrainTest>({ run: (_, send) => send("POST", `/v1/log-drains/${id}/test`) });
  const { error, isBusy, send } = useSubmit(() => test.mutateAsync());
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Test ${name}`}
      description={<span className="break-all">Sends one test record to {url}.</span>}
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button kind="primary" busy={isBusy} onClick={() => void send()}>
            Send test record
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
