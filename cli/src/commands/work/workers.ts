import { printableText } from "@millrace/contract/schema/printable-text";
import type { Worker } from "@millrace/contract/workers/workers";
import { listing } from "../../api/requests.ts";
import { type Command, text } from "../../command.ts";
import { agoOf } from "../../output/times.ts";

export const workersCommands: readonly Command[] = [
  listing({
    name: "workers list",
    summary: "list live workers that claim runs, and what they serve",
    options: { queue: text("--queue <queue>", "only workers that serve this queue") },
    examples: ["millrace workers list --queue mail"],
    path: "/v1/workers",
    filters: ({ queue }) => ({ queue }),
    nothing: "No workers.",
    columns: [
      {
        title: "name",
        value: ({ name, worker_id }: Worker) => name ?? worker_id,
        show: ({ name, worker_id }) => printableText(name ?? worker_id),
      },
      { title: "version", value: ({ version }) => version ?? "", show: ({ version }) => printableText(version ?? "") },
      { title: "queues", value: ({ queues }) => queues?.join(" ") ?? "all" },
      { title: "jobs", value: ({ jobs }) => jobs?.join(" ") ?? "all" },
      {
        title: "in flight",
        value: ({ in_flight, concurrency }) => (concurrency === null ? `${in_flight}` : `${in_flight}/${concurrency}`),
      },
      { title: "seen", value: ({ last_seen_at }) => last_seen_at, show: ({ last_seen_at }) => agoOf(last_seen_at) },
    ],
  }),
];
