import { useLocation } from "@tanstack/react-router";
import { useEffect } from "react";
import { allPages } from "../../pages/all-pages.tsx";
import { noteRecent } from "./recent.ts";

const OBJECTS = allPages.flatMap(({ path, title, opensId }) =>
  opensId ? [{ kind: title, pattern: new RegExp(`^/p/[^/]+/[^/]+/${path.replace(/\$\w+/, "[^/]+")}$`) }] : [],
);
const CHECK_MS = 700;
const MAX_CHECKS = 60;

/** Remembers the pages of runs, jobs and other objects, by their headings, for the command menu. */
export function useNoteRecent(): void {
  const pathname = useLocation({ select: ({ pathname }) => pathname });
  useEffect(() => {
    const found = OBJECTS.find(({ pattern }) => pattern.test(pathname));
    if (!found) return;
    let checks = 0;
    const timer = setInterval(() => {
      checks += 1;
      const title = titleOf(found.kind);
      if (title) noteRecent({ href: pathname, title, kind: found.kind });
      if (title || checks === MAX_CHECKS) clearInterval(timer);
    }, CHECK_MS);
    return () => clearInterval(timer);
  }, [pathname]);
}

/** The heading of the new page, once it has replaced the previous one. */
function titleOf(kind: string): string | undefined {
  if (!document.title.startsWith(`${kind} ·`)) return undefined;
  return document.querySelector("main h1")?.textContent?.trim() || undefined;
}
