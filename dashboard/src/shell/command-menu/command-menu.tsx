import { useRouter } from "@tanstack/react-router";
import { Command } from "cmdk";
import { Search } from "lucide-react";
import { Dialog } from "radix-ui";
import { useRef, useState } from "react";
import { KeyHint } from "../../parts/overlay/key-hint.tsx";
import { ActGroup, CreateGroup, RunIdActions } from "./command-actions.tsx";
import { EnvironmentGroup, HereGroup, LookGroup, PagesGroup, RecentGroup } from "./command-groups.tsx";
import { FoundGroups, IdGroup, LAST } from "./command-objects.tsx";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const HEADINGS =
  "[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:py-1.5 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-ink-3";

type Props = { open: boolean; onClose: () => void; onHelp: () => void; typed: string };

/** Navigate, run commands of the page, find a job by name, or paste an id. `typed` was written before it was loaded. */
export function CommandMenu({ open, onClose, onHelp, typed }: Props) {
  const [text, setText] = useState(typed);
  const [chosen, setChosen] = useState("");
  const list = useRef<HTMLDivElement>(null);
  const { history } = useRouter();
  const trimmed = text.trim();
  const id = UUID.test(trimmed) ? trimmed.toLowerCase() : undefined;
  const close = () => {
    setText("");
    setChosen("");
    onClose();
  };
  const then = (run: () => void) => () => {
    close();
    run();
  };
  const go = (href: string) => then(() => history.push(href));
  // Select the first match once names load, unless the user has moved to another item.
  const chooseAgain = () => setChosen((before) => (before === LAST ? firstOf(list.current) : before));
  return (
    <Dialog.Root open={open} onOpenChange={(isOpen) => !isOpen && close()}>
      <Dialog.Portal>
        <div className="fixed inset-0 z-40 bg-scrim" aria-hidden="true" />
        <Dialog.Content
          aria-describedby={undefined}
          onOpenAutoFocus={focusAtEnd}
          className="floating fixed top-[14vh] left-1/2 z-50 w-[min(600px,calc(100vw-24px))] -translate-x-1/2 animate-appear overflow-hidden"
        >
          <Dialog.Title className="sr-only">Command menu</Dialog.Title>
          <Command loop label="Command menu" value={chosen} onValueChange={setChosen}>
            <CommandField text={text} onText={setText} />
            <Command.List ref={list} className={`max-h-[min(400px,56vh)] overflow-y-auto p-1 ${HEADINGS}`}>
              <Command.Empty className="px-2 py-6 text-center text-ink-2">No matching pages or commands.</Command.Empty>
              {id && <IdGroup id={id} then={then} />}
              {id && <RunIdActions id={id} then={then} />}
              <HereGroup then={then} />
              {trimmed === "" && <RecentGroup go={go} />}
              <PagesGroup go={go} />
              <CreateGroup then={then} />
              <EnvironmentGroup then={then} />
              <LookGroup then={then} onHelp={onHelp} />
              <ActGroup text={trimmed} then={then} />
              <FoundGroups text={trimmed} go={go} onNamed={chooseAgain} />
            </Command.List>
          </Command>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** By default the dialog would select what was typed already, and the next key would replace it. */
function focusAtEnd(event: Event): void {
  event.preventDefault();
  const field = (event.currentTarget as HTMLElement).querySelector("input");
  field?.focus();
  field?.setSelectionRange(field.value.length, field.value.length);
}

function firstOf(list: HTMLElement | null): string {
  return list?.querySelector("[cmdk-item]")?.getAttribute("data-value") ?? LAST;
}

function CommandField({ text, onText }: { text: string; onText: (text: string) => void }) {
  return (
    <div className="flex items-center gap-2 border-b px-3">
      <Search size={16} className="text-ink-3" aria-hidden="true" />
      <Command.Input
        value={text}
        onValueChange={onText}
        placeholder="Search, run a command, or paste an id"
        className="h-11 flex-1 bg-transparent text-base outline-none"
      />
      <KeyHint keys="esc" />
    </div>
  );
}
