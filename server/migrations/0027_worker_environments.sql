alter table api_keys add column worker_environment_ids uuid[];
comment on column api_keys.worker_environment_ids is 'The environments whose runs workers with this key may claim. Null: the one of the key, or all.';
