import type { History } from "../history.ts";

/** One change of a good history, named by its effect. */
type Mutation = (history: History) => void;

/** Grouped by the only invariant that must find it. */
export type Mutations = Record<string, Record<string, Mutation>>;
