/** A change of a file, relative to `server/src/`. `from` occurs in it exactly once. */
export type Edit = { file: string; from: string; to: string };

/** A build with one fault, and where the comparison must show it. */
export type Mutation = Edit & { name: string; shownIn: RegExp };

export const MUTATIONS: Mutation[] = [
  {
    name: "publishes no webhook for a dead letter",
    file: "features/webhook-subscriptions/run-event-types.ts",
    from: ', "run.dead_lettered"];',
    to: "];",
    shownIn: /^webhooks › all: run\.dead_lettered/,
  },
  {
    name: "streams the changes of one batch in the wrong order",
    file: "platform/streams/read-changes.ts",
    from: "changes: rows.map(presentChange),",
    to: "changes: rows.map(presentChange).reverse(),",
    shownIn: /^stream › (runs|workflow_runs) › .* › \d+ › /,
  },
  {
    name: "counts each failed run twice",
    file: "features/analytics/rollups/count-runs.ts",
    from: "return each === name ? sum.count : 0;",
    to: 'return each === name ? sum.count * (name === "failed" ? 2 : 1) : 0;',
    shownIn: /^analytics › runs\/by-trigger › data › \d+ › failed/,
  },
  {
    name: "allows one try more than max_attempts",
    file: "flow/runs/settle/plan-settle.ts",
    from: "if (tries_used >= run.max_attempts) return dead",
    to: "if (tries_used > run.max_attempts) return dead",
    shownIn: /^runs › run 3 › attempts › 2/,
  },
  {
    name: "does not record the comment of an approval",
    file: "flow/events/decide-approval.ts",
    from: "const payload = { approved: true, by: name, by_id, comment };",
    to: "const payload = { approved: true, by: name, by_id, comment: null };",
    shownIn: /^workflow_runs › workflow run 10 › steps › ok › output › comment/,
  },
  {
    name: "starts replays of many runs as if they were triggered",
    file: "flow/runs/replay/replay-runs.ts",
    from: 'trigger_type: "replay",',
    to: 'trigger_type: "api",',
    shownIn: /^search › trigger_type=replay/,
  },
];
