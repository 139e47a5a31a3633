import type { Environment } from "@millrace/contract/environments";
import type { Project } from "@millrace/contract/projects";
import { useQuery } from "@tanstack/react-query";
import { useLocation, useRouter } from "@tanstack/react-router";
import { ChevronsUpDown, Plus } from "lucide-react";
import { useState } from "react";
import { call } from "../api/call.ts";
import { useMay, useMe } from "../api/me.ts";
import { type Page, useApi } from "../api/use-api.ts";
import { cx } from "../parts/class-names.ts";
import { Menu } from "../parts/menu.tsx";
import { CreateProject } from "./create-project.tsx";
import { environmentColor } from "./environment-color.ts";
import { ALL_ENVIRONMENTS, placeOf, usePlace } from "./place.ts";

export function useProjects() {
  const isAllowed = useMay("projects:read");
  return useQuery({
    queryKey: ["projects"],
    queryFn: ({ signal }) => call<Page<Project>>("GET", "/v1/projects", { query: { limit: 100 }, signal }),
    enabled: isAllowed,
    staleTime: 5 * 60_000,
  });
}

export function useEnvironments(): Environment[] {
  const isAllowed = useMay("environments:read");
  return useApi<Page<Environment>>("/v1/environments", { limit: 100, order: "asc" }, isAllowed).data?.data ?? NONE;
}

const NONE: Environment[] = [];

/** Which project and environment the pages are about. The page stays the same where that makes sense. */
export function PlaceSwitch({ isSmall }: { isSmall: boolean }) {
  const { project, environment } = usePlace();
  const [isCreating, setCreating] = useState(false);
  const { data: me } = useMe();
  const projects = useProjects().data?.data ?? [];
  const environments = useEnvironments();
  const { history } = useRouter();
  const { pathname } = useLocation();
  const page = pathname.split("/").slice(4, 5).join("/") || "runs"; // an object of one project is in no other
  const shown = projects.find(({ slug, id }) => slug === project || id === project);
  const go = (toProject: string, toEnvironment: string) => history.push(placeOf(toProject, toEnvironment).at(page));
  const offered = [
    ...environments.map(({ slug, name }) => ({ slug, name })),
    { slug: ALL_ENVIRONMENTS, name: "All environments" },
  ];
  const environmentName = offered.find(({ slug }) => slug === environment)?.name ?? environment;
  const dot = (
    <span className={cx("size-2 flex-none rounded-full", environmentColor(environment))} aria-hidden="true" />
  );
  return (
    <div className={cx("flex flex-col", !isSmall && "divide-y overflow-hidden rounded-sm border bg-bg")}>
      <Menu
        label="Projects"
        trigger={
          <button
            type="button"
            aria-label={`Project: ${shown?.name ?? project}`}
            className={cx(
              "flex h-8 items-center gap-2 -outline-offset-2 hover:bg-hover",
              isSmall ? "justify-center rounded-sm" : "px-2",
            )}
          >
            <span
              className="grid size-5 flex-none place-items-center rounded-xs bg-hover font-semibold text-[11px] text-ink-2 uppercase before:content-[attr(data-initial)]"
              data-initial={(shown?.name ?? project).slice(0, 1)}
              aria-hidden="true"
            />
            {!isSmall && (
              <span className="min-w-0 flex-1 truncate text-left font-medium">{shown?.name ?? project}</span>
            )}
            {!isSmall && <ChevronsUpDown size={14} className="flex-none text-ink-3" aria-hidden="true" />}
          </button>
        }
        items={[
          { kind: "heading", label: "Projects" },
          ...projects.map(({ slug, name }) => ({
            label: name,
            hint: slug === name ? undefined : slug,
            checked: slug === shown?.slug,
            onSelect: () => go(slug, "production"),
          })),
          { kind: "line" },
          {
            label: "New project",
            icon: <Plus size={14} />,
            onSelect: () => setCreating(true),
            refusal: me?.kind === "internal_secret" ? undefined : "Only the internal secret creates projects.",
          },
        ]}
      />
      <Menu
        label="Environments"
        trigger={
          <button
            type="button"
            aria-label={`Environment: ${environmentName}`}
            className={cx(
              "flex h-8 items-center gap-2 -outline-offset-2 hover:bg-hover",
              isSmall ? "justify-center rounded-sm" : "px-2",
            )}
          >
            <span className="grid w-5 flex-none place-items-center">{dot}</span>
            {!isSmall && <span className="min-w-0 flex-1 truncate text-left">{environmentName}</span>}
            {!isSmall && <ChevronsUpDown size={14} className="flex-none text-ink-3" aria-hidden="true" />}
          </button>
        }
        items={offered.map(({ slug, name }) => ({
          label: name,
          icon: <span className={cx("size-2 rounded-full", environmentColor(slug))} />,
          checked: slug === environment,
          onSelect: () => go(project, slug),
        }))}
      />
      <CreateProject open={isCreating} onClose={() => setCreating(false)} />
    </div>
  );
}
