import type { Scope } from "@millrace/contract/scopes";
import type { LucideIcon } from "lucide-react";
import type { ComponentType } from "react";
import type { Query } from "../api/call.ts";

type Search = Record<string, string | undefined>;

export type PageGroup = "top" | "activity" | "build" | "deliver" | "insight" | "settings";

/** A page is a row: its path below `/p/{project}/{environment}/`, what it is called, and where its code is. */
export type PageRow = {
  /** `runs`, `runs/$runId`. */
  path: string;
  title: string;
  /** Where it stands in the rail. Without one it is reached from other pages only. */
  group?: PageGroup;
  icon?: LucideIcon;
  /** `g r`. */
  keys?: string;
  /** Who lacks it is told so in place of the page. */
  scope?: Scope;
  /** What a pasted id is opened as in the command menu: "run". Its path has one parameter. */
  opensId?: string;
  /** Stands beside its name in the rail, such as a count. */
  Mark?: ComponentType;
  /** The list that it opens with, asked for before the page is drawn. Undefined: the page knows better. */
  opensWith?: (search: Search, environment: string | undefined) => { path: string; query: Query } | undefined;
  /** Always a dynamic import: the first page loads no other. */
  load: () => Promise<{ default: ComponentType }>;
};
