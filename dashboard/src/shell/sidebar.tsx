import { useLocation } from "@tanstack/react-router";
import { BookOpen, Keyboard, PanelLeft, Search } from "lucide-react";
import { useEffect, useRef } from "react";
import { allPages } from "../pages/all-pages.tsx";
import type { PageGroup, PageRoute } from "../pages/page-route.ts";
import { cx } from "../parts/class-names.ts";
import { IconButton } from "../parts/form/icon-button.tsx";
import { Link } from "../parts/link.tsx";
import { KeyHint } from "../parts/overlay/key-hint.tsx";
import { Tooltip } from "../parts/overlay/tooltip.tsx";
import { changeSettings } from "../parts/settings.ts";
import { AccountMenu } from "./account-menu.tsx";
import { usePlace } from "./place/place.ts";
import { PlaceSwitch } from "./place/place-switch.tsx";
import { ThemeButton } from "./theme.tsx";

const GROUPS: [PageGroup, string][] = [
  ["top", ""],
  ["activity", "Activity"],
  ["build", "Build"],
  ["deliver", "Delivery"],
  ["insight", "Insights"],
  ["settings", "Settings"],
];

type Props = { isSmall: boolean; isInSheet?: boolean; onSearch: () => void; onHelp: () => void };

export function Sidebar({ isSmall, isInSheet, onSearch, onHelp }: Props) {
  return (
    <nav
      aria-label="Main"
      className={cx(
        "flex min-h-0 flex-none flex-col bg-surface",
        isInSheet ? "h-full w-full" : "h-dvh border-r",
        !isInSheet && (isSmall ? "w-[52px]" : "w-[232px]"),
      )}
    >
      <div className={cx("flex flex-none flex-col gap-2 p-2", !isInSheet && "pt-3")}>
        {!isInSheet && (
          <div className={cx("flex h-8 items-center", isSmall ? "justify-center" : "justify-between pl-1.5")}>
            {!isSmall && (
              <Link href="/" className="flex items-center gap-2 font-semibold text-base tracking-[-0.01em]">
                <img src="/favicon.svg" alt="" width={20} height={20} />
                Millrace
              </Link>
            )}
            <IconButton
              label={isSmall ? "Expand sidebar" : "Collapse sidebar"}
              keys="mod+b"
              icon={<PanelLeft size={16} />}
              onClick={() => changeSettings({ rail: isSmall ? "open" : "closed" })}
            />
          </div>
        )}
        <PlaceSwitch isSmall={isSmall} />
        <SearchButton isSmall={isSmall} onSearch={onSearch} />
      </div>
      <div ref={useCurrentInView()} className="min-h-0 flex-1 scroll-py-3 overflow-y-auto px-2 pb-4">
        {GROUPS.map(([group, name]) => (
          <Group key={group} group={group} name={name} isSmall={isSmall} />
        ))}
      </div>
      <div className={cx("flex flex-none items-center gap-0.5 border-t p-2", isSmall && "flex-col")}>
        <AccountMenu isSmall={isSmall} />
        <ThemeButton />
        <IconButton label="Shortcuts" keys="?" icon={<Keyboard size={16} />} onClick={onHelp} />
        <DocsLink />
      </div>
    </nav>
  );
}

/** Scrolls to the link of the current page, when it becomes current. */
function useCurrentInView() {
  const list = useRef<HTMLDivElement>(null);
  const name = useLocation({ select: ({ pathname }) => pathname.split("/")[4] });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page has another link
  useEffect(() => {
    list.current?.querySelector("[aria-current=page]")?.scrollIntoView({ block: "nearest" });
  }, [name]);
  return list;
}

/** Leads to the page of the documentation about the current page. */
function DocsLink() {
  const name = useLocation({ select: ({ pathname }) => pathname.split("/")[4] });
  const docs = allPages.find(({ path }) => path === name)?.docs;
  return (
    <Tooltip label="Documentation">
      <a
        href={docs ? `/docs/${docs}` : "/docs"}
        aria-label="Documentation"
        className="inline-grid size-8 place-items-center rounded-sm text-ink-2 hover:bg-hover hover:text-ink"
      >
        <BookOpen size={16} aria-hidden="true" />
      </a>
    </Tooltip>
  );
}

function SearchButton({ isSmall, onSearch }: { isSmall: boolean; onSearch: () => void }) {
  if (isSmall)
    return (
      <IconButton label="Search" keys="mod+k" icon={<Search size={16} />} onClick={onSearch} className="self-center" />
    );
  return (
    <button
      type="button"
      onClick={onSearch}
      className="flex h-8 items-center gap-2 rounded-sm border bg-bg px-2 text-ink-3 hover:text-ink"
    >
      <Search size={15} aria-hidden="true" />
      <span className="flex-1 text-left">Search</span>
      <KeyHint keys="mod+k" />
    </button>
  );
}

function Group({ group, name, isSmall }: { group: PageGroup; name: string; isSmall: boolean }) {
  const rows = allPages.filter((row) => row.group === group);
  if (rows.length === 0) return null;
  return (
    <div className="mt-2 first:mt-0">
      {name &&
        (isSmall ? (
          <div className="mx-2 my-2 h-px bg-border" />
        ) : (
          <h2 className="px-2 pt-2 pb-1 font-medium text-ink-3 text-xs">{name}</h2>
        ))}
      <ul className="flex flex-col gap-px">
        {rows.map((row) => (
          <li key={row.path}>
            <SidebarLink row={row} isSmall={isSmall} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function SidebarLink({ row: { path, title, icon: Icon, keys, Mark }, isSmall }: { row: PageRoute; isSmall: boolean }) {
  const { at } = usePlace();
  const isHere = useLocation({
    select: ({ pathname }) => pathname === at(path) || pathname.startsWith(`${at(path)}/`),
  });
  const link = (
    <Link
      href={at(path)}
      aria-current={isHere ? "page" : undefined}
      aria-label={isSmall ? title : undefined}
      className={cx(
        "group/link flex h-8 items-center gap-2 rounded-sm text-ink-2 hover:bg-hover hover:text-ink aria-[current=page]:bg-hover aria-[current=page]:font-medium aria-[current=page]:text-ink",
        isSmall ? "justify-center" : "px-2",
      )}
    >
      {Icon && <Icon size={16} aria-hidden="true" className="flex-none" />}
      {!isSmall && <span className="min-w-0 flex-1 truncate">{title}</span>}
      {!isSmall && Mark && <Mark />}
      {!isSmall && keys && (
        <span
          className={cx(
            "max-md:hidden",
            Mark ? "hidden group-hover/link:inline" : "opacity-0 group-hover/link:opacity-100",
          )}
        >
          <KeyHint keys={keys} />
        </span>
      )}
    </Link>
  );
  return isSmall ? (
    <Tooltip label={title} side="right" {...(keys && { keys })}>
      {link}
    </Tooltip>
  ) : (
    link
  );
}
