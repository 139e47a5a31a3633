import type { Project } from "@millrace/contract/projects/projects";
import { useApi } from "../../api/use-api.ts";
import { AsCode } from "../../parts/code/as-code.tsx";
import { PageBody, PageHeader } from "../../parts/page-header.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { usePlace, useSearchParams } from "../../shell/place/place.ts";
import { codeOf } from "../code-of.ts";
import { DangerZone } from "./danger-zone.tsx";
import { GeneralSettings } from "./general-settings.tsx";
import { ManagedObjects } from "./managed-objects.tsx";
import { Retention } from "./retention.tsx";
import { SigningSecret } from "./signing-secret.tsx";
import { WorkflowPolicyForm } from "./workflow-policy-form.tsx";

/** Name, limits, secrets and policies of the project, and its deletion. */
export default function ProjectSettingsPage() {
  const { project: ref } = usePlace();
  const path = `/v1/projects/${encodeURIComponent(ref)}`;
  const { data: project, error, refetch } = useApi<Project>(path);
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <PageHeader
        title="Project settings"
        actions={<AsCode about="Project" code={codeOf({ method: "GET", path })} />}
      />
      <PageBody className="!pt-2">
        {error && <ErrorState error={error} as={project ? "banner" : "block"} onRetry={() => void refetch()} />}
        {!project && !error && <SkeletonLines lines={8} />}
        {project && <Sections project={project} />}
      </PageBody>
    </div>
  );
}

function Sections({ project }: { project: Project }) {
  const [{ tab = "general" }, change] = useSearchParams();
  const tabs = [
    { id: "general", label: "General", content: <GeneralSettings key={project.updated_at} project={project} /> },
    { id: "secrets", label: "Signing secret", content: <SigningSecret project={project} /> },
    { id: "policy", label: "Workflow policy", content: <WorkflowPolicyForm project={project} /> },
    { id: "retention", label: "Retention", content: <Retention /> },
    { id: "code", label: "Managed as code", content: <ManagedObjects /> },
    { id: "danger", label: "Danger zone", content: <DangerZone project={project} /> },
  ];
  return <Tabs label="Project settings" tabs={tabs} value={tab} onChange={(id) => change({ tab: id })} />;
}
