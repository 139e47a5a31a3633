import {
  infiniteQueryOptions,
  type QueryKey,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { toast } from "../parts/toasts.tsx";
import { usePlace } from "../shell/place.ts";
import { call, type Query } from "./call.ts";
import { sayFailure } from "./say-failure.ts";

export type Page<T> = { data: T[]; has_more: boolean; next_cursor: string | null };

/** Keys are the project, the path and the query: whoever reads the same thing shares it. */
export function apiKey(project: string, path: string, query: Query = {}): QueryKey {
  return [project, path, query];
}

/** Reads one object of the project in the address. */
export function useApi<T>(path: string, query: Query = {}, isOn = true) {
  const { project } = usePlace();
  const queryKey = apiKey(project, path, query);
  return useQuery({
    queryKey,
    queryFn: ({ signal }) => call<T>("GET", path, { query, project, signal }),
    enabled: isOn,
    placeholderData: keptFor(queryKey),
  });
}

const PAGE_SIZE = 50;

/** Reads a list page by page, as the reader comes to its end. `rows` is all of it so far. */
export function useApiList<T>(path: string, query: Query = {}, isOn = true) {
  const { project } = usePlace();
  const asked = listQuery<T>(project, path, query);
  const read = useInfiniteQuery({
    ...asked,
    enabled: isOn,
    placeholderData: keptFor(asked.queryKey),
  });
  const rows = useMemo(() => read.data?.pages.flatMap(({ data }) => data), [read.data]);
  return { ...read, rows };
}

/** How the first page of a list is read, for `useApiList` and for whoever asks before it is drawn. */
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

/** What names an object in a query. Another of them is another thing; the rest only narrows what is read of the same. */
const NAMES = /_id$|^replay_of$|^step_ref$/;

/**
 * Old data stays while it is read by another filter or of another time. What was read of another object, environment or
 * project never stands for this one, and that there was nothing says nothing of what is asked now.
 */
function keptFor(key: QueryKey) {
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

/**
 * Changes something. Never sent again by itself. A failure is said once: in a message after `mutate`, and by the caller
 * who awaits `mutateAsync` and shows it where it happened.
 */
export function useChange<A = void, R = unknown>({ run, done, outdates = [], onDone }: Change<A, R>) {
  const { project } = usePlace();
  const client = useQueryClient();
  const send: Send = (method, path, body, query) => call(method, path, { body, project, ...(query && { query }) });
  const change = useMutation({
    mutationFn: (args: A) => run(args, send),
    onSuccess: (result, args) => {
      if (done) toast({ title: typeof done === "string" ? done : done(result, args) });
      void client.invalidateQueries({
        predicate: ({ queryKey }) => outdates.some((path) => String(queryKey[1]).startsWith(path)),
      });
      onDone?.(result, args);
    },
  });
  const { mutateAsync } = change;
  const mutate = useCallback<typeof change.mutate>(
    (...args) => void mutateAsync(...args).catch(sayFailure),
    [mutateAsync],
  );
  return { ...change, mutate };
}
