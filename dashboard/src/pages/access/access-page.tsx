import { AsCode } from "../../parts/code/as-code.tsx";
import { PageBody, PageHeader } from "../../parts/page-header.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { useSearchParams } from "../../shell/place/place.ts";
import { codeOf } from "../code-of.ts";
import { MembersTab } from "./members-tab.tsx";
import { PoliciesTab } from "./policies-tab.tsx";
import { RolesTab } from "./roles-tab.tsx";
import { Simulator } from "./simulator.tsx";

const PATHS: Record<string, string> = { members: "/v1/members", policies: "/v1/resource-policies", check: "/v1/roles" };

/** Roles, members, policies and the access check. */
export default function AccessPage() {
  const [{ tab = "roles" }, change] = useSearchParams();
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <PageHeader
        title="Access"
        actions={<AsCode about="Access" code={codeOf({ method: "GET", path: PATHS[tab] ?? "/v1/roles" })} />}
      />
      <PageBody className="pt-1">
        <Tabs
          label="Access"
          value={tab}
          onChange={(id) => change({ tab: id === "roles" ? undefined : id })}
          tabs={[
            { id: "roles", label: "Roles", content: <RolesTab /> },
            { id: "members", label: "Members", content: <MembersTab /> },
            { id: "policies", label: "Policies", content: <PoliciesTab /> },
            { id: "check", label: "Check access", content: <Simulator /> },
          ]}
        />
      </PageBody>
    </div>
  );
}
