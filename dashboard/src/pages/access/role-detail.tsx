import type { Role } from "@millrace/contract/access/roles";
import { AREAS } from "@millrace/contract/access/scopes";
import { ArrowRight, Pencil, Trash2 } from "lucide-react";
import { Fragment, useState } from "react";
import { useDisabledReason } from "../../api/me.ts";
import { useApi, useChange } from "../../api/use-api.ts";
import { Section } from "../../parts/facts.tsx";
import { Button } from "../../parts/form/button.tsx";
import { plural } from "../../parts/format.ts";
import { Id } from "../../parts/id.tsx";
import { ConfirmDialog } from "../../parts/overlay/confirm-dialog.tsx";
import { Badge } from "../../parts/state/badge.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import { RoleDialog } from "./role-dialog.tsx";

const VERBS = ["read", "write", "trigger", "send"];
const BUILT_IN = "Built-in roles are the same in every project and cannot be changed.";

export function RoleDetail({ id, roles }: { id: string; roles: Role[] }) {
  const { data: role, error, refetch } = useApi<Role>(`/v1/roles/${id}`, { include_lineage: true });
  if (error && !role) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!role) return <SkeletonLines lines={8} />;
  return (
    <section aria-label={`Role ${role.name}`} className="card flex min-w-0 flex-col gap-5 p-4">
      <div className="flex flex-wrap items-center gap-3">
        <h2 className="font-semibold text-lg">{role.name}</h2>
        <Id value={role.id} />
        {role.is_system && <Badge>built in</Badge>}
        <div className="ml-auto flex gap-2">
          <ChangeRole role={role} roles={roles} />
          <DeleteRole role={role} />
        </div>
      </div>
      {role.description && <p className="text-ink-2">{role.description}</p>}
      <Section title="Inheritance">
        <Lineage role={role} />
      </Section>
      <Section title="Effective permissions">
        <Matrix role={role} />
      </Section>
    </section>
  );
}

/** The role and its ancestors: each also grants what its parent grants. */
function Lineage({ role }: { role: Role }) {
  const lineage = role.lineage ?? [];
  return (
    <ol className="flex flex-wrap items-stretch gap-2 max-sm:flex-col">
      {lineage.map((each, nth) => (
        <Fragment key={each.id}>
          {nth > 0 && (
            <li aria-hidden="true" className="flex items-center gap-1 text-ink-3 text-xs">
              inherits <ArrowRight size={14} className="max-sm:rotate-90" />
            </li>
          )}
          <li className="min-w-36 rounded-sm border bg-surface px-3 py-2">
            <p className="flex items-center gap-2 font-medium">
              {each.name} {each.is_system && <Badge>built in</Badge>}
            </p>
            <p className="text-ink-2 text-xs">
              {each.permissions.includes("*")
                ? "everything"
                : plural(each.permissions.length, "direct scope", "direct scopes")}
            </p>
          </li>
        </Fragment>
      ))}
    </ol>
  );
}

/** Areas by verbs; each cell shows the chain of roles that grants it. */
function Matrix({ role }: { role: Role }) {
  const granted = new Map((role.effective_permissions ?? []).map((each) => [each.permission, each]));
  const all = granted.get("*");
  const exists = (area: string, verb: string) =>
    verb === "read" ||
    verb === "write" ||
    ["jobs:trigger", "workflows:trigger", "events:send"].includes(`${area}:${verb}`);
  return (
    <section className="overflow-x-auto" tabIndex={0} aria-label="Permissions">
      <table className="w-full min-w-[560px] text-left">
        <thead className="border-b text-ink-2 text-xs">
          <tr>
            <th className="h-8 font-medium">Area</th>
            {VERBS.map((verb) => (
              <th key={verb} className="px-2 font-medium">
                {verb}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {AREAS.map((area) => (
            <tr key={area} className="border-b last:border-b-0">
              <th scope="row" className="h-9 whitespace-nowrap pr-2 font-normal">
                {area}
              </th>
              {VERBS.map((verb) => (
                <td key={verb} className="px-2">
                  {exists(area, verb) && <Granted by={granted.get(`${area}:${verb}`) ?? all} />}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

type Effective = NonNullable<Role["effective_permissions"]>[number];

function Granted({ by }: { by: Effective | undefined }) {
  if (!by) return <span className="text-ink-3 text-xs">no</span>;
  return (
    <span className="flex items-center gap-1.5 text-xs" title={by.path.join(" → ")}>
      <StatusMark status="ok" label="granted" as="mark" />
      <span className="text-ink-2">{by.path.length > 1 ? `via ${by.path.slice(1).join(" → ")}` : "direct"}</span>
    </span>
  );
}

function ChangeRole({ role, roles }: { role: Role; roles: Role[] }) {
  const [isOpen, setOpen] = useState(false);
  const disabledReason = useDisabledReason("access:write");
  return (
    <>
      <Button
        size="small"
        icon={<Pencil size={13} />}
        disabledReason={role.is_system ? BUILT_IN : disabledReason}
        onClick={() => setOpen(true)}
      >
        Edit role
      </Button>
      {isOpen && <RoleDialog role={role} roles={roles} onClose={() => setOpen(false)} />}
    </>
  );
}

function DeleteRole({ role }: { role: Role }) {
  const [isConfirming, setConfirming] = useState(false);
  const disabledReason = useDisabledReason("access:write");
  const remove = useChange<string>({
    run: (id, send) => send("DELETE", `/v1/roles/${id}`),
    done: "Role deleted",
    invalidates: ["/v1/roles", "/v1/members"],
  });
  return (
    <>
      <Button
        size="small"
        icon={<Trash2 size={13} />}
        disabledReason={role.is_system ? BUILT_IN : disabledReason}
        onClick={() => setConfirming(true)}
      >
        Delete role
      </Button>
      <ConfirmDialog
        danger
        open={isConfirming}
        onClose={() => setConfirming(false)}
        title={`Delete the role ${role.name}?`}
        action="Delete role"
        onConfirm={() => remove.mutateAsync(role.id)}
      >
        <p>A role that is assigned to members or inherited by another role cannot be deleted. This cannot be undone.</p>
      </ConfirmDialog>
    </>
  );
}
