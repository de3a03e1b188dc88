BEGIN TRANSACTION;
CREATE TABLE zhiji_deletions (
  owner INTEGER NOT NULL REFERENCES zhiji_owners (id),
  digest TEXT NOT NULL,                -- keyed hash of the content
  key TEXT NOT NULL,                   -- keyed hash of the key; empty: it had none
  time INTEGER NOT NULL,
  PRIMARY KEY (owner, digest, key)
) WITHOUT ROWID;
INSERT INTO "zhiji_deletions" VALUES(1,'66e661d9acdcacfa74679af442445e6f8ad7c31ce4919290574bf0f363699211','f58b56a0ed8421046446dd289217bb372e842d223316d2b6afe5cf642b9d458c',1772442120000000);
CREATE TABLE zhiji_extractions (       -- outcomes of extraction passes
  seq INTEGER PRIMARY KEY,
  owner INTEGER NOT NULL,
  session TEXT NOT NULL,
  time INTEGER NOT NULL,
  outcome TEXT NOT NULL,               -- the whole value, JSON
  FOREIGN KEY (owner, session) REFERENCES zhiji_sessions (owner, id)
);
INSERT INTO "zhiji_extractions" VALUES(1,1,'ses_5Ota8NhkKtVrFYDcW94VOw',1772442120000000,'{"v":1,"session":"ses_5Ota8NhkKtVrFYDcW94VOw","first_seq":1,"last_seq":14,"outcome":"written","extractor":"rules","model":"","written":6,"reinforced":0,"superseded":0,"quarantined":0,"skipped":0,"tokens":0,"duration_ms":215.19183299983524,"reasons":[]}');
INSERT INTO "zhiji_extractions" VALUES(2,2,'ses_7nnHQqEFC9wED8RZn5DkqQ',1772442120000000,'{"v":1,"session":"ses_7nnHQqEFC9wED8RZn5DkqQ","first_seq":1,"last_seq":2,"outcome":"written","extractor":"rules","model":"","written":1,"reinforced":0,"superseded":0,"quarantined":0,"skipped":0,"tokens":0,"duration_ms":203.02104100005636,"reasons":[]}');
CREATE TABLE zhiji_jobs (
  seq INTEGER PRIMARY KEY,
  owner INTEGER NOT NULL REFERENCES zhiji_owners (id),
  id TEXT NOT NULL,
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,
  status TEXT NOT NULL,
  due INTEGER,                         -- pending: run_at; running: end of the lease; else null
  attempts INTEGER NOT NULL DEFAULT 0,
  run_at INTEGER NOT NULL,
  created INTEGER NOT NULL,
  finished INTEGER,
  holder TEXT,
  error TEXT NOT NULL DEFAULT '', tenant TEXT NOT NULL DEFAULT '',
  UNIQUE (owner, id)
);
INSERT INTO "zhiji_jobs" VALUES(4,1,'job_144deca9c990257cef165622b903d99d','embed','vectors','done',NULL,1,1772442120000000,1772442120000000,1772442120000000,NULL,'','shop');
INSERT INTO "zhiji_jobs" VALUES(5,1,'job_10f94c29bdac613d1e6f56f5da383262','sediment','ses_5Ota8NhkKtVrFYDcW94VOw','done',NULL,1,1772442120000000,1772442120000000,1772442120000000,NULL,'','shop');
INSERT INTO "zhiji_jobs" VALUES(6,1,'job_2f10e1f9a530f3fc34a21d120bf48032','compact','ses_5Ota8NhkKtVrFYDcW94VOw','done',NULL,1,1772442120000000,1772442120000000,1772442120000000,NULL,'','shop');
INSERT INTO "zhiji_jobs" VALUES(7,2,'job_de2b19ea37e102ed3f1e288a35e54443','sediment','ses_7nnHQqEFC9wED8RZn5DkqQ','done',NULL,1,1772442120000000,1772442120000000,1772442120000000,NULL,'','acme');
INSERT INTO "zhiji_jobs" VALUES(8,2,'job_23f3ea3f7795e41a95b25864a1e74d2e','embed','vectors','done',NULL,1,1772442120000000,1772442120000000,1772442120000000,NULL,'','acme');
INSERT INTO "zhiji_jobs" VALUES(9,3,'job_d6639798a025119815b536cfdf77b472','sediment','ses_SrIaRijaFDgXLc7amYZPvg','dead',NULL,1,1772442120000000,1772442120000000,1772452800000000,NULL,'extraction_failed: 无法读取','shop');
INSERT INTO "zhiji_jobs" VALUES(10,4,'job_773166e5166db49d8e82c14ac7761c06','sediment','ses_mE2UXj7nwZY87XOErpX4UA','running',1772452830000000,1,1772442140000000,1772442140000000,NULL,'another-machine/7/a','','acme');
INSERT INTO "zhiji_jobs" VALUES(11,1,'job_f78450e29afd8a1389a1cdd7180cd444','sediment','ses_Y-OeapBGUGteu7tPbR16cQ','pending',1772452800000000,0,1772452800000000,1772452800000000,NULL,NULL,'','shop');
CREATE TABLE zhiji_journal (           -- write calls of tools
  owner INTEGER NOT NULL REFERENCES zhiji_owners (id),
  turn TEXT NOT NULL,
  key TEXT NOT NULL,
  tool TEXT NOT NULL,
  result TEXT,                         -- null while the outcome is unknown
  failed INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (owner, turn, key)
) WITHOUT ROWID;
INSERT INTO "zhiji_journal" VALUES(1,'trn_4gFBpNVFpT2WxRfnPyz_RA','3526aeab092f13e0d903d88eef114a072b63024699504d1133a8f555ccab3228','refund','refunded OD20240415008 💴',0);
INSERT INTO "zhiji_journal" VALUES(1,'trn__ABji2YzlxcB42zJDzVk-A','7b585801781c4f72f1b2c4c122d9956df938c722153d4170983cabc6dc3c67b7','refund','refunded OD20240415008 💴',0);
CREATE TABLE zhiji_memories (          -- what a search reads comes first
  owner INTEGER NOT NULL REFERENCES zhiji_owners (id),
  number INTEGER NOT NULL,             -- within the owner, in the order of insertion
  id TEXT NOT NULL,
  changed INTEGER NOT NULL,            -- version of the owner at its last change
  recalls INTEGER NOT NULL,
  recalled INTEGER,                    -- when it last reached a context
  type TEXT NOT NULL,
  status TEXT NOT NULL,
  valid_from INTEGER NOT NULL,
  valid_to INTEGER,
  expires INTEGER,
  length INTEGER NOT NULL,             -- sum of the counts of its terms
  value TEXT NOT NULL,
  key TEXT,
  single INTEGER NOT NULL,             -- 1: at most one active memory may have this key
  content TEXT NOT NULL,
  importance INTEGER NOT NULL,
  confidence REAL NOT NULL,
  trust TEXT NOT NULL,
  sources TEXT NOT NULL,               -- [[session, [seq, …]], …]
  lang TEXT NOT NULL,
  superseded_by TEXT,
  links TEXT NOT NULL,
  created INTEGER NOT NULL,
  updated INTEGER NOT NULL,
  reason TEXT NOT NULL,
  revision INTEGER NOT NULL,
  terms TEXT NOT NULL,                 -- its index terms with counts, as in zhiji_terms
  PRIMARY KEY (owner, number)
) WITHOUT ROWID;
INSERT INTO "zhiji_memories" VALUES(1,1,'mem_rCPcLxOQiV8iPV_om0Giag',2,1,1772452800000000,'identity','active',1772442000000000,NULL,1803988800000000,24,'"王晴"','identity:name',1,'用户叫王晴',4,0.95,'user','[["ses_5Ota8NhkKtVrFYDcW94VOw",[1]]]','zh',NULL,'[]',1772442000000000,1772442000000000,'',1,'{"用":1,"户":1,"叫":1,"王":1,"晴":1,"用户":1,"户叫":1,"叫王":1,"王晴":1,"名字":1,"姓名":1,"贵姓":1,"称呼":1,"怎么":1,"么称":1,"什么":1,"叫什":1,"我是":1,"是谁":1,"name":1,"who":1,"am":1,"call":1,"type:identity":1}');
INSERT INTO "zhiji_memories" VALUES(1,2,'mem_3bzny0WsPnAF--iukELs9A',2,1,1772452800000000,'identity','active',1772442000000000,NULL,1803988800000000,19,'"花生"','identity:allergy.花生',1,'用户对花生过敏',5,0.95,'user','[["ses_5Ota8NhkKtVrFYDcW94VOw",[1]]]','zh',NULL,'[]',1772442000000000,1772442000000000,'',1,'{"用":1,"户":1,"对":1,"花":1,"生":1,"过":1,"敏":1,"用户":1,"户对":1,"对花":1,"花生":1,"生过":1,"过敏":1,"忌口":1,"能吃":1,"allergi":1,"allerg":1,"eat":1,"type:identity":1}');
INSERT INTO "zhiji_memories" VALUES(1,4,'mem_Ybcrj4e7vlb5vJ35pWDgVw',4,0,NULL,'identity','superseded',1772442040000000,1772442120000000,1803978120000000,46,'"浙江省杭州市西湖区文三路 18 号"','identity:address.default',1,'用户的收货地址是浙江省杭州市西湖区文三路 18 号',4,1.0,'user','[["ses_5Ota8NhkKtVrFYDcW94VOw",[5]]]','zh','mem_uscg4bHs9unaBoHeVbBbig','[]',1772442040000000,1772442120000000,'replaced',3,'{"18":1,"用":1,"户":1,"的":1,"收":1,"货":1,"地":1,"址":1,"是":1,"浙":1,"江":1,"省":1,"杭":1,"州":1,"市":1,"西":1,"湖":1,"区":1,"文":1,"三":1,"路":1,"用户":1,"户的":1,"的收":1,"收货":1,"货地":1,"地址":1,"址是":1,"是浙":1,"浙江":1,"江省":1,"省杭":1,"杭州":1,"州市":1,"市西":1,"西湖":1,"湖区":1,"区文":1,"文三":1,"三路":1,"号":1,"到哪":1,"寄到":1,"address":1,"deliv":1,"type:identity":1}');
INSERT INTO "zhiji_memories" VALUES(1,5,'mem_ya6QSPYeRfbTeKZYwaJW7A',2,1,1772452800000000,'order','active',1772442060000000,NULL,1788004800000000,13,'"OD20240415008"','order:OD20240415008',1,'用户的订单 OD20240415008',4,0.95,'user','[["ses_5Ota8NhkKtVrFYDcW94VOw",[3,7,9]]]','zh',NULL,'[]',1772442060000000,1772442060000000,'',1,'{"od20240415008":1,"20240415008":1,"用":1,"户":1,"的":1,"订":1,"单":1,"用户":1,"户的":1,"的订":1,"订单":1,"5008":1,"type:order":1}');
INSERT INTO "zhiji_memories" VALUES(1,6,'mem_aKsXB6gOGv7LOilnGzmNFQ',2,1,1772452800000000,'after_sale','active',1772442060000000,NULL,1788004800000000,24,'"退款"','after_sale:OD20240415008',1,'订单 OD20240415008 用户想退款：想退货，退款',4,0.95,'user','[["ses_5Ota8NhkKtVrFYDcW94VOw",[3,7]]]','zh',NULL,'[]',1772442060000000,1772442060000000,'',1,'{"od20240415008":1,"20240415008":1,"订":1,"单":1,"订单":1,"用":1,"户":1,"想":2,"退":3,"款":2,"用户":1,"户想":1,"想退":2,"退款":2,"货":1,"退货":1,"5008":1,"type:after_sale":1}');
INSERT INTO "zhiji_memories" VALUES(1,9,'mem_QFbu36FSThcaeEJM8ZkO_w3',2,0,NULL,'episode','active',1772442020000000,NULL,1775034020000000,11,'{"session":"ses_5Ota8NhkKtVrFYDcW94VOw","seq":3,"speaker":"user"}','episode:ses_5Ota8NhkKtVrFYDcW94VOw:3',1,'订单 OD20240415008 想退货',2,1.0,'user','[["ses_5Ota8NhkKtVrFYDcW94VOw",[3]]]','zh',NULL,'[]',1772442020000000,1772442020000000,'',1,'{"od20240415008":1,"20240415008":1,"订":1,"单":1,"订单":1,"想":1,"退":1,"货":1,"想退":1,"退货":1,"5008":1}');
INSERT INTO "zhiji_memories" VALUES(1,10,'mem_QFbu36FSThcaeEJM8ZkO_w4',2,1,1772452800000000,'episode','active',1772442020000000,NULL,1775034020000000,8,'{"session":"ses_5Ota8NhkKtVrFYDcW94VOw","seq":4,"speaker":"assistant"}','episode:ses_5Ota8NhkKtVrFYDcW94VOw:4',1,'好的，记下了。',2,1.0,'assistant','[["ses_5Ota8NhkKtVrFYDcW94VOw",[4]]]','zh',NULL,'[]',1772442020000000,1772442020000000,'',1,'{"好":1,"的":1,"好的":1,"记":1,"下":1,"了":1,"记下":1,"下了":1}');
INSERT INTO "zhiji_memories" VALUES(1,11,'mem_QFbu36FSThcaeEJM8ZkO_w5',2,1,1772452800000000,'episode','active',1772442040000000,NULL,1775034040000000,35,'{"session":"ses_5Ota8NhkKtVrFYDcW94VOw","seq":5,"speaker":"user"}','episode:ses_5Ota8NhkKtVrFYDcW94VOw:5',1,'我的地址是浙江省杭州市西湖区文三路 18 号',2,1.0,'user','[["ses_5Ota8NhkKtVrFYDcW94VOw",[5]]]','zh',NULL,'[]',1772442040000000,1772442040000000,'',1,'{"18":1,"我":1,"的":1,"地":1,"址":1,"是":1,"浙":1,"江":1,"省":1,"杭":1,"州":1,"市":1,"西":1,"湖":1,"区":1,"文":1,"三":1,"路":1,"我的":1,"的地":1,"地址":1,"址是":1,"是浙":1,"浙江":1,"江省":1,"省杭":1,"杭州":1,"州市":1,"市西":1,"西湖":1,"湖区":1,"区文":1,"文三":1,"三路":1,"号":1}');
INSERT INTO "zhiji_memories" VALUES(1,12,'mem_QFbu36FSThcaeEJM8ZkO_w6',2,0,NULL,'episode','active',1772442040000000,NULL,1775034040000000,8,'{"session":"ses_5Ota8NhkKtVrFYDcW94VOw","seq":6,"speaker":"assistant"}','episode:ses_5Ota8NhkKtVrFYDcW94VOw:6',1,'好的，记下了。',2,1.0,'assistant','[["ses_5Ota8NhkKtVrFYDcW94VOw",[6]]]','zh',NULL,'[]',1772442040000000,1772442040000000,'',1,'{"好":1,"的":1,"好的":1,"记":1,"下":1,"了":1,"记下":1,"下了":1}');
INSERT INTO "zhiji_memories" VALUES(1,13,'mem_QFbu36FSThcaeEJM8ZkO_w7',2,0,NULL,'episode','active',1772442060000000,NULL,1775034060000000,5,'{"session":"ses_5Ota8NhkKtVrFYDcW94VOw","seq":7,"speaker":"user"}','episode:ses_5Ota8NhkKtVrFYDcW94VOw:7',1,'请退款',2,1.0,'user','[["ses_5Ota8NhkKtVrFYDcW94VOw",[7]]]','zh',NULL,'[]',1772442060000000,1772442060000000,'',1,'{"请":1,"退":1,"款":1,"请退":1,"退款":1}');
INSERT INTO "zhiji_memories" VALUES(1,14,'mem_QFbu36FSThcaeEJM8ZkO_w10',2,0,NULL,'episode','active',1772442060000000,NULL,1775034060000000,12,'{"session":"ses_5Ota8NhkKtVrFYDcW94VOw","seq":10,"speaker":"assistant"}','episode:ses_5Ota8NhkKtVrFYDcW94VOw:10',1,'已经为您退款 ✅',2,1.0,'assistant','[["ses_5Ota8NhkKtVrFYDcW94VOw",[10]]]','zh',NULL,'[]',1772442060000000,1772442060000000,'',1,'{"✅":1,"已":1,"经":1,"为":1,"您":1,"退":1,"款":1,"已经":1,"经为":1,"为您":1,"您退":1,"退款":1}');
INSERT INTO "zhiji_memories" VALUES(1,15,'mem_QFbu36FSThcaeEJM8ZkO_w11',2,0,NULL,'episode','active',1772442080000000,NULL,1775034080000000,4,'{"session":"ses_5Ota8NhkKtVrFYDcW94VOw","seq":11,"speaker":"user"}','episode:ses_5Ota8NhkKtVrFYDcW94VOw:11',1,'谢谢 👍',2,1.0,'user','[["ses_5Ota8NhkKtVrFYDcW94VOw",[11]]]','zh',NULL,'[]',1772442080000000,1772442080000000,'',1,'{"👍":1,"谢":2,"谢谢":1}');
INSERT INTO "zhiji_memories" VALUES(1,16,'mem_QFbu36FSThcaeEJM8ZkO_w12',2,0,NULL,'episode','active',1772442080000000,NULL,1775034080000000,8,'{"session":"ses_5Ota8NhkKtVrFYDcW94VOw","seq":12,"speaker":"assistant"}','episode:ses_5Ota8NhkKtVrFYDcW94VOw:12',1,'好的，记下了。',2,1.0,'assistant','[["ses_5Ota8NhkKtVrFYDcW94VOw",[12]]]','zh',NULL,'[]',1772442080000000,1772442080000000,'',1,'{"好":1,"的":1,"好的":1,"记":1,"下":1,"了":1,"记下":1,"下了":1}');
INSERT INTO "zhiji_memories" VALUES(1,17,'mem_QFbu36FSThcaeEJM8ZkO_w13',2,0,NULL,'episode','active',1772442100000000,NULL,1775034100000000,3,'{"session":"ses_5Ota8NhkKtVrFYDcW94VOw","seq":13,"speaker":"user"}','episode:ses_5Ota8NhkKtVrFYDcW94VOw:13',1,'再见',2,1.0,'user','[["ses_5Ota8NhkKtVrFYDcW94VOw",[13]]]','zh',NULL,'[]',1772442100000000,1772442100000000,'',1,'{"再":1,"见":1,"再见":1}');
INSERT INTO "zhiji_memories" VALUES(1,18,'mem_QFbu36FSThcaeEJM8ZkO_w14',2,0,NULL,'episode','active',1772442100000000,NULL,1775034100000000,8,'{"session":"ses_5Ota8NhkKtVrFYDcW94VOw","seq":14,"speaker":"assistant"}','episode:ses_5Ota8NhkKtVrFYDcW94VOw:14',1,'好的，记下了。',2,1.0,'assistant','[["ses_5Ota8NhkKtVrFYDcW94VOw",[14]]]','zh',NULL,'[]',1772442100000000,1772442100000000,'',1,'{"好":1,"的":1,"好的":1,"记":1,"下":1,"了":1,"记下":1,"下了":1}');
INSERT INTO "zhiji_memories" VALUES(1,19,'mem_uscg4bHs9unaBoHeVbBbig',7,1,1772452800000000,'identity','active',1772442120000000,NULL,1803988800000000,20,'null','identity:address.default',1,'收货地址是上海市',4,1.0,'operator','[]','zh',NULL,'["mem_Ybcrj4e7vlb5vJ35pWDgVw"]',1772442120000000,1772442120000000,'',1,'{"收":1,"货":1,"地":1,"址":1,"是":1,"上":1,"海":1,"市":1,"收货":1,"货地":1,"地址":1,"址是":1,"是上":1,"上海":1,"海市":1,"到哪":1,"寄到":1,"address":1,"deliv":1,"type:identity":1}');
INSERT INTO "zhiji_memories" VALUES(1,20,'mem_Vb2vIOBpbrRn7zn8JN0OIw',7,0,NULL,'preference','quarantined',1772442120000000,NULL,1775034120000000,13,'null',NULL,0,'可能喜欢咖啡 ☕',3,1.99999999999999955591e-01,'operator','[]','zh',NULL,'[]',1772442120000000,1772442120000000,'low confidence',1,'{"☕":1,"可":1,"能":1,"喜":1,"欢":1,"咖":1,"啡":1,"可能":1,"能喜":1,"喜欢":1,"欢咖":1,"咖啡":1,"type:preference":1}');
INSERT INTO "zhiji_memories" VALUES(2,1,'mem_LriPCbVb2B2RChD4yc0Yig',2,0,NULL,'identity','active',1772272800000000,NULL,1803808800000000,12,'"shrimp"','identity:allergy.shrimp',1,'The user is allergic to shrimp',5,0.95,'user','[["ses_7nnHQqEFC9wED8RZn5DkqQ",[1]]]','en',NULL,'[]',1772272800000000,1772272800000000,'',1,'{"the":1,"user":1,"is":1,"allerg":1,"to":1,"shrimp":1,"过敏":1,"忌口":1,"能吃":1,"allergi":1,"eat":1,"type:identity":1}');
INSERT INTO "zhiji_memories" VALUES(2,2,'mem_cgg7yBn44_EwO0psMF2jUw1',2,0,NULL,'episode','active',1772272800000000,NULL,1774864800000000,8,'{"session":"ses_7nnHQqEFC9wED8RZn5DkqQ","seq":1,"speaker":"Rex"}','episode:ses_7nnHQqEFC9wED8RZn5DkqQ:1',1,'I''m allergic to shrimp',2,1.0,'user','[["ses_7nnHQqEFC9wED8RZn5DkqQ",[1]]]','en',NULL,'[]',1772272800000000,1772272800000000,'',1,'{"28":1,"februari":1,"2026":1,"rex":1,"i''m":1,"allerg":1,"to":1,"shrimp":1}');
INSERT INTO "zhiji_memories" VALUES(2,3,'mem_cgg7yBn44_EwO0psMF2jUw2',2,0,NULL,'episode','active',1772442120000000,NULL,1775034120000000,5,'{"session":"ses_7nnHQqEFC9wED8RZn5DkqQ","seq":2,"speaker":"assistant"}','episode:ses_7nnHQqEFC9wED8RZn5DkqQ:2',1,'Noted 🦐',2,1.0,'assistant','[["ses_7nnHQqEFC9wED8RZn5DkqQ",[2]]]','en',NULL,'[]',1772442120000000,1772442120000000,'',1,'{"2":1,"march":1,"2026":1,"note":1,"🦐":1}');
CREATE TABLE zhiji_messages (
  owner INTEGER NOT NULL,
  session TEXT NOT NULL,
  seq INTEGER NOT NULL,
  turn INTEGER NOT NULL,
  role TEXT NOT NULL,
  content TEXT NOT NULL,
  time INTEGER NOT NULL,
  name TEXT,
  calls TEXT,
  call_id TEXT,
  tokens INTEGER NOT NULL,
  orphan INTEGER NOT NULL,
  PRIMARY KEY (owner, session, seq),
  FOREIGN KEY (owner, session) REFERENCES zhiji_sessions (owner, id)
) WITHOUT ROWID;
INSERT INTO "zhiji_messages" VALUES(1,'ses_5Ota8NhkKtVrFYDcW94VOw',1,1,'user','我叫王晴，对花生过敏，最喜欢喝红茶。',1772442000000000,NULL,NULL,NULL,25,0);
INSERT INTO "zhiji_messages" VALUES(1,'ses_5Ota8NhkKtVrFYDcW94VOw',2,1,'assistant','好的，记下了。',1772442000000000,NULL,NULL,NULL,12,0);
INSERT INTO "zhiji_messages" VALUES(1,'ses_5Ota8NhkKtVrFYDcW94VOw',3,2,'user','订单 OD20240415008 想退货',1772442020000000,NULL,NULL,NULL,16,0);
INSERT INTO "zhiji_messages" VALUES(1,'ses_5Ota8NhkKtVrFYDcW94VOw',4,2,'assistant','好的，记下了。',1772442020000000,NULL,NULL,NULL,12,0);
INSERT INTO "zhiji_messages" VALUES(1,'ses_5Ota8NhkKtVrFYDcW94VOw',5,3,'user','我的地址是浙江省杭州市西湖区文三路 18 号',1772442040000000,NULL,NULL,NULL,27,0);
INSERT INTO "zhiji_messages" VALUES(1,'ses_5Ota8NhkKtVrFYDcW94VOw',6,3,'assistant','好的，记下了。',1772442040000000,NULL,NULL,NULL,12,0);
INSERT INTO "zhiji_messages" VALUES(1,'ses_5Ota8NhkKtVrFYDcW94VOw',7,4,'user','请退款',1772442060000000,NULL,NULL,NULL,8,0);
INSERT INTO "zhiji_messages" VALUES(1,'ses_5Ota8NhkKtVrFYDcW94VOw',8,4,'assistant','',1772442060000000,NULL,'{"v":1,"calls":[["call_1","refund","{\"order\": \"OD20240415008\"}"]]}',NULL,25,0);
INSERT INTO "zhiji_messages" VALUES(1,'ses_5Ota8NhkKtVrFYDcW94VOw',9,4,'tool','refunded OD20240415008 💴',1772442060000000,'refund',NULL,'call_1',19,0);
INSERT INTO "zhiji_messages" VALUES(1,'ses_5Ota8NhkKtVrFYDcW94VOw',10,4,'assistant','已经为您退款 ✅',1772442060000000,NULL,NULL,NULL,12,0);
INSERT INTO "zhiji_messages" VALUES(1,'ses_5Ota8NhkKtVrFYDcW94VOw',11,5,'user','谢谢 👍',1772442080000000,NULL,NULL,NULL,10,0);
INSERT INTO "zhiji_messages" VALUES(1,'ses_5Ota8NhkKtVrFYDcW94VOw',12,5,'assistant','好的，记下了。',1772442080000000,NULL,NULL,NULL,12,0);
INSERT INTO "zhiji_messages" VALUES(1,'ses_5Ota8NhkKtVrFYDcW94VOw',13,6,'user','再见',1772442100000000,NULL,NULL,NULL,7,0);
INSERT INTO "zhiji_messages" VALUES(1,'ses_5Ota8NhkKtVrFYDcW94VOw',14,6,'assistant','好的，记下了。',1772442100000000,NULL,NULL,NULL,12,0);
INSERT INTO "zhiji_messages" VALUES(1,'ses_Y-OeapBGUGteu7tPbR16cQ',1,1,'user','我想换货',1772452800000000,NULL,NULL,NULL,9,0);
INSERT INTO "zhiji_messages" VALUES(1,'ses_Y-OeapBGUGteu7tPbR16cQ',2,1,'assistant','',1772452800000000,NULL,'{"v":1,"calls":[["call_1","refund","{\"order\": \"OD20240415008\"}"]]}',NULL,25,0);
INSERT INTO "zhiji_messages" VALUES(1,'ses_Y-OeapBGUGteu7tPbR16cQ',3,1,'tool','refunded OD20240415008 💴',1772452800000000,'refund',NULL,'call_1',19,0);
INSERT INTO "zhiji_messages" VALUES(1,'ses_Y-OeapBGUGteu7tPbR16cQ',4,1,'assistant','已经为您退款 ✅',1772452800000000,NULL,NULL,NULL,12,0);
INSERT INTO "zhiji_messages" VALUES(1,'ses_Y-OeapBGUGteu7tPbR16cQ',5,2,'user','退款，会失败',1772452820000000,NULL,NULL,NULL,11,0);
INSERT INTO "zhiji_messages" VALUES(2,'ses_7nnHQqEFC9wED8RZn5DkqQ',1,1,'user','I''m allergic to shrimp',1772272800000000,'Rex',NULL,NULL,12,0);
INSERT INTO "zhiji_messages" VALUES(2,'ses_7nnHQqEFC9wED8RZn5DkqQ',2,1,'assistant','Noted 🦐',1772442120000000,NULL,NULL,NULL,8,0);
INSERT INTO "zhiji_messages" VALUES(3,'ses_SrIaRijaFDgXLc7amYZPvg',1,1,'user','我对虾过敏，请叫我小孟 🌟',1772442120000000,NULL,NULL,NULL,20,0);
INSERT INTO "zhiji_messages" VALUES(3,'ses_SrIaRijaFDgXLc7amYZPvg',2,1,'assistant','好的，记下了。',1772442120000000,NULL,NULL,NULL,12,0);
INSERT INTO "zhiji_messages" VALUES(4,'ses_mE2UXj7nwZY87XOErpX4UA',1,1,'user','My name is Alice Example and I love green tea',1772442140000000,NULL,NULL,NULL,15,0);
INSERT INTO "zhiji_messages" VALUES(4,'ses_mE2UXj7nwZY87XOErpX4UA',2,1,'assistant','Noted, thank you.',1772442140000000,NULL,NULL,NULL,9,0);
CREATE TABLE zhiji_meta (
  name TEXT NOT NULL PRIMARY KEY,  -- schema_version; digest_key: secret of this file's keyed hashes, hex
  value TEXT NOT NULL
) WITHOUT ROWID;
INSERT INTO "zhiji_meta" VALUES('digest_key','6a8ca731c13ffbdc83816d3074f69d2a545bdf275b7231a078673b68f4053ed7');
INSERT INTO "zhiji_meta" VALUES('schema_version','4');
CREATE TABLE zhiji_owners (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant TEXT NOT NULL,
  user TEXT NOT NULL,
  version INTEGER NOT NULL DEFAULT 0,  -- raised by every change of the owner's memories: caches compare it
  UNIQUE (tenant, user)
);
INSERT INTO "zhiji_owners" VALUES(1,'shop','qing',7);
INSERT INTO "zhiji_owners" VALUES(2,'acme','qing',2);
INSERT INTO "zhiji_owners" VALUES(3,'shop','用户 🌟 二',0);
INSERT INTO "zhiji_owners" VALUES(4,'acme','alice',0);
CREATE TABLE zhiji_requests (          -- what a finished turn was made of, and what it answered
  owner INTEGER NOT NULL,
  session TEXT NOT NULL,
  turn INTEGER NOT NULL,
  id TEXT NOT NULL,
  recipe TEXT NOT NULL,
  reply TEXT NOT NULL,
  FOREIGN KEY (owner, session) REFERENCES zhiji_sessions (owner, id)
);
INSERT INTO "zhiji_requests" VALUES(1,'ses_5Ota8NhkKtVrFYDcW94VOw',1,'req_cnDbbZTSdjQHTQBG7jf72Q','{"v":1,"session":"ses_5Ota8NhkKtVrFYDcW94VOw","turn":1,"prompt_digest":"8cdc00aa7e19dd189b654b2736e483ad5eebdcfdd33eaf1eb059176668fc5ba9","profile":[],"recalled":[],"summary_upto":-1,"first_seq":0,"cut":[],"notes":[],"tools":["refund"]}','{"v":1,"reply":{"v":1,"session_id":"ses_5Ota8NhkKtVrFYDcW94VOw","turn_id":"trn_Oxm5L3nMTLsJV6XPQgKERA","request_id":"req_cnDbbZTSdjQHTQBG7jf72Q","created":true,"resumed_from":null,"interrupted":false,"usage":{"system":78,"memory":0,"history":0,"summary":0,"tool":63,"input":25,"reserve":1000,"limit":8000},"recalled":[],"steps":[]}}');
INSERT INTO "zhiji_requests" VALUES(1,'ses_5Ota8NhkKtVrFYDcW94VOw',2,'req_VtW96LRRP-G1DkLH-G5ayQ','{"v":1,"session":"ses_5Ota8NhkKtVrFYDcW94VOw","turn":2,"prompt_digest":"8cdc00aa7e19dd189b654b2736e483ad5eebdcfdd33eaf1eb059176668fc5ba9","profile":[],"recalled":[],"summary_upto":-1,"first_seq":1,"cut":[],"notes":[],"tools":["refund"]}','{"v":1,"reply":{"v":1,"session_id":"ses_5Ota8NhkKtVrFYDcW94VOw","turn_id":"trn_BrIDin4A-_J1Usqtj3b9ug","request_id":"req_VtW96LRRP-G1DkLH-G5ayQ","created":false,"resumed_from":null,"interrupted":false,"usage":{"system":78,"memory":0,"history":37,"summary":0,"tool":63,"input":16,"reserve":1000,"limit":8000},"recalled":[],"steps":[]}}');
INSERT INTO "zhiji_requests" VALUES(1,'ses_5Ota8NhkKtVrFYDcW94VOw',3,'req_5I3xFbP4DCa37CDeWZDZSQ','{"v":1,"session":"ses_5Ota8NhkKtVrFYDcW94VOw","turn":3,"prompt_digest":"8cdc00aa7e19dd189b654b2736e483ad5eebdcfdd33eaf1eb059176668fc5ba9","profile":[],"recalled":[],"summary_upto":-1,"first_seq":1,"cut":[],"notes":["- [当前意图] return","- [当前填写] order_id：OD20240415008"],"tools":["refund"]}','{"v":1,"reply":{"v":1,"session_id":"ses_5Ota8NhkKtVrFYDcW94VOw","turn_id":"trn_rPADpQA3wRQbWwJu_Kj5Dg","request_id":"req_5I3xFbP4DCa37CDeWZDZSQ","created":false,"resumed_from":null,"interrupted":false,"usage":{"system":78,"memory":0,"history":65,"summary":0,"tool":131,"input":27,"reserve":1000,"limit":8000},"recalled":[],"steps":[]}}');
INSERT INTO "zhiji_requests" VALUES(1,'ses_5Ota8NhkKtVrFYDcW94VOw',4,'req_ZHzVLscDwDPVU52IywWSHQ','{"v":1,"session":"ses_5Ota8NhkKtVrFYDcW94VOw","turn":4,"prompt_digest":"8cdc00aa7e19dd189b654b2736e483ad5eebdcfdd33eaf1eb059176668fc5ba9","profile":[],"recalled":[],"summary_upto":-1,"first_seq":1,"cut":[],"notes":["- [当前意图] return","- [当前填写] order_id：OD20240415008","- [当前填写] address：浙江省杭州市西湖区文三路 18 号"],"tools":["refund"]}','{"v":1,"reply":{"v":1,"session_id":"ses_5Ota8NhkKtVrFYDcW94VOw","turn_id":"trn_aqmdBllvKrO3EU85QNejjw","request_id":"req_ZHzVLscDwDPVU52IywWSHQ","created":false,"resumed_from":null,"interrupted":false,"usage":{"system":78,"memory":0,"history":104,"summary":0,"tool":202,"input":8,"reserve":1000,"limit":8000},"recalled":[],"steps":[]}}');
INSERT INTO "zhiji_requests" VALUES(1,'ses_5Ota8NhkKtVrFYDcW94VOw',5,'req_7VQAqAvq0CFvR1UbJxYU6g','{"v":1,"session":"ses_5Ota8NhkKtVrFYDcW94VOw","turn":5,"prompt_digest":"8cdc00aa7e19dd189b654b2736e483ad5eebdcfdd33eaf1eb059176668fc5ba9","profile":[],"recalled":[],"summary_upto":-1,"first_seq":1,"cut":[],"notes":["- [当前意图] refund","- [当前填写] order_id：OD20240415008","- [当前填写] address：浙江省杭州市西湖区文三路 18 号","- [工具结论] refund：refunded OD20240415008 💴"],"tools":["refund"]}','{"v":1,"reply":{"v":1,"session_id":"ses_5Ota8NhkKtVrFYDcW94VOw","turn_id":"trn_q95XMMKWoxs3pzQyBAYrYA","request_id":"req_7VQAqAvq0CFvR1UbJxYU6g","created":false,"resumed_from":null,"interrupted":false,"usage":{"system":78,"memory":0,"history":124,"summary":0,"tool":222,"input":10,"reserve":1000,"limit":8000},"recalled":[],"steps":[]}}');
INSERT INTO "zhiji_requests" VALUES(1,'ses_5Ota8NhkKtVrFYDcW94VOw',6,'req_QG3HimK6uHtknai-r_LQjQ','{"v":1,"session":"ses_5Ota8NhkKtVrFYDcW94VOw","turn":6,"prompt_digest":"8cdc00aa7e19dd189b654b2736e483ad5eebdcfdd33eaf1eb059176668fc5ba9","profile":[],"recalled":[],"summary_upto":-1,"first_seq":1,"cut":[],"notes":["- [当前意图] refund","- [当前填写] order_id：OD20240415008","- [当前填写] address：浙江省杭州市西湖区文三路 18 号","- [工具结论] refund：refunded OD20240415008 💴"],"tools":["refund"]}','{"v":1,"reply":{"v":1,"session_id":"ses_5Ota8NhkKtVrFYDcW94VOw","turn_id":"trn_iQ8-va88Vj_brHmyTYkglw","request_id":"req_QG3HimK6uHtknai-r_LQjQ","created":false,"resumed_from":null,"interrupted":false,"usage":{"system":78,"memory":0,"history":146,"summary":0,"tool":222,"input":7,"reserve":1000,"limit":8000},"recalled":[],"steps":[]}}');
INSERT INTO "zhiji_requests" VALUES(3,'ses_SrIaRijaFDgXLc7amYZPvg',1,'req_G7KF07zl35PNUXUQ2aFx7w','{"v":1,"session":"ses_SrIaRijaFDgXLc7amYZPvg","turn":1,"prompt_digest":"8cdc00aa7e19dd189b654b2736e483ad5eebdcfdd33eaf1eb059176668fc5ba9","profile":[],"recalled":[],"summary_upto":-1,"first_seq":0,"cut":[],"notes":[],"tools":["refund"]}','{"v":1,"reply":{"v":1,"session_id":"ses_SrIaRijaFDgXLc7amYZPvg","turn_id":"trn_FxU3GErnE7fgvvLZMT5KRQ","request_id":"req_G7KF07zl35PNUXUQ2aFx7w","created":true,"resumed_from":null,"interrupted":false,"usage":{"system":78,"memory":0,"history":0,"summary":0,"tool":63,"input":20,"reserve":1000,"limit":8000},"recalled":[],"steps":[]}}');
INSERT INTO "zhiji_requests" VALUES(4,'ses_mE2UXj7nwZY87XOErpX4UA',1,'req_c1u80B0idsEtkD8UjiMHXg','{"v":1,"session":"ses_mE2UXj7nwZY87XOErpX4UA","turn":1,"prompt_digest":"8cdc00aa7e19dd189b654b2736e483ad5eebdcfdd33eaf1eb059176668fc5ba9","profile":[],"recalled":[],"summary_upto":-1,"first_seq":0,"cut":[],"notes":[],"tools":["refund"]}','{"v":1,"reply":{"v":1,"session_id":"ses_mE2UXj7nwZY87XOErpX4UA","turn_id":"trn_30YxCpcOYe1oLVpk9oUJCQ","request_id":"req_c1u80B0idsEtkD8UjiMHXg","created":true,"resumed_from":null,"interrupted":false,"usage":{"system":78,"memory":0,"history":0,"summary":0,"tool":63,"input":15,"reserve":1000,"limit":8000},"recalled":[],"steps":[]}}');
INSERT INTO "zhiji_requests" VALUES(1,'ses_Y-OeapBGUGteu7tPbR16cQ',1,'req_HSHiEmOubd8zt1pDBkHKXg','{"v":1,"session":"ses_Y-OeapBGUGteu7tPbR16cQ","turn":1,"prompt_digest":"8cdc00aa7e19dd189b654b2736e483ad5eebdcfdd33eaf1eb059176668fc5ba9","profile":["mem_3bzny0WsPnAF--iukELs9A","mem_rCPcLxOQiV8iPV_om0Giag"],"recalled":[["mem_QFbu36FSThcaeEJM8ZkO_w5",0.5456326743788251,"episode"],["mem_uscg4bHs9unaBoHeVbBbig",0.5377322135660529,"both"],["mem_aKsXB6gOGv7LOilnGzmNFQ",0.5280677748820427,"keyword"],["mem_QFbu36FSThcaeEJM8ZkO_w4",0.5205801891442212,"episode"],["mem_ya6QSPYeRfbTeKZYwaJW7A",0.4925830134887699,"keyword"]],"summary_upto":0,"first_seq":0,"cut":[],"notes":["- [今天] 2026-03-02","- [当前意图] refund","- [当前填写] order_id：OD20240415008","- [当前填写] address：浙江省杭州市西湖区文三路 18 号"],"tools":["refund"]}','{"v":1,"reply":{"v":1,"session_id":"ses_Y-OeapBGUGteu7tPbR16cQ","turn_id":"trn__ABji2YzlxcB42zJDzVk-A","request_id":"req_HSHiEmOubd8zt1pDBkHKXg","created":true,"resumed_from":"ses_5Ota8NhkKtVrFYDcW94VOw","interrupted":false,"usage":{"system":78,"memory":231,"history":0,"summary":118,"tool":171,"input":9,"reserve":1000,"limit":8000},"recalled":[["mem_QFbu36FSThcaeEJM8ZkO_w5",0.5456326743788251,{"similarity":0.2672653487576501,"decay":1.0,"confidence":1.0,"type":0.12},"episode"],["mem_uscg4bHs9unaBoHeVbBbig",0.5377322135660529,{"similarity":0.11546442713210586,"decay":1.0,"confidence":1.0,"type":0.8},"both"],["mem_aKsXB6gOGv7LOilnGzmNFQ",0.5280677748820427,{"similarity":0.1332827288587141,"decay":0.9971320522634284,"confidence":0.95,"type":0.72},"keyword"],["mem_QFbu36FSThcaeEJM8ZkO_w4",0.5205801891442212,{"similarity":0.2171603782884425,"decay":1.0,"confidence":1.0,"type":0.12},"episode"],["mem_ya6QSPYeRfbTeKZYwaJW7A",0.4925830134887699,{"similarity":0.062313206072168476,"decay":0.9971320522634284,"confidence":0.95,"type":0.72},"keyword"]],"steps":[]}}');
CREATE TABLE zhiji_sessions (
  owner INTEGER NOT NULL REFERENCES zhiji_owners (id),
  id TEXT NOT NULL,
  created INTEGER NOT NULL,
  touched INTEGER NOT NULL,
  tie INTEGER NOT NULL,                -- order of the sessions touched in the same microsecond
  expires INTEGER,
  ended INTEGER,                       -- not null: its status is ended
  state_version INTEGER NOT NULL,
  state TEXT NOT NULL,
  summary_upto INTEGER NOT NULL,
  turns INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  resumed_from TEXT,
  extracted_upto INTEGER NOT NULL,
  open_turn INTEGER,                   -- number of the turn that is open, if any
  holder TEXT,                         -- who leased it, until when
  lease_until INTEGER,
  PRIMARY KEY (owner, id)
) WITHOUT ROWID;
INSERT INTO "zhiji_sessions" VALUES(1,'ses_5Ota8NhkKtVrFYDcW94VOw',1772442000000000,1772442100000000,1,1772443900000000,1772442120000000,6,'{"v":1,"intent":"refund","slots":{"order_id":"OD20240415008","address":"浙江省杭州市西湖区文三路 18 号"},"conclusions":[["refund","refunded OD20240415008 💴",9]]}',14,6,14,NULL,14,NULL,NULL,NULL);
INSERT INTO "zhiji_sessions" VALUES(1,'ses_Y-OeapBGUGteu7tPbR16cQ',1772452800000000,1772452800000000,2,1772454600000000,NULL,2,'{"v":1,"intent":"exchange","slots":{"order_id":"OD20240415008","address":"浙江省杭州市西湖区文三路 18 号","order":"OD20240415008","reason":"尺码 🥿"},"conclusions":[["refund","refunded OD20240415008 💴",3]]}',0,2,5,'ses_5Ota8NhkKtVrFYDcW94VOw',0,NULL,NULL,NULL);
INSERT INTO "zhiji_sessions" VALUES(2,'ses_7nnHQqEFC9wED8RZn5DkqQ',1772272800000000,1772442120000000,2,NULL,NULL,0,'{"v":1,"intent":null,"slots":{},"conclusions":[]}',0,1,2,NULL,2,NULL,NULL,NULL);
INSERT INTO "zhiji_sessions" VALUES(3,'ses_SrIaRijaFDgXLc7amYZPvg',1772442120000000,1772442120000000,2,1772443920000000,NULL,1,'{"v":1,"intent":null,"slots":{},"conclusions":[]}',0,1,2,NULL,0,NULL,NULL,NULL);
INSERT INTO "zhiji_sessions" VALUES(4,'ses_mE2UXj7nwZY87XOErpX4UA',1772442140000000,1772442140000000,2,1772443940000000,NULL,1,'{"v":1,"intent":null,"slots":{},"conclusions":[]}',0,1,2,NULL,0,NULL,NULL,NULL);
CREATE TABLE zhiji_summaries (         -- the present summary of a session and its former ones
  owner INTEGER NOT NULL,
  session TEXT NOT NULL,
  upto INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (owner, session, upto),
  FOREIGN KEY (owner, session) REFERENCES zhiji_sessions (owner, id)
) WITHOUT ROWID;
INSERT INTO "zhiji_summaries" VALUES(1,'ses_5Ota8NhkKtVrFYDcW94VOw',14,'user: 订单 OD20240415008 想退货
user: 我的地址是浙江省杭州市西湖区文三路 18 号
user: 请退款
tool: refunded OD20240415008 💴
assistant: 已经为您退款 ✅');
INSERT INTO "zhiji_summaries" VALUES(1,'ses_Y-OeapBGUGteu7tPbR16cQ',0,'user: 订单 OD20240415008 想退货
user: 我的地址是浙江省杭州市西湖区文三路 18 号
user: 请退款
tool: refunded OD20240415008 💴
assistant: 已经为您退款 ✅');
CREATE TABLE zhiji_terms (             -- the inverted index
  owner INTEGER NOT NULL,
  term TEXT NOT NULL,
  memory INTEGER NOT NULL,
  tf INTEGER NOT NULL,
  PRIMARY KEY (owner, term, memory)
) WITHOUT ROWID;
INSERT INTO "zhiji_terms" VALUES(1,'18',4,1);
INSERT INTO "zhiji_terms" VALUES(1,'18',11,1);
INSERT INTO "zhiji_terms" VALUES(1,'20240415008',5,1);
INSERT INTO "zhiji_terms" VALUES(1,'20240415008',6,1);
INSERT INTO "zhiji_terms" VALUES(1,'20240415008',9,1);
INSERT INTO "zhiji_terms" VALUES(1,'5008',5,1);
INSERT INTO "zhiji_terms" VALUES(1,'5008',6,1);
INSERT INTO "zhiji_terms" VALUES(1,'5008',9,1);
INSERT INTO "zhiji_terms" VALUES(1,'address',4,1);
INSERT INTO "zhiji_terms" VALUES(1,'address',19,1);
INSERT INTO "zhiji_terms" VALUES(1,'allerg',2,1);
INSERT INTO "zhiji_terms" VALUES(1,'allergi',2,1);
INSERT INTO "zhiji_terms" VALUES(1,'am',1,1);
INSERT INTO "zhiji_terms" VALUES(1,'call',1,1);
INSERT INTO "zhiji_terms" VALUES(1,'deliv',4,1);
INSERT INTO "zhiji_terms" VALUES(1,'deliv',19,1);
INSERT INTO "zhiji_terms" VALUES(1,'eat',2,1);
INSERT INTO "zhiji_terms" VALUES(1,'name',1,1);
INSERT INTO "zhiji_terms" VALUES(1,'od20240415008',5,1);
INSERT INTO "zhiji_terms" VALUES(1,'od20240415008',6,1);
INSERT INTO "zhiji_terms" VALUES(1,'od20240415008',9,1);
INSERT INTO "zhiji_terms" VALUES(1,'type:after_sale',6,1);
INSERT INTO "zhiji_terms" VALUES(1,'type:identity',1,1);
INSERT INTO "zhiji_terms" VALUES(1,'type:identity',2,1);
INSERT INTO "zhiji_terms" VALUES(1,'type:identity',4,1);
INSERT INTO "zhiji_terms" VALUES(1,'type:identity',19,1);
INSERT INTO "zhiji_terms" VALUES(1,'type:order',5,1);
INSERT INTO "zhiji_terms" VALUES(1,'type:preference',20,1);
INSERT INTO "zhiji_terms" VALUES(1,'who',1,1);
INSERT INTO "zhiji_terms" VALUES(1,'☕',20,1);
INSERT INTO "zhiji_terms" VALUES(1,'✅',14,1);
INSERT INTO "zhiji_terms" VALUES(1,'三',4,1);
INSERT INTO "zhiji_terms" VALUES(1,'三',11,1);
INSERT INTO "zhiji_terms" VALUES(1,'三路',4,1);
INSERT INTO "zhiji_terms" VALUES(1,'三路',11,1);
INSERT INTO "zhiji_terms" VALUES(1,'上',19,1);
INSERT INTO "zhiji_terms" VALUES(1,'上海',19,1);
INSERT INTO "zhiji_terms" VALUES(1,'下',10,1);
INSERT INTO "zhiji_terms" VALUES(1,'下',12,1);
INSERT INTO "zhiji_terms" VALUES(1,'下',16,1);
INSERT INTO "zhiji_terms" VALUES(1,'下',18,1);
INSERT INTO "zhiji_terms" VALUES(1,'下了',10,1);
INSERT INTO "zhiji_terms" VALUES(1,'下了',12,1);
INSERT INTO "zhiji_terms" VALUES(1,'下了',16,1);
INSERT INTO "zhiji_terms" VALUES(1,'下了',18,1);
INSERT INTO "zhiji_terms" VALUES(1,'为',14,1);
INSERT INTO "zhiji_terms" VALUES(1,'为您',14,1);
INSERT INTO "zhiji_terms" VALUES(1,'么称',1,1);
INSERT INTO "zhiji_terms" VALUES(1,'了',10,1);
INSERT INTO "zhiji_terms" VALUES(1,'了',12,1);
INSERT INTO "zhiji_terms" VALUES(1,'了',16,1);
INSERT INTO "zhiji_terms" VALUES(1,'了',18,1);
INSERT INTO "zhiji_terms" VALUES(1,'什么',1,1);
INSERT INTO "zhiji_terms" VALUES(1,'再',17,1);
INSERT INTO "zhiji_terms" VALUES(1,'再见',17,1);
INSERT INTO "zhiji_terms" VALUES(1,'到哪',4,1);
INSERT INTO "zhiji_terms" VALUES(1,'到哪',19,1);
INSERT INTO "zhiji_terms" VALUES(1,'区',4,1);
INSERT INTO "zhiji_terms" VALUES(1,'区',11,1);
INSERT INTO "zhiji_terms" VALUES(1,'区文',4,1);
INSERT INTO "zhiji_terms" VALUES(1,'区文',11,1);
INSERT INTO "zhiji_terms" VALUES(1,'单',5,1);
INSERT INTO "zhiji_terms" VALUES(1,'单',6,1);
INSERT INTO "zhiji_terms" VALUES(1,'单',9,1);
INSERT INTO "zhiji_terms" VALUES(1,'叫',1,1);
INSERT INTO "zhiji_terms" VALUES(1,'叫什',1,1);
INSERT INTO "zhiji_terms" VALUES(1,'叫王',1,1);
INSERT INTO "zhiji_terms" VALUES(1,'可',20,1);
INSERT INTO "zhiji_terms" VALUES(1,'可能',20,1);
INSERT INTO "zhiji_terms" VALUES(1,'号',4,1);
INSERT INTO "zhiji_terms" VALUES(1,'号',11,1);
INSERT INTO "zhiji_terms" VALUES(1,'名字',1,1);
INSERT INTO "zhiji_terms" VALUES(1,'咖',20,1);
INSERT INTO "zhiji_terms" VALUES(1,'咖啡',20,1);
INSERT INTO "zhiji_terms" VALUES(1,'啡',20,1);
INSERT INTO "zhiji_terms" VALUES(1,'喜',20,1);
INSERT INTO "zhiji_terms" VALUES(1,'喜欢',20,1);
INSERT INTO "zhiji_terms" VALUES(1,'地',4,1);
INSERT INTO "zhiji_terms" VALUES(1,'地',11,1);
INSERT INTO "zhiji_terms" VALUES(1,'地',19,1);
INSERT INTO "zhiji_terms" VALUES(1,'地址',4,1);
INSERT INTO "zhiji_terms" VALUES(1,'地址',11,1);
INSERT INTO "zhiji_terms" VALUES(1,'地址',19,1);
INSERT INTO "zhiji_terms" VALUES(1,'址',4,1);
INSERT INTO "zhiji_terms" VALUES(1,'址',11,1);
INSERT INTO "zhiji_terms" VALUES(1,'址',19,1);
INSERT INTO "zhiji_terms" VALUES(1,'址是',4,1);
INSERT INTO "zhiji_terms" VALUES(1,'址是',11,1);
INSERT INTO "zhiji_terms" VALUES(1,'址是',19,1);
INSERT INTO "zhiji_terms" VALUES(1,'好',10,1);
INSERT INTO "zhiji_terms" VALUES(1,'好',12,1);
INSERT INTO "zhiji_terms" VALUES(1,'好',16,1);
INSERT INTO "zhiji_terms" VALUES(1,'好',18,1);
INSERT INTO "zhiji_terms" VALUES(1,'好的',10,1);
INSERT INTO "zhiji_terms" VALUES(1,'好的',12,1);
INSERT INTO "zhiji_terms" VALUES(1,'好的',16,1);
INSERT INTO "zhiji_terms" VALUES(1,'好的',18,1);
INSERT INTO "zhiji_terms" VALUES(1,'姓名',1,1);
INSERT INTO "zhiji_terms" VALUES(1,'寄到',4,1);
INSERT INTO "zhiji_terms" VALUES(1,'寄到',19,1);
INSERT INTO "zhiji_terms" VALUES(1,'对',2,1);
INSERT INTO "zhiji_terms" VALUES(1,'对花',2,1);
INSERT INTO "zhiji_terms" VALUES(1,'州',4,1);
INSERT INTO "zhiji_terms" VALUES(1,'州',11,1);
INSERT INTO "zhiji_terms" VALUES(1,'州市',4,1);
INSERT INTO "zhiji_terms" VALUES(1,'州市',11,1);
INSERT INTO "zhiji_terms" VALUES(1,'已',14,1);
INSERT INTO "zhiji_terms" VALUES(1,'已经',14,1);
INSERT INTO "zhiji_terms" VALUES(1,'市',4,1);
INSERT INTO "zhiji_terms" VALUES(1,'市',11,1);
INSERT INTO "zhiji_terms" VALUES(1,'市',19,1);
INSERT INTO "zhiji_terms" VALUES(1,'市西',4,1);
INSERT INTO "zhiji_terms" VALUES(1,'市西',11,1);
INSERT INTO "zhiji_terms" VALUES(1,'忌口',2,1);
INSERT INTO "zhiji_terms" VALUES(1,'怎么',1,1);
INSERT INTO "zhiji_terms" VALUES(1,'您',14,1);
INSERT INTO "zhiji_terms" VALUES(1,'您退',14,1);
INSERT INTO "zhiji_terms" VALUES(1,'想',6,2);
INSERT INTO "zhiji_terms" VALUES(1,'想',9,1);
INSERT INTO "zhiji_terms" VALUES(1,'想退',6,2);
INSERT INTO "zhiji_terms" VALUES(1,'想退',9,1);
INSERT INTO "zhiji_terms" VALUES(1,'我',11,1);
INSERT INTO "zhiji_terms" VALUES(1,'我是',1,1);
INSERT INTO "zhiji_terms" VALUES(1,'我的',11,1);
INSERT INTO "zhiji_terms" VALUES(1,'户',1,1);
INSERT INTO "zhiji_terms" VALUES(1,'户',2,1);
INSERT INTO "zhiji_terms" VALUES(1,'户',4,1);
INSERT INTO "zhiji_terms" VALUES(1,'户',5,1);
INSERT INTO "zhiji_terms" VALUES(1,'户',6,1);
INSERT INTO "zhiji_terms" VALUES(1,'户叫',1,1);
INSERT INTO "zhiji_terms" VALUES(1,'户对',2,1);
INSERT INTO "zhiji_terms" VALUES(1,'户想',6,1);
INSERT INTO "zhiji_terms" VALUES(1,'户的',4,1);
INSERT INTO "zhiji_terms" VALUES(1,'户的',5,1);
INSERT INTO "zhiji_terms" VALUES(1,'收',4,1);
INSERT INTO "zhiji_terms" VALUES(1,'收',19,1);
INSERT INTO "zhiji_terms" VALUES(1,'收货',4,1);
INSERT INTO "zhiji_terms" VALUES(1,'收货',19,1);
INSERT INTO "zhiji_terms" VALUES(1,'敏',2,1);
INSERT INTO "zhiji_terms" VALUES(1,'文',4,1);
INSERT INTO "zhiji_terms" VALUES(1,'文',11,1);
INSERT INTO "zhiji_terms" VALUES(1,'文三',4,1);
INSERT INTO "zhiji_terms" VALUES(1,'文三',11,1);
INSERT INTO "zhiji_terms" VALUES(1,'是',4,1);
INSERT INTO "zhiji_terms" VALUES(1,'是',11,1);
INSERT INTO "zhiji_terms" VALUES(1,'是',19,1);
INSERT INTO "zhiji_terms" VALUES(1,'是上',19,1);
INSERT INTO "zhiji_terms" VALUES(1,'是浙',4,1);
INSERT INTO "zhiji_terms" VALUES(1,'是浙',11,1);
INSERT INTO "zhiji_terms" VALUES(1,'是谁',1,1);
INSERT INTO "zhiji_terms" VALUES(1,'晴',1,1);
INSERT INTO "zhiji_terms" VALUES(1,'杭',4,1);
INSERT INTO "zhiji_terms" VALUES(1,'杭',11,1);
INSERT INTO "zhiji_terms" VALUES(1,'杭州',4,1);
INSERT INTO "zhiji_terms" VALUES(1,'杭州',11,1);
INSERT INTO "zhiji_terms" VALUES(1,'欢',20,1);
INSERT INTO "zhiji_terms" VALUES(1,'欢咖',20,1);
INSERT INTO "zhiji_terms" VALUES(1,'款',6,2);
INSERT INTO "zhiji_terms" VALUES(1,'款',13,1);
INSERT INTO "zhiji_terms" VALUES(1,'款',14,1);
INSERT INTO "zhiji_terms" VALUES(1,'江',4,1);
INSERT INTO "zhiji_terms" VALUES(1,'江',11,1);
INSERT INTO "zhiji_terms" VALUES(1,'江省',4,1);
INSERT INTO "zhiji_terms" VALUES(1,'江省',11,1);
INSERT INTO "zhiji_terms" VALUES(1,'浙',4,1);
INSERT INTO "zhiji_terms" VALUES(1,'浙',11,1);
INSERT INTO "zhiji_terms" VALUES(1,'浙江',4,1);
INSERT INTO "zhiji_terms" VALUES(1,'浙江',11,1);
INSERT INTO "zhiji_terms" VALUES(1,'海',19,1);
INSERT INTO "zhiji_terms" VALUES(1,'海市',19,1);
INSERT INTO "zhiji_terms" VALUES(1,'湖',4,1);
INSERT INTO "zhiji_terms" VALUES(1,'湖',11,1);
INSERT INTO "zhiji_terms" VALUES(1,'湖区',4,1);
INSERT INTO "zhiji_terms" VALUES(1,'湖区',11,1);
INSERT INTO "zhiji_terms" VALUES(1,'王',1,1);
INSERT INTO "zhiji_terms" VALUES(1,'王晴',1,1);
INSERT INTO "zhiji_terms" VALUES(1,'生',2,1);
INSERT INTO "zhiji_terms" VALUES(1,'生过',2,1);
INSERT INTO "zhiji_terms" VALUES(1,'用',1,1);
INSERT INTO "zhiji_terms" VALUES(1,'用',2,1);
INSERT INTO "zhiji_terms" VALUES(1,'用',4,1);
INSERT INTO "zhiji_terms" VALUES(1,'用',5,1);
INSERT INTO "zhiji_terms" VALUES(1,'用',6,1);
INSERT INTO "zhiji_terms" VALUES(1,'用户',1,1);
INSERT INTO "zhiji_terms" VALUES(1,'用户',2,1);
INSERT INTO "zhiji_terms" VALUES(1,'用户',4,1);
INSERT INTO "zhiji_terms" VALUES(1,'用户',5,1);
INSERT INTO "zhiji_terms" VALUES(1,'用户',6,1);
INSERT INTO "zhiji_terms" VALUES(1,'的',4,1);
INSERT INTO "zhiji_terms" VALUES(1,'的',5,1);
INSERT INTO "zhiji_terms" VALUES(1,'的',10,1);
INSERT INTO "zhiji_terms" VALUES(1,'的',11,1);
INSERT INTO "zhiji_terms" VALUES(1,'的',12,1);
INSERT INTO "zhiji_terms" VALUES(1,'的',16,1);
INSERT INTO "zhiji_terms" VALUES(1,'的',18,1);
INSERT INTO "zhiji_terms" VALUES(1,'的地',11,1);
INSERT INTO "zhiji_terms" VALUES(1,'的收',4,1);
INSERT INTO "zhiji_terms" VALUES(1,'的订',5,1);
INSERT INTO "zhiji_terms" VALUES(1,'省',4,1);
INSERT INTO "zhiji_terms" VALUES(1,'省',11,1);
INSERT INTO "zhiji_terms" VALUES(1,'省杭',4,1);
INSERT INTO "zhiji_terms" VALUES(1,'省杭',11,1);
INSERT INTO "zhiji_terms" VALUES(1,'称呼',1,1);
INSERT INTO "zhiji_terms" VALUES(1,'经',14,1);
INSERT INTO "zhiji_terms" VALUES(1,'经为',14,1);
INSERT INTO "zhiji_terms" VALUES(1,'能',20,1);
INSERT INTO "zhiji_terms" VALUES(1,'能吃',2,1);
INSERT INTO "zhiji_terms" VALUES(1,'能喜',20,1);
INSERT INTO "zhiji_terms" VALUES(1,'花',2,1);
INSERT INTO "zhiji_terms" VALUES(1,'花生',2,1);
INSERT INTO "zhiji_terms" VALUES(1,'西',4,1);
INSERT INTO "zhiji_terms" VALUES(1,'西',11,1);
INSERT INTO "zhiji_terms" VALUES(1,'西湖',4,1);
INSERT INTO "zhiji_terms" VALUES(1,'西湖',11,1);
INSERT INTO "zhiji_terms" VALUES(1,'见',17,1);
INSERT INTO "zhiji_terms" VALUES(1,'订',5,1);
INSERT INTO "zhiji_terms" VALUES(1,'订',6,1);
INSERT INTO "zhiji_terms" VALUES(1,'订',9,1);
INSERT INTO "zhiji_terms" VALUES(1,'订单',5,1);
INSERT INTO "zhiji_terms" VALUES(1,'订单',6,1);
INSERT INTO "zhiji_terms" VALUES(1,'订单',9,1);
INSERT INTO "zhiji_terms" VALUES(1,'记',10,1);
INSERT INTO "zhiji_terms" VALUES(1,'记',12,1);
INSERT INTO "zhiji_terms" VALUES(1,'记',16,1);
INSERT INTO "zhiji_terms" VALUES(1,'记',18,1);
INSERT INTO "zhiji_terms" VALUES(1,'记下',10,1);
INSERT INTO "zhiji_terms" VALUES(1,'记下',12,1);
INSERT INTO "zhiji_terms" VALUES(1,'记下',16,1);
INSERT INTO "zhiji_terms" VALUES(1,'记下',18,1);
INSERT INTO "zhiji_terms" VALUES(1,'请',13,1);
INSERT INTO "zhiji_terms" VALUES(1,'请退',13,1);
INSERT INTO "zhiji_terms" VALUES(1,'谢',15,2);
INSERT INTO "zhiji_terms" VALUES(1,'谢谢',15,1);
INSERT INTO "zhiji_terms" VALUES(1,'货',4,1);
INSERT INTO "zhiji_terms" VALUES(1,'货',6,1);
INSERT INTO "zhiji_terms" VALUES(1,'货',9,1);
INSERT INTO "zhiji_terms" VALUES(1,'货',19,1);
INSERT INTO "zhiji_terms" VALUES(1,'货地',4,1);
INSERT INTO "zhiji_terms" VALUES(1,'货地',19,1);
INSERT INTO "zhiji_terms" VALUES(1,'贵姓',1,1);
INSERT INTO "zhiji_terms" VALUES(1,'路',4,1);
INSERT INTO "zhiji_terms" VALUES(1,'路',11,1);
INSERT INTO "zhiji_terms" VALUES(1,'过',2,1);
INSERT INTO "zhiji_terms" VALUES(1,'过敏',2,1);
INSERT INTO "zhiji_terms" VALUES(1,'退',6,3);
INSERT INTO "zhiji_terms" VALUES(1,'退',9,1);
INSERT INTO "zhiji_terms" VALUES(1,'退',13,1);
INSERT INTO "zhiji_terms" VALUES(1,'退',14,1);
INSERT INTO "zhiji_terms" VALUES(1,'退款',6,2);
INSERT INTO "zhiji_terms" VALUES(1,'退款',13,1);
INSERT INTO "zhiji_terms" VALUES(1,'退款',14,1);
INSERT INTO "zhiji_terms" VALUES(1,'退货',6,1);
INSERT INTO "zhiji_terms" VALUES(1,'退货',9,1);
INSERT INTO "zhiji_terms" VALUES(1,'👍',15,1);
INSERT INTO "zhiji_terms" VALUES(2,'2',3,1);
INSERT INTO "zhiji_terms" VALUES(2,'2026',2,1);
INSERT INTO "zhiji_terms" VALUES(2,'2026',3,1);
INSERT INTO "zhiji_terms" VALUES(2,'28',2,1);
INSERT INTO "zhiji_terms" VALUES(2,'allerg',1,1);
INSERT INTO "zhiji_terms" VALUES(2,'allerg',2,1);
INSERT INTO "zhiji_terms" VALUES(2,'allergi',1,1);
INSERT INTO "zhiji_terms" VALUES(2,'eat',1,1);
INSERT INTO "zhiji_terms" VALUES(2,'februari',2,1);
INSERT INTO "zhiji_terms" VALUES(2,'i''m',2,1);
INSERT INTO "zhiji_terms" VALUES(2,'is',1,1);
INSERT INTO "zhiji_terms" VALUES(2,'march',3,1);
INSERT INTO "zhiji_terms" VALUES(2,'note',3,1);
INSERT INTO "zhiji_terms" VALUES(2,'rex',2,1);
INSERT INTO "zhiji_terms" VALUES(2,'shrimp',1,1);
INSERT INTO "zhiji_terms" VALUES(2,'shrimp',2,1);
INSERT INTO "zhiji_terms" VALUES(2,'the',1,1);
INSERT INTO "zhiji_terms" VALUES(2,'to',1,1);
INSERT INTO "zhiji_terms" VALUES(2,'to',2,1);
INSERT INTO "zhiji_terms" VALUES(2,'type:identity',1,1);
INSERT INTO "zhiji_terms" VALUES(2,'user',1,1);
INSERT INTO "zhiji_terms" VALUES(2,'忌口',1,1);
INSERT INTO "zhiji_terms" VALUES(2,'能吃',1,1);
INSERT INTO "zhiji_terms" VALUES(2,'过敏',1,1);
INSERT INTO "zhiji_terms" VALUES(2,'🦐',3,1);
CREATE TABLE zhiji_turns (
  owner INTEGER NOT NULL,
  session TEXT NOT NULL,
  number INTEGER NOT NULL,
  status TEXT NOT NULL,                -- open, closed, failed
  first_seq INTEGER NOT NULL,
  time INTEGER,                        -- when it was opened, then when it was answered
  id TEXT,                             -- null: happened elsewhere, or a failed attempt that was opened again
  request TEXT,
  key TEXT,                            -- idempotency key
  digest TEXT,
  error TEXT,
  PRIMARY KEY (owner, session, number),
  FOREIGN KEY (owner, session) REFERENCES zhiji_sessions (owner, id)
) WITHOUT ROWID;
INSERT INTO "zhiji_turns" VALUES(1,'ses_5Ota8NhkKtVrFYDcW94VOw',1,'closed',1,1772442000000000,'trn_Oxm5L3nMTLsJV6XPQgKERA','req_cnDbbZTSdjQHTQBG7jf72Q',NULL,'1e8be7181e05c3e39e5ac4e70392a804262d2a449ba4be22477f0b442ef6f768',NULL);
INSERT INTO "zhiji_turns" VALUES(1,'ses_5Ota8NhkKtVrFYDcW94VOw',2,'closed',3,1772442020000000,'trn_BrIDin4A-_J1Usqtj3b9ug','req_VtW96LRRP-G1DkLH-G5ayQ','key-订单 OD20240415008 想退货','69a4bda1201ef09a540c56b66de5062cb5c8d655674ad8576a7877d29464423d',NULL);
INSERT INTO "zhiji_turns" VALUES(1,'ses_5Ota8NhkKtVrFYDcW94VOw',3,'closed',5,1772442040000000,'trn_rPADpQA3wRQbWwJu_Kj5Dg','req_5I3xFbP4DCa37CDeWZDZSQ','key-我的地址是浙江省杭州市西湖区文三路 18 号','f85a2e3d474f906bdbccfd17e4403db7835acb474bcaeea430814458997197df',NULL);
INSERT INTO "zhiji_turns" VALUES(1,'ses_5Ota8NhkKtVrFYDcW94VOw',4,'closed',7,1772442060000000,'trn_aqmdBllvKrO3EU85QNejjw','req_ZHzVLscDwDPVU52IywWSHQ','key-请退款','1b87ee8863a7c1b88332e4e8a3d3171c007b075f6318b2b518c4aa8c17848d91',NULL);
INSERT INTO "zhiji_turns" VALUES(1,'ses_5Ota8NhkKtVrFYDcW94VOw',5,'closed',11,1772442080000000,'trn_q95XMMKWoxs3pzQyBAYrYA','req_7VQAqAvq0CFvR1UbJxYU6g','key-谢谢 👍','303dbd4e906d3e095f250de325e2a3b8ed94c622d1402b57248389780c2ebd86',NULL);
INSERT INTO "zhiji_turns" VALUES(1,'ses_5Ota8NhkKtVrFYDcW94VOw',6,'closed',13,1772442100000000,'trn_iQ8-va88Vj_brHmyTYkglw','req_QG3HimK6uHtknai-r_LQjQ','key-再见','c90a1cdb561d0269284d52e41013bb2bd68e3b61e186db87e03ebced48b00d60',NULL);
INSERT INTO "zhiji_turns" VALUES(1,'ses_Y-OeapBGUGteu7tPbR16cQ',1,'closed',1,1772452800000000,'trn__ABji2YzlxcB42zJDzVk-A','req_HSHiEmOubd8zt1pDBkHKXg','key-live','ca7644fb058a955c9e6aca023e024f1a2d92377de78fcaf1bdedf29fc9d96a9c',NULL);
INSERT INTO "zhiji_turns" VALUES(1,'ses_Y-OeapBGUGteu7tPbR16cQ',2,'failed',5,1772452820000000,'trn_4gFBpNVFpT2WxRfnPyz_RA','req__SFEqL9yTA5BkloXVG6p9w','key-failed','e5ec0b253fd6a0e0912f9a718fa9ba03c1e05e645f2a460521eb6a6ce9d5c66f','model_error');
INSERT INTO "zhiji_turns" VALUES(2,'ses_7nnHQqEFC9wED8RZn5DkqQ',1,'closed',1,1772442120000000,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "zhiji_turns" VALUES(3,'ses_SrIaRijaFDgXLc7amYZPvg',1,'closed',1,1772442120000000,'trn_FxU3GErnE7fgvvLZMT5KRQ','req_G7KF07zl35PNUXUQ2aFx7w',NULL,'cc1059cbd7dbca01c26c73e0c2610f6440d0d9c24b79f4fb64043401694d61a2',NULL);
INSERT INTO "zhiji_turns" VALUES(4,'ses_mE2UXj7nwZY87XOErpX4UA',1,'closed',1,1772442140000000,'trn_30YxCpcOYe1oLVpk9oUJCQ','req_c1u80B0idsEtkD8UjiMHXg',NULL,'3642f34dd33766f9d275ed76d211250d56ba8a29947107b302bb7fdd63aa86f9',NULL);
CREATE TABLE zhiji_unsaid (            -- messages that said what was deleted: no summary tells their turns again
  owner INTEGER NOT NULL REFERENCES zhiji_owners (id),
  session TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (owner, session, seq)
) WITHOUT ROWID;
INSERT INTO "zhiji_unsaid" VALUES(1,'ses_5Ota8NhkKtVrFYDcW94VOw',1);
CREATE TABLE zhiji_uses (
  tenant TEXT NOT NULL,
  user TEXT NOT NULL,                  -- empty: all of the tenant
  what TEXT NOT NULL,
  until INTEGER NOT NULL,              -- end of the window
  count INTEGER NOT NULL,
  PRIMARY KEY (tenant, user, what, until)
) WITHOUT ROWID;
INSERT INTO "zhiji_uses" VALUES('shop','qing','turns',1772452860000000,1);
CREATE TABLE zhiji_vectors (
  owner INTEGER NOT NULL,
  model TEXT NOT NULL,
  memory INTEGER NOT NULL,
  dim INTEGER NOT NULL,
  data BLOB,                           -- float32, L2-normalised; null: the embedder made nothing usable of it
  PRIMARY KEY (owner, model, memory)
);
INSERT INTO "zhiji_vectors" VALUES(1,'hash-16',2,16,X'00000000ABAAAA3E00000000ABAAAA3EABAAAA3E00000000ABAAAABE0000000000000000ABAAAA3EABAAAABEABAAAA3EABAAAABE0000000000000000ABAAAA3E');
INSERT INTO "zhiji_vectors" VALUES(1,'hash-16',14,16,X'0000000000000000000000008F84C1BE00000000000000008F8441BF8F84C13E000000000000000000000000000000008F84C1BE000000000000000000000000');
INSERT INTO "zhiji_vectors" VALUES(1,'hash-16',15,16,X'000000002EF964BF000000000000000000000000000000002EF9E4BE000000000000000000000000000000000000000000000000000000000000000000000000');
INSERT INTO "zhiji_vectors" VALUES(1,'hash-16',16,16,X'0000000000000000EC05D13E000000000000000000000000000000000000000000000000EC05D1BE00000000EC05D1BEEC05D1BEEC05D13EEC05D13E00000000');
INSERT INTO "zhiji_vectors" VALUES(1,'hash-16',17,16,X'2EF9643F000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000002EF9E43E00000000');
INSERT INTO "zhiji_vectors" VALUES(1,'hash-16',18,16,X'0000000000000000EC05D13E000000000000000000000000000000000000000000000000EC05D1BE00000000EC05D1BEEC05D1BEEC05D13EEC05D13E00000000');
INSERT INTO "zhiji_vectors" VALUES(1,'hash-16',9,16,X'000000000000000000000000B25F9ABE00000000B25F9A3E00000000B25F1A3F000000000000000000000000B25F1ABF0000000000000000B25F9A3E00000000');
INSERT INTO "zhiji_vectors" VALUES(1,'hash-16',10,16,X'0000000000000000EC05D13E000000000000000000000000000000000000000000000000EC05D1BE00000000EC05D1BEEC05D1BEEC05D13EEC05D13E00000000');
INSERT INTO "zhiji_vectors" VALUES(1,'hash-16',11,16,X'2549123E254912BF00000000B76DDBBE2549923E000000002549123E254912BE2549123E2549123E254992BE00000000000000002549123EB76DDBBE254912BE');
INSERT INTO "zhiji_vectors" VALUES(1,'hash-16',12,16,X'0000000000000000EC05D13E000000000000000000000000000000000000000000000000EC05D1BE00000000EC05D1BEEC05D1BEEC05D13EEC05D13E00000000');
INSERT INTO "zhiji_vectors" VALUES(1,'hash-16',13,16,X'2EF9E43E00000000000000002EF9E4BE00000000000000002EF9E4BE2EF9E4BE000000002EF9E43E000000000000000000000000000000000000000000000000');
INSERT INTO "zhiji_vectors" VALUES(1,'hash-16',4,16,X'1FA6183E2EF9E4BE1FA618BE2EF9E4BE1FA6183E00000000000000001FA618BE1FA6183E1FA6183E1FA698BE00000000000000001FA6183E1FA618BF00000000');
INSERT INTO "zhiji_vectors" VALUES(1,'hash-16',6,16,X'6C162D3E6C162D3E00000000D1D001BF000000006C162D3ED1D001BF00000000000000000000000000000000D1D001BF00000000000000006C16AD3E6C162D3E');
INSERT INTO "zhiji_vectors" VALUES(1,'hash-16',1,16,X'ABAAAA3E0000000000000000ABAAAA3E00000000ABAAAABEABAAAABEABAAAA3E00000000ABAAAABEABAAAA3EABAAAABE000000000000000000000000ABAAAA3E');
INSERT INTO "zhiji_vectors" VALUES(1,'hash-16',5,16,X'F304B53E000000000000000000000000F304B53E0000000000000000F304353F000000000000000000000000F304B5BE000000000000000000000000F304B53E');
INSERT INTO "zhiji_vectors" VALUES(1,'hash-16',20,16,X'B25F9A3EB25F9A3E00000000000000000000000000000000000000000000000000000000B25F9A3EB25F9A3EB25F9ABEB25F1A3FB25F9ABE00000000B25F9A3E');
INSERT INTO "zhiji_vectors" VALUES(1,'hash-16',19,16,X'A532843EA53284BEA53204BF00000000A53284BEA532843EA532843EA53284BE0000000000000000A532843E000000000000000000000000A53204BF00000000');
INSERT INTO "zhiji_vectors" VALUES(2,'hash-16',1,16,X'0000000000000000000000000000000000000000F304B53E00000000F304353F0000000000000000F304B53E000000000000000000000000F304B53EF304B5BE');
INSERT INTO "zhiji_vectors" VALUES(2,'hash-16',2,16,X'EC05D13E0000000000000000EC05D1BE00000000EC05D13E0000000000000000EC05D13E00000000EC05D13E000000000000000000000000EC05D13E00000000');
INSERT INTO "zhiji_vectors" VALUES(2,'hash-16',3,16,X'000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000080BF');
CREATE TABLE zhiji_workers (           -- processes that run jobs, each with its last sign of life
  holder TEXT NOT NULL PRIMARY KEY,
  role TEXT NOT NULL,                  -- serve, worker, library
  started INTEGER NOT NULL,
  beat INTEGER NOT NULL,
  until INTEGER NOT NULL,              -- missing from then on
  running INTEGER NOT NULL             -- jobs
) WITHOUT ROWID;
INSERT INTO "zhiji_workers" VALUES('another-machine/7/a','worker',1772442000000000,1772452800000000,1772452830000000,1);
CREATE INDEX zhiji_sessions_touched ON zhiji_sessions (owner, touched, tie);
CREATE INDEX zhiji_sessions_expires ON zhiji_sessions (expires) WHERE ended IS NULL AND expires IS NOT NULL;
CREATE INDEX zhiji_sessions_forms ON zhiji_sessions (touched)
  WHERE ended IS NOT NULL AND json_extract(state, '$.slots') <> '{}';
CREATE INDEX zhiji_sessions_ended ON zhiji_sessions (ended) WHERE ended IS NOT NULL;
CREATE INDEX zhiji_sessions_holder ON zhiji_sessions (holder) WHERE holder IS NOT NULL;
CREATE UNIQUE INDEX zhiji_turns_id ON zhiji_turns (owner, id) WHERE id IS NOT NULL;
CREATE UNIQUE INDEX zhiji_turns_key ON zhiji_turns (owner, key) WHERE key IS NOT NULL;
CREATE UNIQUE INDEX zhiji_requests_id ON zhiji_requests (owner, id);
CREATE INDEX zhiji_requests_turn ON zhiji_requests (owner, session, turn);
CREATE INDEX zhiji_extractions_session ON zhiji_extractions (owner, session, seq);
CREATE INDEX zhiji_extractions_owner ON zhiji_extractions (owner, seq);
CREATE INDEX zhiji_jobs_due ON zhiji_jobs (due) WHERE due IS NOT NULL;
CREATE INDEX zhiji_jobs_owner_due ON zhiji_jobs (owner, due) WHERE due IS NOT NULL;
CREATE INDEX zhiji_jobs_subject ON zhiji_jobs (owner, subject, kind);
CREATE UNIQUE INDEX zhiji_jobs_pending ON zhiji_jobs (owner, kind, subject) WHERE status = 'pending';
CREATE UNIQUE INDEX zhiji_jobs_running ON zhiji_jobs (owner, kind, subject) WHERE status = 'running';
CREATE UNIQUE INDEX zhiji_memories_id ON zhiji_memories (owner, id);
CREATE UNIQUE INDEX zhiji_memories_single ON zhiji_memories (owner, key) WHERE single = 1 AND status = 'active';
CREATE INDEX zhiji_memories_key ON zhiji_memories (owner, key) WHERE key IS NOT NULL;
CREATE INDEX zhiji_memories_status ON zhiji_memories (owner, status, updated, id);
CREATE INDEX zhiji_memories_changed ON zhiji_memories (owner, changed);
CREATE INDEX zhiji_deletions_key ON zhiji_deletions (owner, key);
CREATE UNIQUE INDEX zhiji_jobs_id ON zhiji_jobs (id);
CREATE INDEX zhiji_jobs_dead ON zhiji_jobs (seq) WHERE status = 'dead';
CREATE INDEX zhiji_jobs_tenant ON zhiji_jobs (tenant, owner) WHERE due IS NOT NULL;
CREATE INDEX zhiji_jobs_tenant_due ON zhiji_jobs (tenant, due) WHERE due IS NOT NULL;
CREATE INDEX zhiji_memories_expires ON zhiji_memories (expires) WHERE expires IS NOT NULL;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('zhiji_owners',4);
COMMIT;
