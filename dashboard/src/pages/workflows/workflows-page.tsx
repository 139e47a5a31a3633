import type { WorkflowCompletionRates } from "@millrace/contract/analytics/analytics-beyond-runs";
import type { Workflow } from "@millrace/contract/workflows/workflows";
import { useRouter } from "@tanstack/react-router";
import { Plus, Workflow as WorkflowIcon } from "lucide-react";
import { useMemo, useState } from "react";
import { useDisabledReason, useMay } from "../../api/me.ts";
import { useApi, useApiList } from "../../api/use-api.ts";
import { AsCode } from "../../parts/code/as-code.tsx";
import { CodeBlock } from "../../parts/code/code-block.tsx";
import { Button } from "../../parts/form/button.tsx";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { ListPage } from "../../parts/table/list-page.tsx";
import { useCommands } from "../../shell/command-menu/commands.ts";
import { usePlace } from "../../shell/place/place.ts";
import { codeOf } from "../code-of.ts";
import { useSchedules } from "../shared-schedules/use-schedules.ts";
import { CreateWorkflow, TEMPLATE } from "./create-workflow.tsx";
import { workflowColumns } from "./workflow-columns.tsx";

/** All workflows with their results of the last 24 hours. */
export default function WorkflowsPage() {
  const [isCreating, setCreating] = useState(false);
  const { at, environmentFilter } = usePlace();
  const { history } = useRouter();
  const noWrite = useDisabledReason("workflows:write");
  const list = useApiList<Workflow>("/v1/workflows");
  const { data: rates } = useApi<WorkflowCompletionRates>(
    "/v1/analytics/workflows/completion-rates",
    { limit: 100, environment_id: environmentFilter },
    useMay("analytics:read"),
  );
  const schedules = useSchedules();
  const columns = useMemo(
    () =>
      workflowColumns(rates && new Map(rates.data.map((rate) => [rate.workflow_id, rate])), schedules, ({ slug }) =>
        at(`workflows/${slug}`),
      ),
    [rates, schedules, at],
  );
  useCommands([{ label: "Create workflow", run: () => noWrite ?? setCreating(true) }]);
  return (
    <ListPage
      title="Workflows"
      label="Workflows"
      actions={
        <>
          <AsCode code={codeOf({ method: "GET", path: "/v1/workflows?limit=50" }, CODE)} about="Workflows" />
          <Button kind="primary" icon={<Plus size={14} />} disabledReason={noWrite} onClick={() => setCreating(true)}>
            Create workflow
          </Button>
        </>
      }
      list={list}
      columns={columns}
      onOpen={({ slug }) => history.push(at(`workflows/${slug}`))}
      empty={<NoWorkflows />}
    >
      {isCreating && <CreateWorkflow onClose={() => setCreating(false)} />}
    </ListPage>
  );
}

function NoWorkflows() {
  const { curl } = codeOf({ method: "POST", path: "/v1/workflows", body: JSON.parse(TEMPLATE) });
  return (
    <EmptyState
      icon={<WorkflowIcon size={20} />}
      title="No workflows yet"
      code={<CodeBlock title="Create a workflow" code={curl} />}
    >
      A workflow is a graph of steps: jobs, waits, approvals, maps and sub-workflows.
    </EmptyState>
  );
}

const CODE = {
  typescript:
    "for await (const workflow of millrace.workflows.list()) {\n  console.log(workflow.slug, workflow.current_version);\n}",
};
