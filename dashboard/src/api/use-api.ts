import {
  infiniteQueryOptions,
  type QueryKey,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { toast } from "../parts/overlay/toasts.tsx";
import { usePlace } from "../shell/place/place.ts";
import { call, type Query } from "./call.ts";
import { showFailure } from "./show-failure.ts";

export type Page<T> = { data: T[]; has_more: boolean; next_cursor: string | null };

/** The key is project, path and query, so equal reads share one request. */
export function apiKey(project: string, path: string, query: Query = {}): QueryKey {
  return [project, path, query];
}

/** Reads one object of the current project. */
export function useApi<T>(path: string, query: Query = {}, isOn = true) {
  const { project } = usePlace();
  const queryKey = apiKey(project, path, query);
  return useQuery({
    queryKey,
    queryFn: ({ signal }) => call<T>("GET", path, { query, project, signal }),
    enabled: isOn,
    placeholderData: placeholderFor(queryKey),
  });
}

const PAGE_SIZE = 50;

/** Reads a list page by page. `rows` holds everything loaded so far. */
export function useApiList<T>(path: string, query: Query = {}, isOn = true) {
  const { project } = usePlace();
  const options = listQuery<T>(project, path, query);
  const read = useInfiniteQuery({
    ...options,
    enabled: isOn,
    placeholderData: placeholderFor(options.queryKey),
  });
  const rows = useMemo(() => read.data?.pages.flatMap(({ data }) => data), [read.data]);
  return { ...read, rows };
}

/** Query options of a list's first page, for `useApiList` and for prefetching. */
export function listQuery<T>(project: string, path: string, query: Query) {
  const whole = { limit: PAGE_SIZE, ...query };
  return infiniteQueryOptions({
    queryKey: [...apiKey(project, path, whole), "list"],
    queryFn: ({ pageParam, signal }) =>
      call<Page<T>>("GET", path, { query: { ...whole, cursor: pageParam }, project, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next_cursor ?? undefined,
  });
}

/** Parameters that identify an object. The others only filter or limit what is read of it. */
const NAMES = /_id$|^replay_of$|^step_ref$/;

/**
 * Keeps the previous data while another filter or time range loads. Data of another object, environment or project is
 * never kept, and neither is an empty result.
 */
function placeholderFor(key: QueryKey) {
  return <T>(before: T | undefined, of: { queryKey: QueryKey } | undefined): T | undefined =>
    of && subjectOf(of.queryKey) === subjectOf(key) && !isEmpty(before) ? before : undefined;
}

function isEmpty(read: unknown): boolean {
  const { data, pages } = (read ?? {}) as { data?: unknown[]; pages?: Page<unknown>[] };
  return (pages?.[0]?.data ?? data)?.length === 0;
}

function subjectOf([project, path, query]: QueryKey): string {
  const named = Object.entries(query as Query).filter(([name, value]) => NAMES.test(name) && value !== undefined);
  return JSON.stringify([project, path, named.sort()]);
}

type Change<A, R> = {
  run: (args: A, send: Send) => Promise<R>;
  /** Shown as a toast on success. */
  done?: string | ((result: R, args: A) => string);
  /** Path prefixes whose queries become stale. */
  invalidates?: string[];
  /** The arguments that take the change back, offered in the toast. */
  undo?: (args: A) => A | undefined;
  onDone?: (result: R, args: A) => void;
};

type Send = <T = undefined>(
  method: "POST" | "PUT" | "PATCH" | "DELETE",
  path: string,
  body?: unknown,
  query?: Query,
) => Promise<T>;

/**
 * A mutation that is never retried automatically. `mutate` shows a failure as a toast; callers of `mutateAsync` show
 * it themselves.
 */
export function useChange<A = void, R = unknown>({ run, done, invalidates = [], undo, onDone }: Change<A, R>) {
  const { project } = usePlace();
  const client = useQueryClient();
  const send: Send = (method, path, body, query) => call(method, path, { body, project, ...(query && { query }) });
  const change = useMutation({
    mutationFn: (args: A) => run(args, send),
    onSuccess: (result, args) => {
      const back = undo?.(args);
      const action = back !== undefined && { label: "Undo", onClick: () => mutate(back) };
      if (done) toast({ title: typeof done === "string" ? done : done(result, args), ...(action && { action }) });
      void client.invalidateQueries({
        predicate: ({ queryKey }) => invalidates.some((path) => String(queryKey[1]).startsWith(path)),
      });
      onDone?.(result, args);
    },
  });
  const { mutateAsync } = change;
  const mutate = useCallback<typeof change.mutate>(
    (...args) => void mutateAsync(...args).catch(showFailure),
    [mutateAsync],
  );
  return { ...change, mutate };
}
