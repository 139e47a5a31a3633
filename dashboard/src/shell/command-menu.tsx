import { useRouter } from "@tanstack/react-router";
import { Command } from "cmdk";
import { Search } from "lucide-react";
import { Dialog } from "radix-ui";
import { type ReactNode, useState } from "react";
import { allPages } from "../pages/all-pages.tsx";
import { KeyHint } from "../parts/key-hint.tsx";
import { useOffered } from "./commands.ts";
import { environmentColor } from "./environment-color.ts";
import { ALL_ENVIRONMENTS, placeOf, usePlace } from "./place.ts";
import { useEnvironments } from "./place-switch.tsx";
import { nextTheme, setTheme, useTheme } from "./theme.tsx";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const HEADINGS =
  "[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:py-1.5 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-ink-3";

/** Go anywhere, act on what is in sight, or paste an id to open it. */
export function CommandMenu({ open, onClose, onHelp }: { open: boolean; onClose: () => void; onHelp: () => void }) {
  const [text, setText] = useState("");
  const { at, project } = usePlace();
  const { history } = useRouter();
  const theme = useTheme();
  const commands = useOffered();
  const environments = useEnvironments();
  const id = UUID.test(text.trim()) ? text.trim().toLowerCase() : undefined;
  const close = () => {
    setText("");
    onClose();
  };
  const then = (run: () => void) => () => {
    close();
    run();
  };
  const go = (href: string) => then(() => history.push(href));
  return (
    <Dialog.Root open={open} onOpenChange={(isOpen) => !isOpen && close()}>
      <Dialog.Portal>
        <div className="fixed inset-0 z-40 bg-scrim" aria-hidden="true" />
        <Dialog.Content
          aria-describedby={undefined}
          className="floating fixed top-[14vh] left-1/2 z-50 w-[min(600px,calc(100vw-24px))] -translate-x-1/2 animate-appear overflow-hidden"
        >
          <Dialog.Title className="sr-only">Command menu</Dialog.Title>
          <Command loop label="Command menu">
            <div className="flex items-center gap-2 border-b px-3">
              <Search size={16} className="text-ink-3" aria-hidden="true" />
              <Command.Input
                value={text}
                onValueChange={setText}
                placeholder="Go to a page, or paste an id"
                className="h-11 flex-1 bg-transparent text-base outline-none"
              />
              <KeyHint keys="esc" />
            </div>
            <Command.List className={`max-h-[min(400px,56vh)] overflow-y-auto p-1 ${HEADINGS}`}>
              <Command.Empty className="px-2 py-6 text-center text-ink-2">Nothing is called so.</Command.Empty>
              {id && (
                <Command.Group heading="Open">
                  {allPages
                    .filter(({ opensId }) => opensId)
                    .map(({ path, opensId }) => (
                      <Item key={path} value={`${id} ${opensId}`} onSelect={go(at(path.replace(/\$\w+/, id)))}>
                        Open {opensId} <code className="font-mono text-xs">{id}</code>
                      </Item>
                    ))}
                  <Item value={`${id} runs`} onSelect={go(at("runs", { q: id }))}>
                    Find runs with <code className="font-mono text-xs">{id}</code>
                  </Item>
                </Command.Group>
              )}
              {commands.length > 0 && (
                <Command.Group heading="Here">
                  {commands.map(({ label, keys, run }) => (
                    <Item key={label} keys={keys} onSelect={then(run)}>
                      {label}
                    </Item>
                  ))}
                </Command.Group>
              )}
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
              <Command.Group heading="Environment">
                {[
                  ...environments.map(({ slug, name }) => ({ slug, name })),
                  { slug: ALL_ENVIRONMENTS, name: "All environments" },
                ].map(({ slug, name }) => (
                  <Item key={slug} value={`environment ${name}`} onSelect={go(placeOf(project, slug).at("runs"))}>
                    <span className={`mx-1 size-2 rounded-full ${environmentColor(slug)}`} />
                    {name}
                  </Item>
                ))}
              </Command.Group>
              <Command.Group heading="Page">
                <Item keys="t" onSelect={then(() => setTheme(nextTheme(theme)))}>
                  Change theme to {nextTheme(theme)}
                </Item>
                <Item keys="?" onSelect={then(onHelp)}>
                  Keyboard shortcuts
                </Item>
                <Item onSelect={then(() => location.assign("/docs"))}>API reference</Item>
              </Command.Group>
            </Command.List>
          </Command>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Item({
  children,
  keys,
  value,
  onSelect,
}: {
  children: ReactNode;
  keys?: string | undefined;
  value?: string;
  onSelect: () => void;
}) {
  return (
    <Command.Item
      {...(value && { value })}
      onSelect={onSelect}
      className="flex h-9 cursor-pointer items-center gap-2 rounded-sm px-2 data-[selected=true]:bg-hover"
    >
      <span className="flex min-w-0 flex-1 items-center gap-2 truncate">{children}</span>
      {keys && <KeyHint keys={keys} />}
    </Command.Item>
  );
}
