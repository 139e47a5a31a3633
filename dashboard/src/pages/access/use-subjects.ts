import type { ApiKey } from "@millrace/contract/access/api-keys";
import type { Member } from "@millrace/contract/access/members";
import { useMemo } from "react";
import { useMay } from "../../api/me.ts";
import { type Page, useApi } from "../../api/use-api.ts";
import { useRoles } from "./roles-tab.tsx";

const MANY = { limit: 100 };

/** Subjects for policies and access checks, in the format of the API. */
export function useSubjects(): { id: string; label: string }[] {
  const keys = useApi<Page<ApiKey>>("/v1/api-keys", MANY, useMay("api-keys:read")).data;
  const members = useApi<Page<Member>>("/v1/members", MANY).data;
  const roles = useRoles().data;
  return useMemo(
    () => [
      ...(roles?.data ?? []).map(({ name }) => ({ id: `role:${name}`, label: `Role ${name}` })),
      ...(members?.data ?? []).map(({ subject, name }) => ({
        id: `member:${subject}`,
        label: `Member ${name ?? subject}`,
      })),
      ...(keys?.data ?? [])
        .filter(({ status, subject }) => status === "active" && subject === null)
        .map(({ id, name }) => ({ id: `api_key:${id}`, label: `Key ${name}` })),
    ],
    [roles, members, keys],
  );
}
