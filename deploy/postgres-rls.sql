-- Row-level security as a second wall: even a statement that forgot its WHERE sees only the rows of its transaction's owner.
-- 行级安全作为第二道墙：哪怕语句漏了 WHERE，也只能看到本事务所属用户的数据。
--
-- Run it in zhiji's database as the owner of the tables (who may make roles) or as a superuser, after `zhiji migrate`, and again after each migration:
--   psql -v ON_ERROR_STOP=1 -d zhiji -f deploy/postgres-rls.sql
-- Then give the service a login of its own, and start it with ZHIJI_AUTO_MIGRATE=false:
--   CREATE ROLE zhiji_service LOGIN PASSWORD '…' IN ROLE zhiji_app;
--
-- What it protects: all tables with a column `owner`. zhiji says at the start of each transaction whose it is (zhiji.owner), or,
-- in workers and upkeep only, that it is everybody's (zhiji.everybody).
-- What it does not: whoever can make up statements can say whose transaction it is. The tables that name owners
-- (zhiji_owners, zhiji_uses) must be asked by name before an owner is known; they hold names and numbers, no words.

DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'zhiji_app') THEN
    CREATE ROLE zhiji_app NOLOGIN NOSUPERUSER NOBYPASSRLS;
  END IF;
END $$;

DO $$
DECLARE
  each regclass;
  is_owned boolean;
BEGIN
  SET LOCAL client_min_messages = warning;  -- not that there was no policy before
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO zhiji_app', current_schema());
  EXECUTE format('GRANT USAGE ON ALL SEQUENCES IN SCHEMA %I TO zhiji_app', current_schema());
  FOR each, is_owned IN
    SELECT c.oid::regclass, EXISTS (
      SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'owner' AND NOT a.attisdropped)
    FROM pg_class c
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND c.relname LIKE 'zhiji\_%'
      AND c.relname <> 'zhiji_meta'
  LOOP
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO zhiji_app', each);
    CONTINUE WHEN NOT is_owned;
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', each);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', each);
    EXECUTE format('DROP POLICY IF EXISTS zhiji_one_owner ON %s', each);
    EXECUTE format('DROP POLICY IF EXISTS zhiji_everybody ON %s', each);
    EXECUTE format('CREATE POLICY zhiji_one_owner ON %s USING (owner = zhiji_owner())', each);
    EXECUTE format(
      'CREATE POLICY zhiji_everybody ON %s USING ((SELECT current_setting(''zhiji.everybody'', true)) = ''on'')', each);
  END LOOP;
END $$;

GRANT SELECT ON zhiji_meta TO zhiji_app;
GRANT EXECUTE ON FUNCTION zhiji_owner() TO zhiji_app;
