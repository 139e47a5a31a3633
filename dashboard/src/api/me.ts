import type { Me } from "@millrace/contract/me";
import type { Scope } from "@millrace/contract/scopes";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { call } from "./call.ts";
import { asProblem } from "./problem.ts";

/** Who is signed in. Null: nobody. */
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

/** Why the caller may not do this, to be said on the button; undefined when they may. */
export function useRefusal(scope: Scope): string | undefined {
  const { data: me } = useMe();
  if (!me || me.kind === "internal_secret" || me.permissions.includes(scope)) return undefined;
  return `You need the ${scope} scope for this.`;
}

export function useMay(scope: Scope): boolean {
  return useRefusal(scope) === undefined;
}
