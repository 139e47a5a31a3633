import type { Queue } from "@millrace/contract/workers/queues";
import { type Page, useApi } from "../../../api/use-api.ts";
import type { Choice } from "../../../parts/form/choice-field.tsx";

export const DELIVERY_CHOICES: Choice[] = [
  ["push", "Push to an endpoint"],
  ["pull", "Pull by workers"],
];

/** The current queue and the first hundred others. */
export function useQueueChoices(current: string): Choice[] {
  const { data } = useApi<Page<Queue>>("/v1/queues", { limit: 100 });
  const others = data?.data.map(({ name }) => name).filter((name) => name !== current) ?? [];
  return [current, ...others.sort()].map((name): Choice => [name, name]);
}
