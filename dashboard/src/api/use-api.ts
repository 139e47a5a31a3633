import {
  keepPreviousData,
  type QueryKey,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useMemo } from "react";
import { toast } from "../parts/toasts.tsx";
import { usePlace } from "../shell/place.ts";
import { call, type Query } from "./call.ts";
import { asProblem } from "./problem.ts";

export type Page<T> = { data: T[]; has_more: boolean; next_cursor: string | null };

/** Keys are the project, the path and the query: whoever reads the same thing shares it. */
export function apiKey(project: string, path: string, query: Query = {}): QueryKey {
  return [project, path, query];
}

/** Reads one object of the project in the address. */
export function useApi<T>(path: string, query: Query = {}, isOn = true) {
  const { project } = usePlace();
  return useQuery({
    queryKey: apiKey(project, path, query),
    queryFn: ({ signal }) => call<T>("GET", path, { query, project, signal }),
    enabled: isOn,
    placeholderData: keepPreviousData,
  });
}

const PAGE_SIZE = 50;

/** Reads a list page by page, as the reader comes to its end. `rows` is all of it so far. */
export function useApiList<T>(path: string, query: Query = {}, isOn = true) {
  const { project } = usePlace();
  const whole = { limit: PAGE_SIZE, ...query };
  const read = useInfiniteQuery({
    queryKey: [...apiKey(project, path, whole), "list"],
    queryFn: ({ pageParam, signal }) =>
      call<Page<T>>("GET", path, { query: { ...whole, cursor: pageParam }, project, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    enabled: isOn,
    placeholderData: keepPreviousData,
  });
  const rows = useMemo(() => read.data?.pages.flatMap(({ data }) => data), [read.data]);
  return { ...read, rows };
}

type Change<A, R> = {
  run: (args: A, send: Send) => Promise<R>;
  /** Said when it is done. */
  done?: string | ((result: R, args: A) => string);
  /** Paths whose reads are old now: all that begin with one of them. */
  outdates?: string[];
  onDone?: (result: R, args: A) => void;
};

type Send = <T = undefined>(
  method: "POST" | "PUT" | "PATCH" | "DELETE",
  path: string,
  body?: unknown,
  query?: Query,
) => Promise<T>;

/** Changes something. Never sent again by itself. Failures are said, unless the caller awaits `mutateAsync` and shows them. */
export function useChange<A = void, R = unknown>({ run, done, outdates = [], onDone }: Change<A, R>) {
  const { project } = usePlace();
  const client = useQueryClient();
  const send: Send = (method, path, body, query) => call(method, path, { body, project, ...(query && { query }) });
  return useMutation({
    mutationFn: (args: A) => run(args, send),
    onSuccess: (result, args) => {
      if (done) toast({ title: typeof done === "string" ? done : done(result, args) });
      void client.invalidateQueries({
        predicate: ({ queryKey }) => outdates.some((path) => String(queryKey[1]).startsWith(path)),
      });
      onDone?.(result, args);
    },
    onError: (error) => {
      const { title, detail, remedy } = asProblem(error);
      toast({ tone: "bad", title, detail: `${detail} ${remedy}`, lastsMs: 10_000 });
    },
  });
}
