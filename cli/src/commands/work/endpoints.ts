import type { Endpoint } from "@millrace/contract/jobs/endpoints";
import { printableText } from "@millrace/contract/schema/printable-text";
import { listing } from "../../api/requests.ts";
import { text } from "../../command.ts";
import { agoOf } from "../../output/times.ts";

export const endpointsList = listing({
  name: "endpoints list",
  summary: "list the hosts that jobs are dispatched to, with their health",
  options: { state: text("--state <state>", "up, unreachable, recovering, failing or unknown") },
  examples: ["millrace endpoints list --state unreachable"],
  path: "/v1/endpoints",
  filters: ({ state }) => ({ state }),
  nothing: "No endpoints.",
  columns: [
    { title: "host", value: ({ host }: Endpoint) => host },
    { title: "state", value: ({ state }) => state },
    {
      title: "down since",
      value: ({ down_since }) => down_since ?? "",
      show: ({ down_since }) => (down_since === null ? "" : agoOf(down_since)),
    },
    {
      title: "next probe",
      isMinor: true,
      value: ({ next_probe_at }) => next_probe_at ?? "",
      show: ({ next_probe_at }) => (next_probe_at === null ? "" : agoOf(next_probe_at)),
    },
    { title: "waiting", value: ({ waiting_runs }) => String(waiting_runs), isMinor: true },
    { title: "p50 ms", value: ({ latency_ms }) => String(latency_ms?.p50 ?? ""), isMinor: true },
    { title: "p95 ms", value: ({ latency_ms }) => String(latency_ms?.p95 ?? ""), isMinor: true },
    {
      title: "last error",
      value: ({ last_error }) => last_error ?? "",
      show: ({ last_error }) => printableText(last_error ?? ""),
    },
  ],
});
