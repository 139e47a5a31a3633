import { useState } from "react";
import { Segments } from "../../parts/tabs.tsx";
import { nextTheme, setTheme, useTheme } from "../../shell/theme.tsx";
import { Actions } from "./actions.tsx";
import { Charts } from "./charts.tsx";
import { Forms } from "./forms.tsx";
import { Lists } from "./lists.tsx";
import { States } from "./states.tsx";
import { Values } from "./values.tsx";

/** All components with their states, for developers. Not in the sidebar. */
export default function GalleryPage() {
  const theme = useTheme();
  const [direction, setDirection] = useState<"ltr" | "rtl">("ltr");
  return (
    <main dir={direction} className="mx-auto flex max-w-[1200px] flex-col gap-10 px-4 py-8">
      <header className="flex flex-wrap items-center gap-3">
        <h1 className="font-semibold text-xl">Components</h1>
        <span className="ml-auto flex gap-2">
          <Segments
            label="Direction"
            value={direction}
            options={[
              { id: "ltr", label: "LTR" },
              { id: "rtl", label: "RTL" },
            ]}
            onChange={setDirection}
          />
          <button
            type="button"
            className="rounded-sm border px-3 hover:bg-hover"
            onClick={() => setTheme(nextTheme(theme))}
          >
            Theme: {theme}
          </button>
        </span>
      </header>
      <Actions />
      <Values />
      <Lists />
      <States />
      <Forms />
      <Charts />
    </main>
  );
}
