/** Differences that a newer build has on purpose: a path in the snapshot, and the reason. */
export const INTENDED: { path: RegExp; reason: string }[] = [
  {
    path: /^(jobs|audit) › .* › (delivery|queue|unreachable_timeout_secs)$/,
    reason: "jobs have a queue, workers that pull, and a limit for endpoints that are away; no sequence sets them",
  },
  {
    path: /^audit › api_key\.created .* › (queues|subject|rate_limits|worker_environment_ids)$/,
    reason: "keys of workers and of people, and limits of keys",
  },
  { path: /^runs › .* › worker_id$/, reason: "attempts name the worker that pulled them" },
  { path: /^analytics › .* › grouped$/, reason: "reports by tag" },
];

/** Fields and texts of the baseline that have other words now. */
const RENAMED: readonly (readonly [before: RegExp, now: string])[] = [
  [/The (endpoint|receiver) answered/g, "The $1 responded with"],
  [/The endpoint did not answer/g, "The endpoint did not respond"],
  [/The run has already ended: it is /g, "The run has already ended: its status is "],
  [/(\d+ of \d+) runs are running/g, "$1 slots are in use"],
  [/"utilisation":/g, '"utilization":'],
  [/"is_unbooked":/g, '"is_unrecorded":'],
];

/** Before lists are sorted: their order may depend on a text. */
export function withWordsOfNow<T>(snapshot: T): T {
  return JSON.parse(RENAMED.reduce((text, [before, now]) => text.replaceAll(before, now), JSON.stringify(snapshot)));
}
