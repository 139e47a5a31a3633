import { useQuery } from "@tanstack/react-query";

/** A JSON Schema of the API. It does not change while the page is open. */
export function useStepSchema(): Record<string, unknown> | null | undefined {
  const { data } = useQuery({
    queryKey: ["schema", "StepInput"],
    queryFn: async ({ signal }) => {
      const response = await fetch("/schemas/StepInput.json", { signal });
      return response.ok ? ((await response.json()) as Record<string, unknown>) : null;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data;
}
