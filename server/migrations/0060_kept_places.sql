-- A run that limits refuse again and again, each while another has room, may keep its places in some (kept) while it waits for the
-- next; granted_by then names the first of them. refusals and refused_at: how often limits have refused it since it was queued, and
-- when first. released_at: when it was last unblocked, by a limit or otherwise.
alter table run_queue add column kept text[], add column refusals integer not null default 0,
  add column refused_at timestamp(3) with time zone, add column released_at timestamp with time zone;
alter table run_queue add constraint run_queue_kept_check check (kept is null or granted_by is not null);
