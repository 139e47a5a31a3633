-- The limits that a blocked run needs besides those that its job and concurrency key determine: named rate limits depend on its
-- payload. Only set for such runs. A later run that needs all of them too does not start before it.
alter table run_queue add column limits text[];
