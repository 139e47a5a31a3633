import type { EventSource, EventSubscription } from "@millrace/contract/events/event-sources";
import { Pause, Pencil, Play, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { useDisabledReason } from "../../api/me.ts";
import { useApiList, useChange } from "../../api/use-api.ts";
import { Section } from "../../parts/facts.tsx";
import { Button } from "../../parts/form/button.tsx";
import { IconButton } from "../../parts/form/icon-button.tsx";
import { Link } from "../../parts/link.tsx";
import { ConfirmDialog } from "../../parts/overlay/confirm-dialog.tsx";
import { Badge } from "../../parts/state/badge.tsx";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";
import { usePlace } from "../../shell/place/place.ts";
import { SubscriptionDialog } from "./subscription-dialog.tsx";
import { useTargetName } from "./use-target-name.ts";

type Open = { dialog: "edit" | "delete"; subscription: EventSubscription } | { dialog: "create" };

/** What the source starts. */
export function Subscriptions({ source }: { source: EventSource }) {
  const path = `/v1/event-sources/${source.id}/subscriptions`;
  const { rows, error, refetch } = useApiList<EventSubscription>(path, { limit: 100 });
  const disabledReason = useDisabledReason("events:write");
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  return (
    <Section
      title="Subscriptions"
      actions={
        <Button
          size="small"
          icon={<Plus size={13} />}
          disabledReason={disabledReason}
          onClick={() => setOpen({ dialog: "create" })}
        >
          Add subscription
        </Button>
      }
    >
      {error && <ErrorState error={error} as="banner" onRetry={() => void refetch()} />}
      {!rows && !error && <SkeletonLines lines={4} />}
      {rows?.length === 0 && (
        <EmptyState small title="No subscriptions">
          Add one to start a job or a workflow for each event of this source.
        </EmptyState>
      )}
      {rows && rows.length > 0 && (
        <ul aria-label="Subscriptions" className="card divide-y">
          {rows.map((subscription) => (
            <Row
              key={subscription.id}
              subscription={subscription}
              path={path}
              disabledReason={disabledReason}
              onAct={(dialog) => setOpen({ dialog, subscription })}
            />
          ))}
        </ul>
      )}
      {open?.dialog === "create" && <SubscriptionDialog source={source} subscription={undefined} onClose={close} />}
      {open?.dialog === "edit" && (
        <SubscriptionDialog source={source} subscription={open.subscription} onClose={close} />
      )}
      {open?.dialog === "delete" && <DeleteSubscription path={path} subscription={open.subscription} onClose={close} />}
    </Section>
  );
}

type RowProps = {
  subscription: EventSubscription;
  path: string;
  disabledReason: string | undefined;
  onAct: (dialog: "edit" | "delete") => void;
};

function Row({ subscription, path, disabledReason, onAct }: RowProps) {
  const { id, job_id, workflow_id, filter, concurrency_key, payload, enabled } = subscription;
  const { at } = usePlace();
  const name = useTargetName()(subscription);
  const toggle = useChange<boolean>({
    run: (isEnabled, send) => send("PATCH", `${path}/${id}`, { enabled: isEnabled }),
    done: (_, isEnabled) => (isEnabled ? "Subscription enabled" : "Subscription disabled"),
    undo: (isEnabled) => !isEnabled,
    invalidates: [path],
  });
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
      <div className="min-w-40 flex-1">
        <p className="flex items-center gap-2">
          <Link
            href={at(job_id ? `jobs/${job_id}` : `workflows/${workflow_id}`)}
            className="font-medium hover:text-accent hover:underline"
          >
            {name}
          </Link>
          <Badge>{job_id ? "job" : "workflow"}</Badge>
          {!enabled && <Badge>disabled</Badge>}
        </p>
        <p className="text-ink-2 text-xs">
          {filter ? <code className="font-mono">{filter}</code> : "every event"}
          {payload !== null && ", custom payload"}
          {concurrency_key && (
            <>
              , key <code className="font-mono">{concurrency_key}</code>
            </>
          )}
        </p>
      </div>
      <span className="flex">
        <IconButton
          label={`${enabled ? "Disable" : "Enable"} subscription of ${name}`}
          disabledReason={disabledReason}
          icon={enabled ? <Pause size={15} /> : <Play size={15} />}
          onClick={() => toggle.mutate(!enabled)}
        />
        <IconButton
          label={`Edit subscription of ${name}`}
          disabledReason={disabledReason}
          icon={<Pencil size={15} />}
          onClick={() => onAct("edit")}
        />
        <IconButton
          label={`Delete subscription of ${name}`}
          disabledReason={disabledReason}
          icon={<Trash2 size={15} />}
          onClick={() => onAct("delete")}
        />
      </span>
    </li>
  );
}

type DeleteProps = { path: string; subscription: EventSubscription; onClose: () => void };

function DeleteSubscription({ path, subscription, onClose }: DeleteProps) {
  const name = useTargetName()(subscription);
  const remove = useChange({
    run: (_, send) => send("DELETE", `${path}/${subscription.id}`),
    done: "Subscription deleted",
    invalidates: [path],
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
      <p>Events of the source no longer start {name}.</p>
    </ConfirmDialog>
  );
}
