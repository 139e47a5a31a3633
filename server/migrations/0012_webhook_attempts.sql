alter table webhook_deliveries
  -- Where what it tells happened; null: in none. A key bound to an environment sees those of that one.
  add column environment_id uuid,
  -- Of the URL, with the port where it is not the usual one: what shares it shares its ten places.
  add column host text not null default '',
  -- Of the claim that is sending it. Until next_attempt_at nobody else may; after it the claim is lost.
  add column claim_token uuid,
  add constraint webhook_deliveries_claimed check (claim_token is null or status = 'pending');

-- Found by lane, so that ten thousand for a dead receiver are one entry to step over.
create index webhook_deliveries_lane_idx on webhook_deliveries (project_id, host, next_attempt_at)
  where status = 'pending';
create index webhook_deliveries_claimed_idx on webhook_deliveries (host, project_id, next_attempt_at)
  where claim_token is not null;
drop index webhook_deliveries_due_idx;

-- Born with the claim, so that an attempt of an instance that fell silent is seen too.
create table webhook_attempts (
  project_id uuid not null,
  -- The token of its claim.
  id uuid not null,
  delivery_id uuid not null,
  attempt integer not null,
  status_code integer,
  error text,
  duration_ms integer,
  started_at timestamptz(3) not null,
  finished_at timestamptz(3),
  primary key (project_id, id),
  foreign key (project_id, delivery_id) references webhook_deliveries (project_id, id) on delete cascade
);
create index webhook_attempts_delivery_idx on webhook_attempts (project_id, delivery_id, started_at);
