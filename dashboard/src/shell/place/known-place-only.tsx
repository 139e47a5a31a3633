import { useLocation } from "@tanstack/react-router";
import { MapPinOff } from "lucide-react";
import type { ReactNode } from "react";
import type { Page } from "../../api/use-api.ts";
import { Link } from "../../parts/link.tsx";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { ALL_ENVIRONMENTS, placeOf, usePlace } from "./place.ts";
import { useEnvironmentPage, useProjects } from "./use-places.ts";

type Named = { id: string; slug: string; name: string };

/** For bookmarks of a project or environment that no longer exists: says so and links to the others. */
export function KnownPlaceOnly({ children }: { children: ReactNode }) {
  const { project, environment } = usePlace();
  const page = useLocation({ select: ({ pathname }) => pathname.split("/").slice(4).join("/") });
  const { data: projects } = useProjects();
  const { data: environments } = useEnvironmentPage();
  if (isUnknown(project, projects))
    return <NoPlace kind="project" name={project} others={projects?.data} hrefOf={(slug) => `/p/${slug}`} />;
  if (environment !== ALL_ENVIRONMENTS && isUnknown(environment, environments)) {
    const hrefOf = (slug: string) => placeOf(project, slug).at(page);
    return <NoPlace kind="environment" name={environment} others={environments?.data} hrefOf={hrefOf} />;
  }
  return children;
}

/** Only once the whole list is loaded. */
function isUnknown(name: string, all: Page<Named> | undefined): boolean {
  return all !== undefined && !all.has_more && !all.data.some(({ id, slug }) => id === name || slug === name);
}

const MAX = 8;

type Props = {
  kind: "project" | "environment";
  name: string;
  others: Named[] | undefined;
  hrefOf: (slug: string) => string;
};

function NoPlace({ kind, name, others = [], hrefOf }: Props) {
  return (
    <EmptyState
      icon={<MapPinOff size={18} />}
      title={`${kind === "project" ? "Project" : "Environment"} “${name}” not found`}
      action={others.slice(0, MAX).map((other) => (
        <Link
          key={other.slug}
          href={hrefOf(other.slug)}
          className="flex-none rounded-sm border px-2 py-1 font-medium text-xs hover:bg-hover"
        >
          {other.name}
        </Link>
      ))}
    >
      It may have been deleted, or you don't have access to it.{others.length > 0 && " Go to:"}
    </EmptyState>
  );
}
