-- Two instances that receive the same claim at the same moment do not see each other's runs, and each claimed as many as it
-- asks for. The claim's id on one of the first runs makes the later of them wait for the commit of the other, and fail.
alter table run_queue add column first_of_claim uuid;
comment on column run_queue.first_of_claim is 'The claim_id, on one of the runs that were claimed first: no other instance can claim for the same request at that moment.';
create unique index run_queue_first_of_claim_idx on run_queue (project_id, worker_id, first_of_claim)
  where worker_id is not null and first_of_claim is not null;
