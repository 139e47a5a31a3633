import type { Project } from "@millrace/contract/projects/projects";
import { useQuery } from "@tanstack/react-query";
import { useParams, useRouter } from "@tanstack/react-router";
import { FolderPlus } from "lucide-react";
import { useEffect, useState } from "react";
import { call } from "../api/call.ts";
import { useMe } from "../api/me.ts";
import type { Page } from "../api/use-api.ts";
import { allPages } from "../pages/all-pages.tsx";
import { Button } from "../parts/form/button.tsx";
import { EmptyState } from "../parts/state/empty-state.tsx";
import { ErrorState } from "../parts/state/error-state.tsx";
import { DEMO_SLUG, isHere, useDemo } from "./demo/use-demo.ts";
import { CreateProject } from "./place/create-project.tsx";
import { placeOf } from "./place/place.ts";
import { recallPlace } from "./place/recall-place.ts";

/** Redirects to the last visited project or the first one; otherwise explains what to do. */
export function FirstPage() {
  const { data: me } = useMe();
  const { project: named, environment: inPath } = useParams({ strict: false }) as {
    project?: string;
    environment?: string;
  };
  const { history } = useRouter();
  const [isCreating, setCreating] = useState(false);
  const isOwnOnly = me?.kind === "api_key" && !me.permissions.includes("projects:read");
  const { data, error, refetch } = useQuery({
    queryKey: ["projects"],
    queryFn: ({ signal }) => call<Page<Project>>("GET", "/v1/projects", { query: { limit: 100 }, signal }),
    enabled: me !== undefined && me !== null && !isOwnOnly,
  });
  const last = recallPlace();
  const slugs = isOwnOnly ? [me.project_id ?? ""] : data?.data.map(({ slug }) => slug);
  // New users land in the demo, if there is one.
  const mayBeDemo = !last && isHere() && slugs?.includes(DEMO_SLUG) === true;
  const demo = useDemo(mayBeDemo);
  const isUnsure = mayBeDemo && demo.isPending;
  // The demo may be known from the sign-in page, but not be visible to this caller.
  const first = (mayBeDemo && demo.data?.project.slug) || slugs?.at(-1);
  const known = slugs?.find((slug) => slug === last?.project) ?? first;
  const project = named ?? (isUnsure ? undefined : known);
  const environment = inPath ?? (last?.project === project ? last?.environment : undefined) ?? "production";
  const since = rangeOfNewProject(data?.data.find(({ slug }) => slug === project));
  useEffect(() => {
    if (project) history.replace(placeOf(project, environment).at(allPages[0]?.path ?? "runs", { since }));
  }, [project, environment, since, history]);

  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (slugs === undefined || project || isUnsure) return null;
  const mayCreate = me?.kind === "internal_secret";
  return (
    <>
      <EmptyState
        icon={<FolderPlus size={20} />}
        title={mayCreate ? "Create your first project" : "No projects"}
        action={
          mayCreate && (
            <Button kind="primary" onClick={() => setCreating(true)}>
              Create project
            </Button>
          )
        }
      >
        A project contains jobs, workflows, environments and API keys.
      </EmptyState>
      <CreateProject open={isCreating} onClose={() => setCreating(false)} />
    </>
  );
}

const YOUNG_MS = 3 * 3_600_000;

/** A new project starts with a range of one hour, by the minute. */
function rangeOfNewProject(project: Project | undefined): string | undefined {
  return project && Date.now() - Date.parse(project.created_at) < YOUNG_MS ? "1h" : undefined;
}
