import type { WorkflowPlan } from "@millrace/contract/workflows/workflow-versions";
import type { Workflow } from "@millrace/contract/workflows/workflows";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { call } from "../../../api/call.ts";
import { usePlace } from "../../../shell/place/place.ts";
import type { Definition } from "./draft.ts";

const DEBOUNCE_MS = 500;

/** The service's plan for the edited steps, requested again after a pause in typing. */
export function usePlan({ id }: Workflow, { steps }: Definition) {
  const { project } = usePlace();
  const body = useSettled(JSON.stringify({ steps }));
  return useQuery({
    queryKey: [project, `/v1/workflows/${id}/plan`, body],
    queryFn: ({ signal }) =>
      call<WorkflowPlan>("POST", `/v1/workflows/${id}/plan`, { project, signal, body: JSON.parse(body) }),
    enabled: steps.length > 0,
    placeholderData: keepPreviousData,
    retry: false,
  });
}

function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
