import type { ResourcePolicy, TagPolicy } from "@millrace/contract/access/policies";
import { Pencil, Plus, Shield, Trash2 } from "lucide-react";
import { useState } from "react";
import { useDisabledReason } from "../../api/me.ts";
import { type Page, useApi, useChange } from "../../api/use-api.ts";
import { Button } from "../../parts/form/button.tsx";
import { IconButton } from "../../parts/form/icon-button.tsx";
import { ConfirmDialog } from "../../parts/overlay/confirm-dialog.tsx";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import { PolicyDialog } from "./policy-dialog.tsx";
import { useRoles } from "./roles-tab.tsx";

type Policy = { path: string; policy: ResourcePolicy | TagPolicy };

/** Policies allow or deny beyond roles and scopes. A deny overrides everything. */
export function PoliciesTab() {
  const { policies, isRead, error, refetch } = usePolicies();
  const disabledReason = useDisabledReason("access:write");
  const [isCreating, setCreating] = useState(false);
  const [removed, setRemoved] = useState<Policy>();
  const [changed, setChanged] = useState<Policy>();
  const nameOf = useSubjectName();
  return (
    <section aria-label="Policies" className="card overflow-hidden">
      <div className="flex h-12 items-center justify-between border-b pr-2 pl-4">
        <h2 className="font-medium">Policies</h2>
        <Button
          size="small"
          icon={<Plus size={14} />}
          disabledReason={disabledReason}
          onClick={() => setCreating(true)}
        >
          Create policy
        </Button>
      </div>
      {error && <ErrorState as="banner" error={error} onRetry={() => void refetch()} />}
      {policies.length === 0 && isRead && (
        <EmptyState small icon={<Shield size={20} />} title="No policies">
          Access is decided by roles and scopes alone. A policy allows or denies actions on one object, or on every
          object with a tag.
        </EmptyState>
      )}
      <ul className="divide-y">
        {policies.map((each) => (
          <PolicyRow
            key={each.policy.id}
            policy={each.policy}
            subject={nameOf(each.policy.subject)}
            disabledReason={disabledReason}
            onChange={() => setChanged(each)}
            onRemove={() => setRemoved(each)}
          />
        ))}
      </ul>
      {isCreating && <PolicyDialog onClose={() => setCreating(false)} />}
      {changed && <PolicyDialog policy={changed.policy} onClose={() => setChanged(undefined)} />}
      <DeletePolicy removed={removed} onClose={() => setRemoved(undefined)} />
    </section>
  );
}

function usePolicies() {
  const byResource = useApi<Page<ResourcePolicy>>("/v1/resource-policies", { limit: 100 });
  const byTag = useApi<Page<TagPolicy>>("/v1/tag-policies", { limit: 100 });
  const policies: Policy[] = [
    ...(byResource.data?.data ?? []).map((policy) => ({ path: "/v1/resource-policies", policy })),
    ...(byTag.data?.data ?? []).map((policy) => ({ path: "/v1/tag-policies", policy })),
  ];
  return {
    policies,
    isRead: byResource.data !== undefined && byTag.data !== undefined,
    error: byResource.error ?? byTag.error,
    refetch: () => Promise.all([byResource.refetch(), byTag.refetch()]),
  };
}

/** Policies reference roles by id. */
function useSubjectName() {
  const roles = useRoles().data?.data;
  return (subject: string) => {
    const role = roles?.find(({ id }) => subject === `role:${id}`);
    return role ? `role:${role.name}` : subject;
  };
}

type RowProps = {
  policy: Policy["policy"];
  subject: string;
  disabledReason: string | undefined;
  onChange: () => void;
  onRemove: () => void;
};

function PolicyRow({ policy, subject, disabledReason, onChange, onRemove }: RowProps) {
  const isDeny = policy.effect === "deny";
  return (
    <li className="flex min-h-11 items-center gap-3 px-4 py-1.5">
      <span className="w-20 flex-none">
        <StatusMark status={isDeny ? "failed" : "ok"} label={isDeny ? "Deny" : "Allow"} />
      </span>
      <p className="min-w-0 flex-1">
        <Code>{subject}</Code> <span className="text-ink-2">{isDeny ? "cannot" : "can"}</span>{" "}
        <Code>{policy.actions.join(", ")}</Code> <span className="text-ink-2">on</span> <Code>{targetOf(policy)}</Code>
        {policy.description && <span className="block text-ink-3 text-xs">{policy.description}</span>}
        {!policy.matches_anything && <span className="block text-retrying-ink text-xs">{idleReason(policy)}</span>}
      </p>
      <IconButton
        size="small"
        label="Edit policy"
        disabledReason={disabledReason}
        icon={<Pencil size={14} />}
        onClick={onChange}
      />
      <IconButton
        size="small"
        label="Delete policy"
        disabledReason={disabledReason}
        icon={<Trash2 size={14} />}
        onClick={onRemove}
      />
    </li>
  );
}

function Code({ children }: { children: string }) {
  return <code className="rounded-xs bg-surface px-1 font-mono text-xs">{children}</code>;
}

function targetOf(policy: ResourcePolicy | TagPolicy): string {
  if ("tag_key" in policy) return `tag ${policy.tag_key}${policy.tag_value === null ? "" : `=${policy.tag_value}`}`;
  return policy.resource_type === "*" ? "everything" : `${policy.resource_type} ${policy.resource_id}`;
}

function idleReason(policy: ResourcePolicy | TagPolicy): string {
  if ("tag_key" in policy) return "Matches nothing: no job, workflow or recent run has this tag.";
  return `Matches nothing: the ${policy.resource_type === "*" ? "object" : policy.resource_type} no longer exists.`;
}

function DeletePolicy({ removed, onClose }: { removed: Policy | undefined; onClose: () => void }) {
  const remove = useChange<Policy>({
    run: ({ path, policy }, send) => send("DELETE", `${path}/${policy.id}`),
    done: "Policy deleted",
    invalidates: ["/v1/resource-policies", "/v1/tag-policies"],
  });
  return (
    <ConfirmDialog
      danger
      open={removed !== undefined}
      onClose={onClose}
      title="Delete this policy?"
      action="Delete policy"
      onConfirm={async () => removed && remove.mutateAsync(removed)}
    >
      <p>Access is then decided by roles, scopes and the remaining policies. Takes effect immediately.</p>
    </ConfirmDialog>
  );
}
