import { perService } from "../service-state.ts";

export type InProcessRequest = {
  method: "GET" | "POST";
  /** With its query. */
  path: string;
  headers: Readonly<Record<string, string>>;
  body: unknown;
  /** The address of the client on whose behalf it is sent. */
  ip: string;
};
type InProcessResponse = { status: number; body: string };

/** Sends a request to this service within the process: it passes the same gate as one from outside. */
export const inProcessApi = perService(() => ({
  send: async (_: InProcessRequest): Promise<InProcessResponse> => {
    throw new Error("the API has not been built");
  },
}));
