import { type ComponentType, useEffect, useState } from "react";
import { showFailure } from "../../api/show-failure.ts";

type Props = { open: boolean; onClose: () => void; onHelp: () => void };
type MenuProps = Props & { typed: string };

const load = () => import("./command-menu.tsx");

/** Loads the menu when it is first opened, or with the Ctrl or ⌘ before it: no page needs it to be shown. */
export function LazyCommandMenu(props: Props) {
  const { open, onClose } = props;
  const [Menu, setMenu] = useState<ComponentType<MenuProps>>();
  const [typed, setTyped] = useState("");
  useEffect(() => {
    const onKey = ({ key }: KeyboardEvent) => {
      if (key === "Control" || key === "Meta") load().catch(() => {}); // reported if it is opened
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new onClose does not load it again
  useEffect(() => {
    if (!open || Menu) return;
    const failed = (error: unknown) => {
      onClose();
      showFailure(error);
    };
    load().then(({ CommandMenu }) => setMenu(() => CommandMenu), failed);
  }, [open, Menu]);
  if (Menu) return <Menu {...props} typed={typed} />;
  return open ? <EarlyField text={typed} onText={setTyped} /> : null;
}

/** Takes what is typed until the menu is loaded: on the page, single keys would run commands. */
function EarlyField({ text, onText }: { text: string; onText: (text: string) => void }) {
  return (
    <div className="floating fixed top-[14vh] left-1/2 z-50 w-[min(600px,calc(100vw-24px))] -translate-x-1/2 px-3">
      <input
        // biome-ignore lint/a11y/noAutofocus: the field of a menu that the user has opened
        autoFocus
        aria-label="Command menu"
        value={text}
        onChange={(event) => onText(event.target.value)}
        className="h-11 w-full bg-transparent text-base outline-none"
      />
    </div>
  );
}
