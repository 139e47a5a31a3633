import type { Workflow, WorkflowVersion } from "@millrace/contract/workflows/workflows";
import { withSlug } from "../../../api/names.ts";
import { listing } from "../../../api/requests.ts";
import { type Command, command, required, text } from "../../../command.ts";
import { printObject } from "../../../output/print-object.ts";
import { agoOf } from "../../../output/times.ts";

const workflow = required("workflow", "slug or id of the workflow");

export const readWorkflows: readonly Command[] = [
  listing({
    name: "workflows list",
    summary: "list workflows",
    options: { tag: text("--tag <key:value>", "only workflows with this tag") },
    examples: ["millrace workflows list"],
    path: "/v1/workflows",
    filters: ({ tag }) => ({ tag }),
    nothing: "No workflows.",
    columns: [
      { title: "slug", value: ({ slug }: Workflow) => slug },
      { title: "state", value: ({ enabled }) => (enabled ? "enabled" : "disabled") },
      { title: "version", value: ({ current_version }) => String(current_version) },
      { title: "steps", value: ({ steps }) => String(steps.length) },
      { title: "cron", value: ({ cron }) => cron ?? "" },
      { title: "updated", value: ({ updated_at }) => updated_at, show: ({ updated_at }) => agoOf(updated_at) },
    ],
  }),
  command({
    name: "workflows get",
    summary: "show a workflow",
    args: [workflow],
    examples: ["millrace workflows get order"],
    run: async (cli, { args: [given = ""] }) => {
      const found = await withSlug(cli, "workflows", given, (path) => cli.client().request<Workflow>("GET", path));
      printObject(cli, found, () => [
        ["slug", found.slug],
        ["name", found.name],
        ["id", found.id],
        ["state", found.enabled ? "enabled" : "disabled"],
        ["version", String(found.current_version)],
        ["timeout", found.timeout_secs === null ? null : `${found.timeout_secs} s`],
        ["cron", found.cron === null ? null : `${found.cron} (${found.timezone})`],
        ["runs at once", found.max_concurrent_runs === null ? null : `at most ${found.max_concurrent_runs}`],
        ["steps", found.steps.map(stepLine).join("\n")],
        ["description", found.description],
      ]);
    },
  }),
  listing({
    name: "workflows versions",
    summary: "list the versions of a workflow, newest first",
    args: [workflow],
    examples: ["millrace workflows versions order"],
    path: ([given = ""]) => `/v1/workflows/${encodeURIComponent(given)}/versions`,
    nothing: "No versions.",
    columns: [
      { title: "version", value: ({ version }: WorkflowVersion) => String(version) },
      { title: "steps", value: ({ steps }) => String(steps.length) },
      { title: "breaking", value: ({ breaking_change }) => (breaking_change ? "yes" : "") },
      { title: "by", value: ({ created_by }) => created_by },
      { title: "created", value: ({ created_at }) => created_at, show: ({ created_at }) => agoOf(created_at) },
    ],
  }),
];

function stepLine({ step_ref, type, depends_on }: Workflow["steps"][number]): string {
  const kind = type === "job" ? "" : ` (${type})`;
  return `${step_ref}${kind}${depends_on.length > 0 ? ` after ${depends_on.join(", ")}` : ""}`;
}
