import { useRouter } from "@tanstack/react-router";
import { plural } from "../../parts/format.ts";
import { toast } from "../../parts/overlay/toasts.tsx";
import { usePlace } from "../../shell/place/place.ts";

/** One batch per hundred runs. */
export type BulkResult = { batch_ids: string[]; done: number; failed: number };

/** Reports a bulk action: a toast with a link, or navigation to the batch. Clears the selection. */
export function useBulkResult(clear: () => void) {
  const { at } = usePlace();
  const { history } = useRouter();
  const open = (ids: readonly string[]) =>
    history.push(ids.length === 1 ? at(`batch-operations/${ids[0]}`) : at("batch-operations"));
  return {
    /** One batch opens its page, several open the list, newest first. */
    openBatches: (ids: readonly string[]) => {
      clear();
      open(ids);
    },
    notify: (verb: string, { done, failed, batch_ids }: BulkResult) => {
      clear();
      toast({
        tone: failed > 0 ? "warn" : "good",
        title: `${verb} ${plural(done, "run")}`,
        detail: failed > 0 ? `${plural(failed, "run")} failed. View the result for details.` : undefined,
        action: { label: "View result", onClick: () => open(batch_ids) },
      });
    },
  };
}
