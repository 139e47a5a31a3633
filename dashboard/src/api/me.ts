import type { Me } from "@millrace/contract/access/me";
import type { Scope } from "@millrace/contract/access/scopes";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { usePlace } from "../shell/place/place.ts";
import { call } from "./call.ts";
import { asProblem } from "./problem.ts";

/** The signed-in caller; null if nobody is signed in. */
export function useMe() {
  return useQuery(ME);
}

export const ME = queryOptions({
  queryKey: ["me"],
  queryFn: async ({ signal }): Promise<Me | null> => {
    try {
      return await call<Me>("GET", "/v1/me", { signal });
    } catch (error) {
      if (asProblem(error).status === 401) return null;
      throw error;
    }
  },
  staleTime: 5 * 60_000,
});

/** What the caller may do: a member in the current project, others everywhere. */
export function usePermissions(): readonly string[] {
  const { data: me } = useMe();
  const { project } = usePlace();
  if (me?.kind !== "member") return me?.permissions ?? [];
  const here = me.memberships.find(({ project_id, project_slug }) => [project_id, project_slug].includes(project));
  return here?.permissions ?? [];
}

/** Why a button is disabled for this caller; undefined if the caller has the scope. */
export function useDisabledReason(scope: Scope): string | undefined {
  const { data: me } = useMe();
  const permissions = usePermissions();
  if (!me || me.kind === "internal_secret" || permissions.includes(scope)) return undefined;
  return `You need the ${scope} scope for this.`;
}

export function useMay(scope: Scope): boolean {
  return useDisabledReason(scope) === undefined;
}
