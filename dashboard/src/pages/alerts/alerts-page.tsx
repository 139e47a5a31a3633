import { useSearchParams } from "../../shell/place/place.ts";
import { AlertsView } from "./alerts-view.tsx";
import { ChannelsView } from "./channels/channels-view.tsx";
import { RulesView } from "./rules/rules-view.tsx";

/** Alerts, their rules and channels. Notifications link to the alerts. */
export default function AlertsPage() {
  const [{ tab }] = useSearchParams();
  if (tab === "rules") return <RulesView />;
  if (tab === "channels") return <ChannelsView />;
  return <AlertsView />;
}
