/** A request on a project, as data: the same for every build. */
export type Operation = {
  /** Method and path. `$0` and `$1` stand for what the picks find, `$hooks` for the address of webhook receivers. */
  call: string;
  body?: object;
  picks?: Pick[];
  headers?: Record<string, string>;
  /** Sent with the run token of `$0`. */
  isOfRun?: boolean;
  /** The whole response is compared, not only its status and error. */
  isWhole?: boolean;
};

/** The nth of the objects of a kind, in the order of their names. */
export type Pick = { of: PickKind; status?: string; nth: number };
type PickKind = "run" | "accepted" | "dead" | "workflow_run" | "step" | "event" | "schedule" | "subscription";

export function printOperation({ call, body, picks = [], headers, isOfRun }: Operation): string {
  const found = picks.map(({ of, status, nth }, at) => `$${at} = ${of}${status ? ` (${status})` : ""} #${nth}`);
  const sent = body ? ` ${JSON.stringify(body)}` : "";
  const rest = [...found, ...(headers ? [JSON.stringify(headers)] : []), ...(isOfRun ? ["with its run token"] : [])];
  return `${call}${sent}${rest.length > 0 ? `   [${rest.join(", ")}]` : ""}`;
}
