import { Menu as MenuIcon, Search } from "lucide-react";
import { cx } from "../parts/class-names.ts";
import { IconButton } from "../parts/form/icon-button.tsx";
import { environmentColor } from "./place/environment-color.ts";
import { ALL_ENVIRONMENTS, usePlace } from "./place/place.ts";
import { useProjects } from "./place/use-places.ts";

export function MobileBar({ onMenu, onSearch }: { onMenu: () => void; onSearch: () => void }) {
  const { project, environment } = usePlace();
  const projects = useProjects().data?.data;
  const shown = projects?.find(({ slug, id }) => slug === project || id === project)?.name ?? project;
  return (
    <header className="flex h-12 flex-none items-center gap-2 border-b bg-surface px-2">
      <IconButton label="Menu" icon={<MenuIcon size={18} />} onClick={onMenu} />
      <span className="flex min-w-0 flex-1 items-center gap-2">
        <span className="truncate font-medium">{shown}</span>
        <span className={cx("size-2 flex-none rounded-full", environmentColor(environment))} aria-hidden="true" />
        <span className="truncate text-ink-2">
          {environment === ALL_ENVIRONMENTS ? "All environments" : environment}
        </span>
      </span>
      <IconButton label="Search" icon={<Search size={18} />} onClick={onSearch} />
    </header>
  );
}
