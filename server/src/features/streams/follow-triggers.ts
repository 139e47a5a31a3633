import type { StreamChange } from "@millrace/contract/streams";
import { isRunWithin, isWorkflowRunWithin, limitsOf } from "../../platform/access/token-limits.ts";
import { mayUse } from "../../platform/access/visibility.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import type { EventStream } from "../../platform/streams/event-stream.ts";
import { paceStream } from "../../platform/streams/pace-stream.ts";
import { findTriggersByKey, type TaggedTrigger, type TriggerState } from "./queries.ts";
import type { Topic } from "./topics.ts";
import { listenToTriggers } from "./trigger-tap.ts";

/** Event triggers: of a key how it is now and each change; of all each change. Listens first, then reads. */
export function followTriggers(ctx: ProjectCtx, stream: EventStream, topics: Topic[]): () => void {
  const followed = topics.filter(({ kind }) => kind === "events" || kind === "event");
  if (followed.length === 0) return () => {};
  const paced = paceStream(stream);
  const tell = (trigger: TriggerState, names: string[]) => {
    if (names.length > 0) paced.push([{ event: "change", data: present(trigger, names) }]);
  };
  const tellNow = () => {
    const keys = followed.flatMap(({ kind, id }) => (kind === "event" ? [id] : []));
    findTriggersByKey(ctx, keys).then(
      (triggers) => {
        for (const trigger of triggers) tell(trigger, namesOf(followed, trigger, "event"));
      },
      (error) => ctx.log.debug({ reason: String(error) }, "triggers could not be read"),
    );
  };
  const stop = listenToTriggers(ctx, {
    project_id: ctx.project_id,
    told: (trigger) => {
      if (maySee(ctx, trigger)) tell(trigger, namesOf(followed, trigger));
    },
    missed: () => {
      paced.push([{ event: "reset", data: { topics: followed.map(({ name }) => name) } }]);
      tellNow();
    },
  });
  tellNow();
  return stop;
}

function namesOf(topics: Topic[], { event_key }: TriggerState, only?: "event"): string[] {
  return topics.flatMap(({ name, kind, id }) => {
    const isMeant = kind === "events" ? only === undefined : id === event_key;
    return isMeant ? [name] : [];
  });
}

function present(trigger: TriggerState, topics: string[]): StreamChange {
  const { project_id: _, id, updated_at, ...object } = trigger;
  return { topics, type: "event.status", id, at: updated_at, object };
}

/** The same as `visible`, for a row that is at hand. */
function maySee(ctx: ProjectCtx, { id, environment_id, job_run_id, workflow_run_id, tags }: TaggedTrigger): boolean {
  if (!mayUse(ctx, { type: "event_trigger", id, environment_id })) return false;
  const limits = limitsOf(ctx.caller);
  if (job_run_id !== null) return isRunWithin(limits, { id: job_run_id, tags });
  return workflow_run_id === null ? !limits : isWorkflowRunWithin(limits, { id: workflow_run_id, tags });
}
