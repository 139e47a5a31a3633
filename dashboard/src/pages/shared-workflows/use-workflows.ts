import type { Workflow } from "@millrace/contract/workflows/workflows";
import { useMay } from "../../api/me.ts";
import { useAll } from "../../api/use-all.ts";

/** Workflows by id, to show their names in lists. */
export function useWorkflows(): ReadonlyMap<string, Workflow> | undefined {
  return useAll<Workflow>("/v1/workflows", useMay("workflows:read"));
}
