import { Monitor, Moon, Sun } from "lucide-react";
import { useSyncExternalStore } from "react";
import { IconButton } from "../parts/form/icon-button.tsx";

/** Selected here, applied before the first paint by /docs/js/theme.js, which the documentation shares. */
export type Theme = "system" | "light" | "dark";

const STORED = "millrace-theme";
export const THEMES: Theme[] = ["system", "light", "dark"];
const listeners = new Set<() => void>();

export function useTheme(): Theme {
  return useSyncExternalStore(
    (onChange) => {
      listeners.add(onChange);
      return () => listeners.delete(onChange);
    },
    () => THEMES.find((theme) => theme === document.documentElement.dataset.theme) ?? "system",
  );
}

export function setTheme(theme: Theme): void {
  const root = document.documentElement;
  try {
    localStorage.setItem(STORED, theme);
  } catch {}
  if (theme === "system") delete root.dataset.theme;
  else root.dataset.theme = theme;
  for (const listener of listeners) listener();
}

export function nextTheme(theme: Theme): Theme {
  return THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "system";
}

const ICONS = { system: Monitor, light: Sun, dark: Moon };

export function ThemeButton() {
  const theme = useTheme();
  const Icon = ICONS[theme];
  return (
    <IconButton
      label={`Theme: ${theme}`}
      keys="t"
      icon={<Icon size={16} />}
      onClick={() => setTheme(nextTheme(theme))}
    />
  );
}
