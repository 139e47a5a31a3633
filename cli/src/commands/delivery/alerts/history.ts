import type { Alert } from "@millrace/contract/alerts/alerts";
import { listing } from "../../../api/requests.ts";
import { text } from "../../../command.ts";
import { agoOf, tookOf } from "../../../output/times.ts";

export const alertsHistory = listing({
  name: "alerts history",
  summary: "list when rules fired, the newest first",
  options: { status: text("--status <status>", "only alerts with this status: firing or resolved") },
  examples: ["millrace alerts history --status firing"],
  path: "/v1/alerts",
  filters: ({ status }) => ({ status }),
  nothing: "No alerts.",
  columns: [
    { title: "rule", value: ({ rule_name }: Alert) => rule_name },
    { title: "status", value: ({ status }) => status },
    { title: "fired", value: ({ fired_at }) => fired_at, show: ({ fired_at }) => agoOf(fired_at) },
    { title: "for", value: ({ fired_at, resolved_at }) => tookOf(fired_at, resolved_at) },
    { title: "summary", value: ({ summary }) => summary },
  ],
});
