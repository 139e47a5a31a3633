import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { Tooltip } from "radix-ui";
import { useEffect } from "react";
import { queryClient } from "../api/query-client.ts";
import { closeLive } from "../live/use-live.ts";
import { Toasts } from "../parts/overlay/toasts.tsx";
import { listenToKeys } from "../parts/overlay/use-shortcut.ts";
import { router } from "./router.tsx";

export function App() {
  useEffect(listenToKeys, []);
  useEffect(() => {
    addEventListener("signed-out", forgetAll);
    return () => removeEventListener("signed-out", forgetAll);
  }, []);
  return (
    <QueryClientProvider client={queryClient}>
      <Tooltip.Provider delayDuration={400} skipDelayDuration={200}>
        <RouterProvider router={router} />
        <Toasts />
      </Tooltip.Provider>
    </QueryClientProvider>
  );
}

/** The session ended: clears all data and shows the sign-in page at the current URL. */
function forgetAll(): void {
  if (queryClient.getQueryData(["me"]) === null) return;
  closeLive();
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== "me" });
  queryClient.setQueryData(["me"], null);
}
