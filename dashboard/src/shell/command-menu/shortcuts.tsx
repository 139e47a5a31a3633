import { useRouter } from "@tanstack/react-router";
import { allPages } from "../../pages/all-pages.tsx";
import { Dialog } from "../../parts/overlay/dialog.tsx";
import { KeyHint } from "../../parts/overlay/key-hint.tsx";
import { useShortcut } from "../../parts/overlay/use-shortcut.ts";
import { usePlace } from "../place/place.ts";
import { runWhenOffered } from "./commands.ts";
import { CREATE_COMMANDS } from "./create-commands.ts";

const EVERYWHERE: [string, string][] = [
  ["mod+k", "Command menu"],
  ["/", "Filter"],
  ["?", "Keyboard shortcuts"],
  ["t", "Switch theme"],
  ["mod+b", "Toggle sidebar"],
];

const IN_LISTS: [string, string][] = [
  ["j", "Next row"],
  ["k", "Previous row"],
  ["enter", "Open"],
  ["space", "Preview in panel"],
  ["x", "Select"],
  ["esc", "Close or clear selection"],
  [".", "Pause live updates"],
  ["r", "Replay"],
  ["c", "Cancel"],
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
      {CREATE_COMMANDS.map(({ keys, path, label }) => (
        <PageKey key={label} keys={keys} path={path} command={label} />
      ))}
      <Dialog open={open} onClose={onClose} title="Keyboard shortcuts">
        <div className="grid gap-x-8 gap-y-4 sm:grid-cols-2">
          <Keys title="Everywhere" keys={EVERYWHERE} />
          <Keys title="In lists" keys={IN_LISTS} />
          <Keys title="Create" keys={CREATE_COMMANDS.map(({ keys, label }): [string, string] => [keys, label])} />
          <Keys title="Go to" keys={withKeys.map(([keys, title]): [string, string] => [keys, title])} />
        </div>
        <p className="text-ink-2 text-xs">Turn single-key shortcuts off in the account menu.</p>
      </Dialog>
    </>
  );
}

/** Opens a page, and there runs a command of it. */
function PageKey({ keys, path, command }: { keys: string; path: string; command?: string }) {
  const { history } = useRouter();
  const { at } = usePlace();
  useShortcut(keys, () => {
    history.push(at(path));
    if (command) runWhenOffered(command);
  });
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
