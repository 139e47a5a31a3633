import { useQuery } from "@tanstack/react-query";
import type { Suggest } from "../../../parts/code/suggestions.ts";
import { checkSchema } from "../../shared-runs/check-schema.ts";
import { suggestJson } from "../../shared-runs/suggest-json.ts";

/** Issues of the changed settings according to the API schema, and suggestions for other settings. */
export function useSettingIssues(changes: Record<string, unknown>) {
  const { data: schema } = useQuery({
    queryKey: ["schema", "UpdateJob"],
    queryFn: async ({ signal }) => {
      const response = await fetch("/schemas/UpdateJob.json", { signal });
      return response.ok ? ((await response.json()) as unknown) : null;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  const found = checkSchema(schema, changes, "").map(({ location, message }) => ({
    location: location.replace(/^\./, ""),
    message,
  }));
  const suggest: Suggest = (text, caret) => suggestJson(schema, text, caret);
  return { found, suggest };
}
