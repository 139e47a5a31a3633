import type { WebhookSubscription } from "@millrace/contract/deliveries/webhook-subscriptions";
import { Plus, Radio } from "lucide-react";
import { useMemo, useState } from "react";
import { useDisabledReason } from "../../api/me.ts";
import { useApiList, useChange } from "../../api/use-api.ts";
import { AsCode } from "../../parts/code/as-code.tsx";
import { CodeBlock } from "../../parts/code/code-block.tsx";
import { Button } from "../../parts/form/button.tsx";
import { ConfirmDialog } from "../../parts/overlay/confirm-dialog.tsx";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { ListPage } from "../../parts/table/list-page.tsx";
import { useCommands } from "../../shell/command-menu/commands.ts";
import { codeOf } from "../code-of.ts";
import { subscriptionColumns } from "./subscription-columns.tsx";
import { SubscriptionDialog } from "./subscription-dialog.tsx";
import { TestSubscription } from "./test-subscription.tsx";

type Open = { dialog: "edit" | "test" | "delete"; subscription: WebhookSubscription } | { dialog: "create" };

const PATH = "/v1/webhook-subscriptions";
const CODE = codeOf({
  method: "POST",
  path: PATH,
  body: { url: "https://example.com/hooks", events: ["run.failed"], filter: 'event.data.tags.team == "billing"' },
});

/** Where events of the project are delivered. */
export default function WebhookSubscriptionsPage() {
  const list = useApiList<WebhookSubscription>(PATH);
  const disabledReason = useDisabledReason("webhooks:write");
  const [open, setOpen] = useState<Open>();
  const toggle = useChange<WebhookSubscription>({
    run: ({ id, enabled }, send) => send("PATCH", `${PATH}/${id}`, { enabled: !enabled }),
    done: (_, { enabled }) => (enabled ? "Subscription disabled" : "Subscription enabled"),
    undo: (subscription) => ({ ...subscription, enabled: !subscription.enabled }),
    invalidates: [PATH],
  });
  const columns = useMemo(
    () =>
      subscriptionColumns({
        disabledReason,
        onToggle: toggle.mutate,
        onAct: (dialog, subscription) => setOpen({ dialog, subscription }),
      }),
    [disabledReason, toggle.mutate],
  );
  const create = () => setOpen({ dialog: "create" });
  useCommands([{ label: "Create webhook subscription", run: () => disabledReason ?? create() }]);
  const close = () => setOpen(undefined);
  return (
    <ListPage
      title="Webhook subscriptions"
      label="Webhook subscriptions"
      actions={
        <>
          <AsCode about="Webhook subscriptions" code={codeOf({ method: "GET", path: PATH })} />
          <Button kind="primary" icon={<Plus size={15} />} disabledReason={disabledReason} onClick={create}>
            Create subscription
          </Button>
        </>
      }
      list={list}
      columns={columns}
      empty={
        <EmptyState
          icon={<Radio size={20} />}
          title="No webhook subscriptions yet"
          code={<CodeBlock title="Create a subscription" code={CODE.curl} />}
        >
          A subscription delivers events of the project, such as failed runs, to a URL of yours, signed and retried.
        </EmptyState>
      }
    >
      {open?.dialog === "create" && <SubscriptionDialog subscription={undefined} onClose={close} />}
      {open?.dialog === "edit" && <SubscriptionDialog subscription={open.subscription} onClose={close} />}
      {open?.dialog === "test" && <TestSubscription subscription={open.subscription} onClose={close} />}
      {open?.dialog === "delete" && <DeleteSubscription subscription={open.subscription} onClose={close} />}
    </ListPage>
  );
}

function DeleteSubscription({
  subscription: { id, url },
  onClose,
}: {
  subscription: WebhookSubscription;
  onClose: () => void;
}) {
  const remove = useChange({
    run: (_, send) => send("DELETE", `${PATH}/${id}`),
    done: "Subscription deleted",
    invalidates: [PATH],
  });
  return (
    <ConfirmDialog
      open
      danger
      onClose={onClose}
      title="Delete this subscription?"
      action="Delete subscription"
      onConfirm={() => remove.mutateAsync()}
    >
      <p className="break-all">
        No more events are delivered to <code className="font-mono text-xs">{url}</code>. Deliveries that already exist
        continue.
      </p>
    </ConfirmDialog>
  );
}
