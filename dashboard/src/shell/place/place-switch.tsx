import { ChevronsUpDown, Plus } from "lucide-react";
import { type ComponentProps, type ReactNode, useState } from "react";
import { useMe } from "../../api/me.ts";
import { cx } from "../../parts/class-names.ts";
import { Menu } from "../../parts/overlay/menu.tsx";
import { CreateProject } from "./create-project.tsx";
import { environmentColor } from "./environment-color.ts";
import { useOpenElsewhere, usePlace } from "./place.ts";
import { useOfferedEnvironments, useProjects } from "./use-places.ts";

/** Project and environment menus. They keep the current page where possible. */
export function PlaceSwitch({ isSmall }: { isSmall: boolean }) {
  return (
    <div className={cx("flex flex-col", !isSmall && "divide-y overflow-hidden rounded-sm border bg-bg")}>
      <ProjectMenu isSmall={isSmall} />
      <EnvironmentMenu isSmall={isSmall} />
    </div>
  );
}

function ProjectMenu({ isSmall }: { isSmall: boolean }) {
  const { project } = usePlace();
  const [isCreating, setCreating] = useState(false);
  const { data: me } = useMe();
  const projects = useProjects().data?.data ?? [];
  const go = useOpenElsewhere();
  const shown = projects.find(({ slug, id }) => slug === project || id === project);
  const name = shown?.name ?? project;
  return (
    <>
      <Menu
        label="Projects"
        trigger={<PlaceButton isSmall={isSmall} kind="Project" name={name} mark={<Initial of={name} />} isStrong />}
        items={[
          { kind: "heading", label: "Projects" },
          ...projects.map((each) => ({
            label: each.name,
            hint: each.slug === each.name ? undefined : each.slug,
            checked: each.slug === shown?.slug,
            onSelect: () => go(each.slug, "production"),
          })),
          { kind: "line" },
          {
            label: "New project",
            icon: <Plus size={14} />,
            onSelect: () => setCreating(true),
            disabledReason:
              me?.kind === "internal_secret" ? undefined : "Sign in with the internal secret to create projects.",
          },
        ]}
      />
      <CreateProject open={isCreating} onClose={() => setCreating(false)} />
    </>
  );
}

function EnvironmentMenu({ isSmall }: { isSmall: boolean }) {
  const { project, environment } = usePlace();
  const offered = useOfferedEnvironments();
  const go = useOpenElsewhere();
  const name = offered.find(({ slug }) => slug === environment)?.name ?? environment;
  return (
    <Menu
      label="Environments"
      trigger={<PlaceButton isSmall={isSmall} kind="Environment" name={name} mark={<Dot of={environment} />} />}
      items={offered.map((each) => ({
        label: each.name,
        icon: <Dot of={each.slug} />,
        checked: each.slug === environment,
        onSelect: () => go(project, each.slug),
      }))}
    />
  );
}

type ButtonProps = ComponentProps<"button"> & {
  isSmall: boolean;
  kind: string;
  name: string;
  mark: ReactNode;
  isStrong?: boolean;
};

/** Forwards the props of the menu trigger. */
function PlaceButton({ isSmall, kind, name, mark, isStrong, ...given }: ButtonProps) {
  return (
    <button
      {...given}
      type="button"
      aria-label={`${kind}: ${name}`}
      className={cx(
        "flex h-8 items-center gap-2 -outline-offset-2 hover:bg-hover",
        isSmall ? "justify-center rounded-sm" : "px-2",
      )}
    >
      <span className="grid w-5 flex-none place-items-center">{mark}</span>
      {!isSmall && <span className={cx("min-w-0 flex-1 truncate text-left", isStrong && "font-medium")}>{name}</span>}
      {!isSmall && <ChevronsUpDown size={14} className="flex-none text-ink-3" aria-hidden="true" />}
    </button>
  );
}

function Initial({ of }: { of: string }) {
  return (
    <span
      className="grid size-5 place-items-center rounded-xs bg-hover font-semibold text-xs text-ink-2 uppercase before:content-[attr(data-initial)]"
      data-initial={of.slice(0, 1)}
      aria-hidden="true"
    />
  );
}

function Dot({ of }: { of: string }) {
  return <span className={cx("size-2 rounded-full", environmentColor(of))} aria-hidden="true" />;
}
