-- Distributes the tables of a service over a Citus cluster: all of them to one node, a schema per service
-- (docs/operate/scaling.md). Once, as a superuser on the coordinator, after `millrace migrate up` and before the first start:
--   psql -v ON_ERROR_STOP=1 -v schema=millrace -v role=millrace -f distribute.sql <address of the coordinator>

-- Citus evaluates the functions of a change on the coordinator and accepts only immutable ones there. Nothing is prepared
-- behind a pooler, so each statement still has its own time.
select run_command_on_all_nodes('alter function pg_catalog.timestamptz_pl_interval(timestamptz, interval) immutable');
select run_command_on_all_nodes('alter function pg_catalog.timestamptz_mi_interval(timestamptz, interval) immutable');
select run_command_on_all_nodes(format('alter function %I.clock() immutable', :'schema'));

-- A session takes the tables of the schema, as the service's pooler opens it.
select format('alter role %I in database %I set search_path = %I', :'role', current_database(), :'schema') \gexec
-- Citus writes some intermediate results in binary and reads them as text.
select format('alter role %I in database %I set citus.enable_binary_protocol = off', :'role', current_database()) \gexec

select citus_schema_distribute(:'schema');
