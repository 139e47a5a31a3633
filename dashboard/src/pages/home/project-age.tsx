import { Time } from "../../parts/time.tsx";
import { usePlace } from "../../shell/place/place.ts";
import { useProjects } from "../../shell/place/use-places.ts";

/** Explains why charts start empty: the project is newer than the selected range. */
export function ProjectAge({ from }: { from: string }) {
  const { project } = usePlace();
  const own = useProjects().data?.data.find(({ id, slug }) => id === project || slug === project);
  if (!own || Date.parse(own.created_at) <= Date.parse(from)) return null;
  return (
    <span className="max-sm:hidden">
      Project created <Time at={own.created_at} />
    </span>
  );
}
