import type { Environment } from "@millrace/contract/projects/environments";
import { Plus } from "lucide-react";
import { useState } from "react";
import { useDisabledReason } from "../../api/me.ts";
import { useApiList } from "../../api/use-api.ts";
import { AsCode } from "../../parts/code/as-code.tsx";
import { Button } from "../../parts/form/button.tsx";
import { PageBody, PageHeader } from "../../parts/page-header.tsx";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";
import { Segments } from "../../parts/tabs.tsx";
import { useCommands } from "../../shell/command-menu/commands.ts";
import { useSearchParams } from "../../shell/place/place.ts";
import { codeOf } from "../code-of.ts";
import { CompareEnvironments } from "./compare-environments.tsx";
import { EnvironmentCard } from "./environment-card.tsx";
import { EnvironmentDialog } from "./environment-dialog.tsx";

const VIEWS = [
  { id: "list", label: "All" },
  { id: "compare", label: "Compare" },
];

/** Environments and their variables. */
export default function EnvironmentsPage() {
  const list = useApiList<Environment>("/v1/environments", { limit: 100, order: "asc" });
  const disabledReason = useDisabledReason("environments:write");
  const [{ view = "list" }, change] = useSearchParams();
  const [edited, setEdited] = useState<Environment | "new">();
  const all = list.rows ?? [];
  useCommands([
    { label: "Add environment", run: () => disabledReason ?? setEdited("new") },
    { label: "Compare environments", run: () => change({ view: "compare" }) },
  ]);
  return (
    <>
      <PageHeader
        title="Environments"
        actions={
          <>
            <Segments
              label="View"
              value={view}
              options={VIEWS}
              onChange={(id) => change({ view: id === "list" ? undefined : id })}
            />
            <AsCode about="Environments" code={codeOf({ method: "GET", path: "/v1/environments" })} />
            <Button
              kind="primary"
              icon={<Plus size={15} />}
              disabledReason={disabledReason}
              onClick={() => setEdited("new")}
            >
              Add environment
            </Button>
          </>
        }
      />
      <PageBody className="flex flex-col gap-3">
        {list.error && (
          <ErrorState error={list.error} as={list.rows ? "banner" : "block"} onRetry={() => void list.refetch()} />
        )}
        {!list.rows && !list.error && <SkeletonLines />}
        {list.rows?.length === 0 && <EmptyState title="No environments" />}
        {view === "compare" && list.rows && <CompareEnvironments all={all} />}
        {view !== "compare" &&
          all.map((environment) => (
            <EnvironmentCard
              key={environment.id}
              environment={environment}
              all={all}
              disabledReason={disabledReason}
              onEdit={() => setEdited(environment)}
            />
          ))}
      </PageBody>
      {edited && (
        <EnvironmentDialog
          environment={edited === "new" ? undefined : edited}
          all={all}
          onClose={() => setEdited(undefined)}
        />
      )}
    </>
  );
}
