import type { Scope } from "@millrace/contract/access/scopes";
import type { LucideIcon } from "lucide-react";
import type { ComponentType } from "react";
import type { Query } from "../api/call.ts";

type Search = Record<string, string | undefined>;

export type PageGroup = "top" | "activity" | "build" | "deliver" | "insight" | "settings";

/** A page: its path below `/p/{project}/{environment}/`, its title, and how to load its code. */
export type PageRoute = {
  /** `runs`, `runs/$runId`. */
  path: string;
  title: string;
  /** The page of the documentation about it, below `/docs/`. */
  docs: string;
  /** Sidebar group. Pages without one are only linked from other pages. */
  group?: PageGroup;
  icon?: LucideIcon;
  /** `g r`. */
  keys?: string;
  /** Without this scope an explanation is shown in place of the page. */
  scope?: Scope;
  /** What a pasted id opens in the command menu, for example "run". The path must have one parameter. */
  opensId?: string;
  /** Shown next to the title in the sidebar, for example a count. */
  Mark?: ComponentType;
  /** First list request, prefetched before the page renders. Undefined: the page decides. */
  opensWith?: (search: Search, environment: string | undefined) => { path: string; query: Query } | undefined;
  /** Always a dynamic import, so that the first page loads no other code. */
  load: () => Promise<{ default: ComponentType }>;
};
