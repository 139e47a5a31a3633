import { Segments } from "../../parts/tabs.tsx";
import { useSearchParams } from "../../shell/place/place.ts";

const VIEWS = [
  { id: "alerts", label: "Alerts" },
  { id: "rules", label: "Rules" },
  { id: "channels", label: "Channels" },
] as const;

type View = (typeof VIEWS)[number]["id"];

/** Alerts, the rules that fire them, and the channels they are sent to. */
export function ViewSwitch({ view }: { view: View }) {
  const [, change] = useSearchParams();
  return (
    <Segments
      label="View"
      value={view}
      options={[...VIEWS]}
      onChange={(id) => change({ tab: id === "alerts" ? undefined : id, peek: undefined, status: undefined })}
    />
  );
}
