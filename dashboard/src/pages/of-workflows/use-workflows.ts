import type { Workflow } from "@millrace/contract/workflows";
import { useMemo } from "react";
import { type Page, useApi } from "../../api/use-api.ts";

/** The first hundred workflows, for their names in lists. */
export function useWorkflows(): ReadonlyMap<string, Workflow> {
  const { data } = useApi<Page<Workflow>>("/v1/workflows", { limit: 100 });
  return useMemo(() => new Map(data?.data.map((workflow) => [workflow.id, workflow])), [data]);
}
