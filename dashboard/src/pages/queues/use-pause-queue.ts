import type { Queue } from "@millrace/contract/workers/queues";
import { useChange } from "../../api/use-api.ts";

/** Pauses or resumes a queue. */
export function usePauseQueue() {
  return useChange<Queue, Queue>({
    run: ({ name, paused }, send) => send("POST", `/v1/queues/${name}/${paused ? "resume" : "pause"}`, {}),
    done: (_, { name, paused }) => (paused ? `${name} resumed` : `${name} paused. The runs of its jobs wait.`),
    undo: (queue) => ({ ...queue, paused: !queue.paused }),
    invalidates: ["/v1/queues"],
  });
}
