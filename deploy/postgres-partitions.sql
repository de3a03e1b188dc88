-- The tables that grow with what is remembered and said, each cut into hash partitions by owner.
-- 把随记忆和对话增长的表按用户做哈希分区。
--
-- For databases of hundreds of gigabytes: each partition is vacuumed, indexed and put on a tablespace by itself. zhiji asks with the
-- owner in every statement, so PostgreSQL looks into one partition only; nothing else changes for it.
--
-- Run it as the owner of the tables, or as a superuser, after `zhiji migrate`, while no zhiji runs; what is stored is copied, in one transaction:
--   psql -v ON_ERROR_STOP=1 -d zhiji -f deploy/postgres-partitions.sql
-- Grants and row-level security of these tables are gone then: run deploy/postgres-rls.sql once more.

DO $$
DECLARE
  each text;
  definition text;
  keys text[];
  columns text;  -- those that are stored: the others follow from them
  count constant int := 16;  -- how many partitions, fixed from then on; 16 to 64 is plenty
BEGIN
  EXECUTE format('SET LOCAL ROLE %I', (SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = 'zhiji_terms'::regclass));
  PERFORM set_config('zhiji.everybody', 'on', true);  -- row-level security binds the owner of the tables, too: copy every row
  FOREACH each IN ARRAY ARRAY['zhiji_terms', 'zhiji_vectors', 'zhiji_memories', 'zhiji_messages'] LOOP
    CONTINUE WHEN EXISTS (SELECT FROM pg_partitioned_table WHERE partrelid = each::regclass);
    SELECT array_agg(format('ALTER TABLE %I ADD CONSTRAINT %I %s', each, conname, pg_get_constraintdef(oid)) ORDER BY contype DESC)
      INTO keys FROM pg_constraint WHERE conrelid = each::regclass AND contype IN ('p', 'u', 'f', 'c');
    SELECT keys || coalesce(array_agg(pg_get_indexdef(indexrelid)), '{}') INTO keys FROM pg_index
      WHERE indrelid = each::regclass AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u'));
    EXECUTE format('ALTER TABLE %I RENAME TO %I', each, each || '_whole');
    EXECUTE format(
      'CREATE TABLE %I (LIKE %I INCLUDING ALL EXCLUDING INDEXES EXCLUDING CONSTRAINTS) PARTITION BY HASH (owner)', each, each || '_whole');
    FOR place IN 0 .. count - 1 LOOP
      EXECUTE format(
        'CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS %s, REMAINDER %s)', each || '_' || place, each, count, place);
    END LOOP;
    SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) INTO columns FROM pg_attribute
      WHERE attrelid = each::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '';
    EXECUTE format('INSERT INTO %I (%s) SELECT %s FROM %I', each, columns, columns, each || '_whole');
    EXECUTE format('DROP TABLE %I', each || '_whole');
    FOREACH definition IN ARRAY keys LOOP
      EXECUTE definition;
    END LOOP;
  END LOOP;
END $$;
