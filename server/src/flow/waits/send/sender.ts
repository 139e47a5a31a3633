/** Who sent an event. Without an id: a callback, a step or a run, not a caller. */
export type Sender = { sent_by: string; sent_by_id?: string | null | undefined };
