import { Outlet, useLocation } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { Sheet } from "../parts/overlay/sheet.tsx";
import { useShortcut } from "../parts/overlay/use-shortcut.ts";
import { changeSettings, useSettings } from "../parts/settings.ts";
import { useMedia } from "../parts/use-media.ts";
import { LazyCommandMenu } from "./command-menu/lazy-command-menu.tsx";
import { Shortcuts } from "./command-menu/shortcuts.tsx";
import { useNoteRecent } from "./command-menu/use-note-recent.ts";
import { DemoBanner } from "./demo/demo-banner.tsx";
import { MobileBar } from "./mobile-bar.tsx";
import { environmentColor } from "./place/environment-color.ts";
import { KnownPlaceOnly } from "./place/known-place-only.tsx";
import { usePlace } from "./place/place.ts";
import { keepPlace } from "./place/recall-place.ts";
import { ReconnectBanner } from "./reconnect-banner.tsx";
import { Sidebar } from "./sidebar.tsx";
import { nextTheme, setTheme, useTheme } from "./theme.tsx";

const WIDE = "(width >= 48rem)";
const ROOMY = "(width >= 75rem)";

/** Sidebar, banners and page. The page fills the rest and controls its own scrolling. */
export function Shell() {
  const { project, environment } = usePlace();
  const pathname = useLocation({ select: ({ pathname }) => pathname });
  const { rail } = useSettings();
  const theme = useTheme();
  const isWide = useMedia(WIDE);
  const isRoomy = useMedia(ROOMY);
  const isSidebarSmall = rail === "closed" || (rail === "by_width" && !isRoomy);
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [isSidebarOpen, setSidebarOpen] = useState(false);
  const [isHelpOpen, setHelpOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  useShortcut("mod+k", () => setMenuOpen(true));
  useShortcut("mod+b", () => changeSettings({ rail: isSidebarSmall ? "open" : "closed" }));
  useShortcut("t", () => setTheme(nextTheme(theme)));
  useShortcut("?", () => setHelpOpen(true));
  useNoteRecent();
  useEffect(() => keepPlace(project, environment), [project, environment]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: navigation closes the sidebar on a phone
  useEffect(() => setSidebarOpen(false), [pathname]);

  return (
    <div className="flex h-dvh flex-col md:flex-row">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:m-2 focus:rounded-sm focus:bg-accent focus:px-3 focus:py-1.5 focus:text-on-accent"
      >
        Skip to content
      </a>
      {isWide ? (
        <Sidebar isSmall={isSidebarSmall} onSearch={() => setMenuOpen(true)} onHelp={() => setHelpOpen(true)} />
      ) : (
        <MobileBar onMenu={() => setSidebarOpen(true)} onSearch={() => setMenuOpen(true)} />
      )}
      {!isWide && (
        <Sheet open={isSidebarOpen} onClose={() => setSidebarOpen(false)} title="Millrace" side="left" width="280px">
          <Sidebar isSmall={false} onSearch={() => setMenuOpen(true)} onHelp={() => setHelpOpen(true)} isInSheet />
        </Sheet>
      )}
      <main
        ref={main}
        id="main"
        tabIndex={-1}
        className="relative flex min-h-0 min-w-0 flex-1 flex-col overflow-y-auto outline-none"
      >
        <div className={`h-0.5 flex-none ${environmentColor(environment)}`} aria-hidden="true" />
        <ReconnectBanner />
        <DemoBanner />
        <KnownPlaceOnly>
          <Outlet />
        </KnownPlaceOnly>
      </main>
      <LazyCommandMenu open={isMenuOpen} onClose={() => setMenuOpen(false)} onHelp={() => setHelpOpen(true)} />
      <Shortcuts open={isHelpOpen} onClose={() => setHelpOpen(false)} />
    </div>
  );
}
