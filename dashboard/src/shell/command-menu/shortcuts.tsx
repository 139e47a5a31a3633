import { useRouter } from "@tanstack/react-router";
import { allPages } from "../../pages/all-pages.tsx";
import { Dialog } from "../../parts/overlay/dialog.tsx";
import { KeyHint } from "../../parts/overlay/key-hint.tsx";
import { useShortcut } from "../../parts/overlay/use-shortcut.ts";
import { useOpenElsewhere, usePlace } from "../place/place.ts";
import { useOfferedEnvironments } from "../place/use-places.ts";
import { runWhenOffered } from "./commands.ts";
import { CREATE_COMMANDS } from "./create-commands.ts";
import { environmentKeys } from "./environment-keys.ts";

const EVERYWHERE: [string, string][] = [
  ["mod+k", "Command menu"],
  ["/", "Filter"],
  ["?", "Keyboard shortcuts"],
  ["t", "Switch theme"],
  ["mod+b", "Toggle sidebar"],
  [environmentKeys(0), "Switch to the first environment, and so on"],
];

const IN_LISTS: [string, string][] = [
  ["j", "Next row"],
  ["k", "Previous row"],
  ["enter", "Open"],
  ["space", "Preview in panel"],
  ["x", "Select"],
  ["esc", "Close or clear selection"],
  [".", "Pause live updates"],
];

const ON_OBJECTS: [string, string][] = [
  ["r", "Replay run, retry failed steps"],
  ["c", "Cancel"],
  ["p", "Pause or resume"],
  ["n r", "Test job, trigger workflow"],
];

/** Page shortcuts, and the dialog that lists all of them. */
export function Shortcuts({ open, onClose }: { open: boolean; onClose: () => void }) {
  const withKeys = allPages.flatMap(({ path, title, keys }): [string, string, string][] =>
    keys ? [[keys, title, path]] : [],
  );
  return (
    <>
      {withKeys.map(([keys, , path]) => (
        <PageKey key={path} keys={keys} path={path} />
      ))}
      {CREATE_COMMANDS.map(({ keys, path, search, label }) => (
        <PageKey key={label} keys={keys} path={path} search={search} command={label} />
      ))}
      {useOfferedEnvironments().map(({ slug }, nth) => (
        <EnvironmentKey key={slug} keys={environmentKeys(nth)} slug={slug} />
      ))}
      <Dialog open={open} onClose={onClose} title="Keyboard shortcuts">
        <div className="grid gap-x-8 gap-y-4 sm:grid-cols-2">
          <Keys title="Everywhere" keys={EVERYWHERE} />
          <Keys title="In lists" keys={IN_LISTS} />
          <Keys title="On a run, job or workflow" keys={ON_OBJECTS} />
          <Keys title="Create" keys={CREATE_COMMANDS.map(({ keys, label }): [string, string] => [keys, label])} />
          <Keys title="Go to" keys={withKeys.map(([keys, title]): [string, string] => [keys, title])} />
        </div>
        <p className="text-ink-2 text-xs">Turn single-key shortcuts off in the account menu.</p>
      </Dialog>
    </>
  );
}

/** Opens a page, and there runs a command of it. */
type PageKeyProps = { keys: string; path: string; search?: Record<string, string> | undefined; command?: string };

function PageKey({ keys, path, search = {}, command }: PageKeyProps) {
  const { history } = useRouter();
  const { at } = usePlace();
  useShortcut(keys, () => {
    history.push(at(path, search));
    if (command) runWhenOffered(command);
  });
  return null;
}

function EnvironmentKey({ keys, slug }: { keys: string; slug: string }) {
  const { project } = usePlace();
  const open = useOpenElsewhere();
  useShortcut(keys, () => open(project, slug));
  return null;
}

function Keys({ title, keys }: { title: string; keys: [string, string][] }) {
  return (
    <section>
      <h3 className="mb-1.5 font-medium text-ink-3 text-xs">{title}</h3>
      <dl className="flex flex-col gap-1">
        {keys.map(([key, what]) => (
          <div key={key} className="flex items-center justify-between gap-4">
            <dt>{what}</dt>
            <dd>
              <span className="sr-only">{key}</span>
              <KeyHint keys={key} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
