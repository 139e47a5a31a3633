import { Command } from "cmdk";
import { BookOpen, CornerDownRight, History, Keyboard, SunMoon } from "lucide-react";
import type { ReactNode } from "react";
import { allPages } from "../../pages/all-pages.tsx";
import { KeyHint } from "../../parts/overlay/key-hint.tsx";
import { environmentColor } from "../place/environment-color.ts";
import { useOpenElsewhere, usePlace } from "../place/place.ts";
import { useOfferedEnvironments } from "../place/use-places.ts";
import { nextTheme, setTheme, THEMES, useTheme } from "../theme.tsx";
import { useOffered } from "./commands.ts";
import { environmentKeys } from "./environment-keys.ts";
import { useRecent } from "./recent.ts";

/** Closes the menu and navigates. */
export type Go = { go: (href: string) => () => void };
/** Closes the menu and runs it. */
export type Then = { then: (run: () => void) => () => void };

/** Commands of the current page. */
export function HereGroup({ then }: Then) {
  const commands = useOffered();
  if (commands.length === 0) return null;
  return (
    <Command.Group heading="This page">
      {commands.map(({ label, keys, run }) => (
        <Item key={label} keys={keys} onSelect={then(run)}>
          <CornerDownRight size={15} className="text-ink-3" aria-hidden="true" />
          {label}
        </Item>
      ))}
    </Command.Group>
  );
}

/** Recently opened objects, in any project. */
export function RecentGroup({ go }: Go) {
  const recent = useRecent();
  const here = location.pathname;
  const others = recent.filter(({ href }) => href !== here).slice(0, 5);
  if (others.length === 0) return null;
  return (
    <Command.Group heading="Recent">
      {others.map(({ href, title, kind }) => (
        <Item key={href} value={`recent ${title} ${href}`} onSelect={go(href)}>
          <History size={15} className="flex-none text-ink-3" aria-hidden="true" />
          <span className="truncate">{title}</span>
          <span className="text-ink-3 text-xs">{kind}</span>
        </Item>
      ))}
    </Command.Group>
  );
}

export function PagesGroup({ go }: Go) {
  const { at } = usePlace();
  return (
    <Command.Group heading="Go to">
      {allPages.map(({ path, title, icon: Icon, keys, group }) =>
        group ? (
          <Item key={path} keys={keys} onSelect={go(at(path))}>
            {Icon && <Icon size={15} className="text-ink-3" aria-hidden="true" />}
            {title}
          </Item>
        ) : null,
      )}
    </Command.Group>
  );
}

export function EnvironmentGroup({ then }: Then) {
  const { project } = usePlace();
  const open = useOpenElsewhere();
  return (
    <Command.Group heading="Environment">
      {useOfferedEnvironments().map(({ slug, name }, nth) => (
        <Item
          key={slug}
          value={`environment ${name}`}
          keys={environmentKeys(nth)}
          onSelect={then(() => open(project, slug))}
        >
          <span className={`mx-1 size-2 rounded-full ${environmentColor(slug)}`} />
          {name}
        </Item>
      ))}
    </Command.Group>
  );
}

export function LookGroup({ then, onHelp }: Then & { onHelp: () => void }) {
  const theme = useTheme();
  return (
    <Command.Group heading="General">
      {THEMES.filter((other) => other !== theme).map((other) => (
        <Item key={other} {...(other === nextTheme(theme) && { keys: "t" })} onSelect={then(() => setTheme(other))}>
          <SunMoon size={15} className="text-ink-3" aria-hidden="true" />
          Switch theme to {other}
        </Item>
      ))}
      <Item keys="?" onSelect={then(onHelp)}>
        <Keyboard size={15} className="text-ink-3" aria-hidden="true" />
        Keyboard shortcuts
      </Item>
      <Item onSelect={then(() => location.assign("/docs"))}>
        <BookOpen size={15} className="text-ink-3" aria-hidden="true" />
        Documentation
      </Item>
      <Item onSelect={then(() => location.assign("/docs/api"))}>
        <BookOpen size={15} className="text-ink-3" aria-hidden="true" />
        API reference
      </Item>
    </Command.Group>
  );
}

type ItemProps = {
  children: ReactNode;
  keys?: string | undefined;
  value?: string;
  /** Matches any text. */
  isAlways?: boolean;
  onSelect: () => void;
};

export function Item({ children, keys, value, isAlways, onSelect }: ItemProps) {
  return (
    <Command.Item
      {...(value && { value })}
      {...(isAlways && { forceMount: true })}
      onSelect={onSelect}
      className="flex h-9 cursor-pointer items-center gap-2 rounded-sm px-2 data-[selected=true]:bg-selected"
    >
      <span className="flex min-w-0 flex-1 items-center gap-2 truncate">{children}</span>
      {keys && <KeyHint keys={keys} />}
    </Command.Item>
  );
}
