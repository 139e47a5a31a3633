import type { Mutation } from "../differential/mutations.ts";

/** Faults of what consumes the changelog, and where the recount must show them. */
export const MUTATIONS: Mutation[] = [
  {
    // The last end, not the last change: that of a pass is often one that counts nothing, such as a sent webhook.
    name: "reads the last end of a run in each pass again",
    file: "platform/changelog/consume-changes.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: source text
    from: "update log_cursors set position = ${range?.to ?? position}",
    to: `update log_cursors set position = coalesce((
      select max(c.position) - 1 from changelog c
      where c.position > \${position} and c.position <= \${range?.to ?? position} and c.kind = 'run'
        and c.to_statuses && '{completed,failed,timed_out,canceled}'), \${range?.to ?? position})`,
    shownIn: /^(sums › (runs|usage|costs)|repairs)/,
  },
  {
    name: "does not index the tags of runs",
    file: "features/runs/search/describe-runs.ts",
    from: "tags: ended_status === null ? {} : run.tags",
    to: "tags: {}",
    shownIn: /^search › searches › tag=customer:ann/,
  },
  {
    name: "publishes no webhook for a dead letter",
    file: "features/webhook-subscriptions/run-event-types.ts",
    from: ', "run.dead_lettered"];',
    to: "];",
    shownIn: /^webhooks › deliveries/,
  },
  {
    name: "streams only the first changes of a batch",
    file: "platform/streams/read-changes.ts",
    from: "changes: rows.map(presentChange),",
    to: "changes: rows.map(presentChange).slice(0, 2),",
    shownIn: /^stream › (runs|decisions)/,
  },
];
