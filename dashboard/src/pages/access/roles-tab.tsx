import type { Role } from "@millrace/contract/access/roles";
import { Plus } from "lucide-react";
import { useState } from "react";
import { useDisabledReason } from "../../api/me.ts";
import { type Page, useApi } from "../../api/use-api.ts";
import { cx } from "../../parts/class-names.ts";
import { Button } from "../../parts/form/button.tsx";
import { Badge } from "../../parts/state/badge.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";
import { useSearchParams } from "../../shell/place/place.ts";
import { RoleDetail } from "./role-detail.tsx";
import { RoleDialog } from "./role-dialog.tsx";

export function useRoles() {
  return useApi<Page<Role>>("/v1/roles", { limit: 100 });
}

/** Roles on the left; the selected one with its inheritance and permissions on the right. */
export function RolesTab() {
  const { data, error, refetch } = useRoles();
  const [{ role }, change] = useSearchParams();
  const [isCreating, setCreating] = useState(false);
  const disabledReason = useDisabledReason("access:write");
  const roles = data?.data ?? [];
  const chosen =
    roles.find(({ id, name }) => id === role || name === role) ?? roles.find(({ is_system }) => !is_system) ?? roles[0];
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <SkeletonLines lines={6} />;
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[300px_1fr]">
      <section aria-label="Roles" className="card overflow-hidden">
        <div className="flex h-12 items-center justify-between border-b pr-2 pl-4">
          <h2 className="font-medium">Roles</h2>
          <Button
            size="small"
            icon={<Plus size={14} />}
            disabledReason={disabledReason}
            onClick={() => setCreating(true)}
          >
            Create role
          </Button>
        </div>
        <ul className="divide-y">
          {roles.map((each) => (
            <li key={each.id}>
              <button
                type="button"
                aria-pressed={each.id === chosen?.id}
                onClick={() => change({ role: each.id }, { replace: true })}
                className={cx(
                  "flex min-h-11 w-full items-center gap-2 px-4 py-1.5 text-left -outline-offset-2 hover:bg-surface",
                  each.id === chosen?.id && "bg-selected",
                )}
              >
                <span className="min-w-0 flex-1 truncate font-medium">{each.name}</span>
                {each.is_system && <Badge>built in</Badge>}
              </button>
            </li>
          ))}
        </ul>
      </section>
      {chosen && <RoleDetail key={chosen.id} id={chosen.id} roles={roles} />}
      {isCreating && (
        <RoleDialog
          roles={roles}
          onClose={() => setCreating(false)}
          onSaved={(created) => change({ role: created.id })}
        />
      )}
    </div>
  );
}
