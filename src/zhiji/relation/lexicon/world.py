"""Open words that people say in either language, by topic. Pure data; see the package for the format."""

from __future__ import annotations

OPEN: dict[str, str] = {
    "food": """
花生 peanut, 虾 大虾 虾仁 shrimp prawn, 贝类 甲壳类 shellfish, 螃蟹 蟹 crab, 海鲜 seafood, 鱼 鱼类 fish, 牛奶 鲜奶 milk, 乳糖 lactose, 乳制品 奶制品 奶类 dairy dairy_product,
鸡蛋 蛋 egg, 坚果 nut, 树坚果 tree_nut, 核桃 walnut, 杏仁 almond, 腰果 cashew, 开心果 pistachio, 榛子 hazelnut, 大豆 黄豆 soy soybean, 豆制品 soy_product, 小麦 wheat, 麸质 面筋 gluten, 芝麻 sesame,
芒果 mango, 苹果 apple, 香蕉 banana, 橙子 orange_fruit, 草莓 strawberry, 蓝莓 blueberry, 樱桃 车厘子 cherry, 葡萄 grape, 西瓜 watermelon, 哈密瓜 cantaloupe, 桃子 水蜜桃 桃 peach, 梨 梨子 pear, 菠萝 凤梨 pineapple,
榴莲 榴梿 durian, 荔枝 lychee litchi, 龙眼 longan, 猕猴桃 奇异果 kiwi kiwifruit, 柠檬 lemon, 柚子 西柚 grapefruit, 椰子 coconut, 火龙果 dragon_fruit, 牛油果 鳄梨 avocado, 番茄 西红柿 tomato, 水果 fruit, 蔬菜 青菜 vegetable,
土豆 马铃薯 potato, 红薯 番薯 地瓜 sweet_potato, 茄子 eggplant aubergine, 黄瓜 青瓜 cucumber, 胡萝卜 红萝卜 carrot, 白萝卜 radish, 芹菜 celery, 菠菜 spinach, 香菜 芫荽 coriander cilantro, 西兰花 broccoli, 花菜 cauliflower, 卷心菜 包菜 cabbage, 白菜 chinese_cabbage,
苦瓜 bitter_melon bitter_gourd, 南瓜 pumpkin, 蘑菇 mushroom, 香菇 shiitake, 木耳 wood_ear, 韭菜 chives, 大蒜 蒜 garlic, 洋葱 onion, 生姜 姜 ginger, 葱 大葱 小葱 香葱 scallion spring_onion green_onion, 辣椒 chili chilli chili_pepper, 青椒 green_pepper bell_pepper, 辣 辛辣 辣的 辣味 辣菜 spicy spicy_food, 花椒 sichuan_pepper,
肉 荤 肉类 meat, 红肉 red_meat, 牛肉 beef, 猪肉 pork, 羊肉 lamb mutton, 鸡肉 chicken, 鸭肉 duck, 鹅肉 goose, 内脏 下水 offal, 猪肝 肝 liver, 香肠 腊肠 sausage, 火腿 ham, 培根 bacon, 牛排 steak, 三文鱼 salmon, 金枪鱼 吞拿鱼 tuna, 鳕鱼 cod, 鱿鱼 squid, 章鱼 octopus, 生蚝 牡蛎 oyster, 龙虾 lobster, 小龙虾 crayfish, 贻贝 mussel, 蛤蜊 clam, 扇贝 scallop, 生鱼片 刺身 sashimi, 寿司 sushi, 生食 生冷 raw_food, 冷饮 cold_drink, 冰饮 iced_drink,
米饭 大米 rice, 面条 面食 noodles noodle, 面包 bread, 馒头 steamed_bun, 包子 baozi, 饺子 水饺 dumpling, 粥 porridge congee, 意面 意大利面 pasta spaghetti, 披萨 比萨 pizza, 汉堡 hamburger burger, 薯条 french_fries fries, 三明治 sandwich, 沙拉 salad, 汤 soup, 火锅 hotpot hot_pot, 烧烤 烤肉 barbecue bbq, 炸鸡 fried_chicken, 油炸食品 油炸 fried_food, 快餐 fast_food, 外卖 takeout takeaway, 零食 snack, 甜食 甜品 甜点 甜的 sweets dessert sweet_food sugary_food, 蛋糕 cake, 饼干 cookie biscuit, 冰淇淋 冰激凌 雪糕 ice_cream, 巧克力 朱古力 chocolate, 糖 糖分 糖果 sugar candy, 蜂蜜 honey, 果酱 jam, 奶酪 芝士 cheese, 黄油 butter, 奶油 cream, 酸奶 yogurt yoghurt, 豆腐 tofu, 臭豆腐 stinky_tofu, 豆浆 豆奶 soy_milk, 燕麦 oat oatmeal, 燕麦奶 oat_milk, 玉米 corn, 早餐 早饭 breakfast, 午餐 午饭 lunch, 晚餐 晚饭 dinner supper, 夜宵 宵夜 late-night_snack, 川菜 sichuan_food sichuan_cuisine, 粤菜 cantonese_food cantonese_cuisine, 湘菜 hunan_food, 日料 日本料理 日本菜 japanese_food japanese_cuisine, 韩餐 韩国菜 korean_food, 泰国菜 thai_food, 印度菜 indian_food, 法餐 法国菜 french_food, 西餐 western_food, 中餐 中国菜 chinese_food, 味精 msg, 酱油 soy_sauce, 醋 vinegar, 盐 salt, 油 oil, 胡椒 black_pepper
""",
    "drink": """
咖啡 coffee, 拿铁 latte, 美式 美式咖啡 americano, 卡布奇诺 cappuccino, 黑咖啡 black_coffee, 无咖啡因 低因咖啡 decaf, 咖啡因 caffeine, 茶 茶叶 tea, 绿茶 green_tea, 红茶 black_tea, 乌龙茶 oolong oolong_tea, 普洱 普洱茶 pu'er, 奶茶 珍珠奶茶 bubble_tea milk_tea boba, 抹茶 matcha, 花茶 herbal_tea, 酒 酒精 饮酒 alcohol alcoholic_drink liquor, 啤酒 beer, 红酒 red_wine, 葡萄酒 wine, 白酒 baijiu, 白葡萄酒 white_wine, 威士忌 whisky whiskey, 鸡尾酒 cocktail, 果汁 juice, 橙汁 orange_juice, 可乐 cola coke, 汽水 碳酸饮料 soda soft_drink carbonated_drink, 含糖饮料 sugary_drink, 饮料 beverage, 能量饮料 energy_drink, 温水 热水 warm_water hot_water, 冰水 ice_water, 水 白开水 water
""",
    "substance": """
花粉 pollen, 灰尘 粉尘 dust, 尘螨 螨虫 dust_mite mite, 青霉素 盘尼西林 penicillin, 阿莫西林 amoxicillin, 头孢 头孢类 头孢菌素 cephalosporin, 阿司匹林 aspirin, 布洛芬 ibuprofen, 磺胺 磺胺类 sulfa sulfa_drug, 碘 iodine, 乳胶 latex, 镍 nickel, 蜂毒 蜜蜂 蜂蜇 蜜蜂蜇 bee bee_sting, 黄蜂 wasp, 猫毛 cat_hair cat_fur cat_dander, 狗毛 dog_hair dog_fur, 动物毛 animal_fur pet_hair pet_dander, 霉菌 mold mould, 香水 fragrance perfume, 酒精消毒 rubbing_alcohol, 羊毛 wool, 柳絮 杨絮 catkin, 紫外线 uv, 阳光 sunlight, 麻醉药 anesthetic anaesthetic, 防腐剂 preservative, 色素 food_coloring food_colouring
""",
    "health": """
糖尿病 diabetes diabetic, 二型糖尿病 2型糖尿病 type_2_diabetes, 高血压 血压高 hypertension high_blood_pressure, 低血压 low_blood_pressure, 低血糖 hypoglycemia low_blood_sugar, 高血脂 high_cholesterol, 哮喘 asthma asthmatic, 心脏病 heart_disease, 癫痫 epilepsy epileptic, 抑郁症 抑郁 depression, 焦虑症 焦虑 anxiety, 失眠 睡不着 睡不着觉 睡不好 insomnia trouble_sleeping can_not_sleep difficulty_sleeping 睡不好觉 难以入睡 入睡困难 睡眠不好 睡眠差 sleeplessness poor_sleep sleeps_badly sleeps_poorly sleep_badly sleep_poorly trouble_falling_asleep difficulty_falling_asleep problems_sleeping, 偏头痛 migraine, 头痛 头疼 headache, 胃炎 gastritis, 胃病 stomach_trouble stomach_problem, 胃溃疡 stomach_ulcer ulcer, 痛风 gout, 贫血 anemia anaemia, 甲亢 hyperthyroidism, 甲减 hypothyroidism, 湿疹 eczema, 荨麻疹 hives urticaria, 鼻炎 过敏性鼻炎 rhinitis hay_fever, 鼻窦炎 sinusitis, 关节炎 arthritis, 腰椎间盘突出 腰突 herniated_disc slipped_disc, 颈椎病 neck_problem, 腰痛 腰疼 背痛 back_pain, 骨折 fracture broken_bone, 扭伤 崴脚 sprain sprained, 近视 nearsighted short-sighted myopia myopic, 远视 farsighted, 散光 astigmatism, 色盲 红绿色盲 color-blind colour-blind colorblind, 晕车 carsick motion_sickness car_sickness, 晕船 seasick seasickness, 高处 heights, 幽闭恐惧 claustrophobia claustrophobic, 乳糜泻 麦胶病 celiac coeliac celiac_disease coeliac_disease, 肾结石 kidney_stone, 脂肪肝 fatty_liver, 乙肝 hepatitis_b, 癌症 cancer, 中风 stroke, 感冒 cold_illness, 流感 flu influenza, 发烧 发热 fever, 咳嗽 cough, 新冠 covid, 自闭症 autism autistic, 多动症 adhd, 阅读障碍 dyslexia dyslexic, 听力障碍 耳聋 失聪 deaf hearing_impaired, 助听器 hearing_aid, 失明 盲 blind visually_impaired, 轮椅 wheelchair, 牙套 矫正牙齿 braces, 隐形眼镜 contact_lens contact_lenses contacts, 眼镜 glasses eyeglasses spectacles, 左撇子 左利手 惯用左手 left-handed left-hander lefty southpaw, 右撇子 右利手 right-handed right-hander, 生病 病了 sick ill unwell, 牙疼 牙痛 toothache, 智齿 wisdom_tooth, 更年期 menopause, 痔疮 hemorrhoid, 鸡眼 corn_foot, 腿 leg, 膝盖 knee, 脚踝 ankle, 手腕 wrist, 肩膀 shoulder, 腰 lower_back, 胃 stomach, 眼睛 eyes, 牙齿 tooth teeth, 皮肤 skin, 敏感肌 sensitive_skin, 干性皮肤 干皮 dry_skin, 油性皮肤 油皮 oily_skin, 胰岛素 insulin, 降压药 blood_pressure_medication, 维生素 vitamin, 抗生素 antibiotic, 减肥 瘦身 减重 lose_weight losing_weight on_a_diet weight_loss, 增肌 gain_muscle build_muscle, 打呼噜 打鼾 snore snoring
""",
    "regimen": """
生酮 keto ketogenic, 低碳水 低碳 控碳 low-carb, 少盐 低盐 低钠 控盐 low-salt low-sodium less_salt, 低糖 少糖 控糖 无糖饮食 low-sugar less_sugar, 低脂 少油 low-fat less_oil, 清真 halal, 犹太洁食 kosher, 无麸质 gluten-free, 轻断食 间歇性断食 intermittent_fasting, 戒糖 no_sugar sugar-free_diet, 高蛋白 high-protein
""",
    "animal": """
金毛 金毛犬 golden_retriever, 拉布拉多 labrador, 哈士奇 husky, 柯基 corgi, 柴犬 shiba shiba_inu, 泰迪 贵宾犬 poodle, 边牧 边境牧羊犬 border_collie, 德牧 german_shepherd, 比熊 bichon, 博美 pomeranian, 吉娃娃 chihuahua, 法斗 法国斗牛犬 french_bulldog, 斗牛犬 bulldog, 比格 beagle, 雪纳瑞 schnauzer, 橘猫 orange_cat ginger_cat orange_tabby, 英短 british_shorthair, 美短 american_shorthair, 布偶 布偶猫 ragdoll, 暹罗 暹罗猫 siamese, 波斯猫 persian_cat, 黑猫 black_cat, 龙猫宠 chinchilla, 豚鼠 荷兰猪 guinea_pig, 刺猬 hedgehog, 蜥蜴 lizard, 蛇 snake, 蜘蛛 spider, 蟑螂 cockroach, 老鼠 mouse_animal rat, 马 horse, 牛 cow, 羊 sheep, 山羊 goat, 猪 pig, 鸡 hen, 鸭子 duckling, 鸽子 pigeon, 虫子 昆虫 insect bug
""",
    "job": """
组长 小组长 team_lead team_leader, 总监 director, 主任 section_head, 店长 store_manager shop_manager, 主管人员 supervisor_job, 副总 vice_president, 助教 teaching_assistant, 博士后 postdoc postdoctoral_researcher, 保险经纪 保险代理 insurance_agent, 健身博主 fitness_blogger, 宠物美容师 pet_groomer, 花艺师 floral_designer, 配音演员 voice_actor, 物流员 logistics_worker, 仓管 warehouse_worker, 采购 buyer_job purchaser, 客服专员 customer_service_representative,
医生 大夫 doctor physician, 护士 nurse, 急救员 急救人员 救护员 paramedic emt, 药剂师 pharmacist, 兽医 veterinarian vet, 外科医生 surgeon, 儿科医生 pediatrician paediatrician, 程序员 码农 软件工程师 程序猿 开发工程师 软件开发 软件开发工程师 programmer software_engineer software_developer developer coder, 前端 前端工程师 frontend_developer front-end_developer, 后端 后端工程师 backend_developer back-end_developer, 测试工程师 qa_engineer tester, 数据分析师 data_analyst, 数据科学家 data_scientist, 产品经理 product_manager product_management, 项目经理 project_manager, 运营 operations, 设计师 designer, 平面设计师 graphic_designer, 室内设计师 interior_designer, 建筑师 architect, 工程师 engineer, 土木工程师 civil_engineer, 机械工程师 mechanical_engineer, 电工 electrician, 水管工 plumber, 木匠 木工 carpenter, 焊工 welder, 机修工 修车工 汽修工 mechanic, 工人 factory_worker, 律师 lawyer attorney solicitor, 法官 judge, 会计 会计师 accountant, 审计师 审计 auditor, 银行职员 banker, 柜员 银行柜员 bank_teller teller, 收银员 cashier, 销售 销售员 salesperson salesman sales_rep sales, 市场营销 市场部 marketing_department, 人力资源 人事 hr human_resources, 行政 admin_staff, 记者 journalist reporter, 编辑 editor, 作家 writer author, 翻译 译者 口译员 translator interpreter, 摄影师 photographer, 导演 film_director, 演员 actor actress, 歌手 singer, 音乐家 musician, 画家 艺术家 artist painter, 舞者 dancer, 模特 fashion_model, 主播 streamer, 博主 blogger, 厨师 cook_job chef line_cook, 面点师 baker, 服务员 waiter waitress, 咖啡师 barista, 调酒师 bartender, 理发师 发型师 hairdresser barber, 美甲师 manicurist, 司机 driver, 出租车司机 的士司机 taxi_driver, 卡车司机 货车司机 truck_driver, 公交司机 bus_driver, 校车司机 school_bus_driver, 网约车司机 uber_driver, 飞行员 机长 pilot, 空姐 空乘 空乘人员 flight_attendant, 快递员 courier, 外卖员 外卖骑手 骑手 delivery_rider delivery_driver, 保安 security_guard, 警察 police police_officer, 消防员 firefighter fireman, 军人 士兵 当兵 现役军人 soldier in_the_army in_the_military, 公务员 civil_servant, 农民 farmer, 花店老板 florist, 店主 shopkeeper shop_owner, 导游 tour_guide, 图书管理员 librarian, 教授 professor, 讲师 lecturer, 小学老师 primary_school_teacher elementary_school_teacher, 幼师 幼儿园老师 kindergarten_teacher preschool_teacher, 研究员 科研人员 researcher, 科学家 scientist, 实习 实习生 intern internship, 家庭主妇 全职妈妈 housewife stay-at-home_mom stay-at-home_mum homemaker, 社工 social_worker, 房产中介 real_estate_agent realtor, 顾问 consultant, 分析师 analyst, 投资人 investor, 创业者 entrepreneur, 牙医 牙科 牙科医生 dentist, 正畸 orthodontist, 心理医生 心理咨询师 咨询师 心理咨询 therapist counsellor counselor psychologist therapy, 验光师 optometrist, 健身教练 fitness_instructor, 裁缝 tailor, 园丁 gardener, 坐飞机 乘飞机 搭飞机 flying being_on_a_plane being_on_planes being_on_airplanes plane_travel air_travel, 船员 sailor, 渔民 fisherman, 邮递员 postman mail_carrier, 会计部 accounting, 财务 finance
""",
    "leisure": """
爬山 登山 徒步 行山 远足 hiking hike, 攀岩 rock_climbing climbing, 游泳 游水 swimming swim 游个泳, 跑步 慢跑 跑 running run jogging jog 晨间跑 running_workout, 马拉松 marathon, 半程马拉松 半马 half_marathon, 健身 撸铁 working_out workout work_out gym_workout, 瑜伽 yoga, 普拉提 pilates, 太极 太极拳 tai_chi, 武术 kung_fu martial_arts, 跆拳道 taekwondo, 空手道 karate, 柔道 judo, 拳击 boxing, 击剑 fencing, 足球 football soccer, 篮球 basketball, 羽毛球 badminton, 网球 tennis, 乒乓球 ping_pong table_tennis, 排球 volleyball, 棒球 baseball, 高尔夫 高尔夫球 golf, 台球 桌球 billiards pool_game snooker, 保龄球 bowling, 橄榄球 rugby, 曲棍球 hockey, 冰球 ice_hockey, 滑雪 skiing ski, 滑冰 溜冰 ice_skating skating, 滑板 skateboarding skateboard, 冲浪 surfing surf, 潜水 scuba_diving diving, 划船 rowing, 皮划艇 kayaking kayak, 骑行 骑车 骑自行车 cycling biking bike_riding, 露营 camping, 钓鱼 fishing, 打猎 hunting, 骑马 horse_riding horseback_riding, 跳舞 舞蹈 dancing dance, 街舞 hip-hop_dance street_dance, 芭蕾 芭蕾舞 ballet, 广场舞 square_dancing, 唱歌 singing sing, k歌 卡拉ok ktv 唱k karaoke, 合唱 合唱团 choir, 钢琴 piano, 吉他 guitar, 小提琴 violin, 大提琴 cello, 古筝 guzheng, 二胡 erhu, 琵琶 pipa, 笛子 长笛 flute, 萨克斯 saxophone, 小号 trumpet, 架子鼓 爵士鼓 drums drum, 尤克里里 ukulele, 口琴 harmonica, 书法 calligraphy, 画画 绘画 drawing draw painting paint, 素描 sketching, 水彩 watercolor watercolour, 油画 oil_painting, 摄影 拍照 photography, 阅读 看书 读书会 reading book_reading, 写作 writing, 编程 programming coding, 音乐 music, 古典音乐 古典乐 classical_music, 爵士 爵士乐 jazz, 摇滚 摇滚乐 rock_music, 流行音乐 pop_music, 电影 film movie, 恐怖片 恐怖电影 horror_movie horror_film, 喜剧 喜剧片 comedy, 科幻片 sci-fi_movie, 动作片 action_movie, 纪录片 documentary, 动漫 动画 anime, 漫画 comics comic manga, 电视剧 看剧 追剧 tv_series tv_show drama, 小说 novel, 科幻小说 science_fiction sci-fi, 推理小说 侦探小说 mystery_novel detective_novel, 诗歌 poetry poem, 电子游戏 打游戏 玩游戏 网游 游戏 gaming online_game video_game game, 桌游 board_game, 象棋 chinese_chess, 国际象棋 chess, 围棋 go_game weiqi, 麻将 mahjong, 扑克 poker, 拼图 jigsaw puzzle, 乐高 lego, 手工 crafts craft, 编织 织毛衣 打毛线 knitting knit, 缝纫 sewing, 陶艺 pottery ceramics, 烘焙 baking bake, 园艺 种花 养花 gardening, 集邮 stamp_collecting, 冥想 打坐 meditation meditate, 购物 逛街 shopping_trip 逛商场, 自驾 自驾游 road_trip, 观鸟 birdwatching bird_watching, 天文 观星 astronomy stargazing, 志愿者 义工 volunteering volunteer, 散步 遛弯 walking walk, 遛狗 walk_the_dog dog_walking, 跳绳 jump_rope skipping_rope, 跳伞 skydiving, 蹦极 bungee_jumping, 脱口秀 stand-up_comedy, 话剧 戏剧 theater theatre, 京剧 peking_opera, 歌剧 opera, 音乐会 concert, 演唱会 pop_concert, 博物馆 museum, 播客 podcast, 综艺 variety_show, 直播 livestream, 新闻 news, 财经 finance_news
""",
    "subject": """
数学 math maths mathematics, 语文 chinese_class, 英语课 english_class, 物理 physics, 化学 chemistry, 生物 biology, 历史 history, 地理 geography, 政治 politics, 经济 经济学 economics, 会计学 accounting_major, 法律 法学 law, 医学 medicine, 计算机 计算机科学 computer_science, 软件工程 software_engineering, 人工智能 artificial_intelligence ai, 机器学习 machine_learning, 心理学 psychology, 哲学 philosophy, 社会学 sociology, 文学 literature, 美术 art, 音乐课 music_class, 体育课 体育 pe physical_education sports, 统计学 统计 statistics, 金融 金融学 finance_major, 新闻学 journalism, 建筑学 architecture, 机械工程 mechanical_engineering, 电子工程 electrical_engineering, 雅思 ielts, 托福 toefl, 四级 英语四级 cet-4 cet4, 六级 英语六级 cet-6 cet6, 考研 graduate_entrance_exam 考研究生 研究生考试 研究生入学考试, 高考 gaokao college_entrance_exam, 中考 zhongkao, 公务员考试 考公 国考 civil_service_exam, 司法考试 法考 bar_exam bar_examination, 注会 cpa, 教师资格证 教资 teaching_certificate, 科目一 theory_test driving_theory_test, 科目二 subject_two, 科目三 road_test subject_three, 路考 驾考 driving_test, 期末考试 期末考 期末 final_exam finals, 期中考试 期中考 期中 midterm midterm_exam, 日语能力考 jlpt, gre gre, gmat gmat, sat sat_exam, 学车 学开车 driving_lessons
""",
    "device": """
pixel pixel, galaxy galaxy, iphone 苹果手机 iphone, ipad ipad, macbook 苹果电脑 macbook, kindle kindle 电子书阅读器, 华为 huawei, 小米 xiaomi, 三星 samsung, 联想 lenovo, 戴尔 dell, 惠普 hp, 华硕 asus, 索尼 sony, 佳能 canon, 尼康 nikon, 富士 fujifilm, 任天堂 nintendo, switch游戏机 nintendo_switch, oppo oppo, vivo vivo, 荣耀 honor_phone, 一加 oneplus, 安卓 安卓手机 android, 苹果系统 ios, 鸿蒙 harmonyos, windows系统 windows, mac系统 苹果系统电脑 macos mac, linux系统 linux, ubuntu系统 ubuntu,
""",
    "appliance": """
扫地机器人 扫地机 robot_vacuum, 吸尘器 vacuum_cleaner, 洗碗机 dishwasher, 微波炉 microwave, 烤箱 oven, 空气炸锅 air_fryer, 电饭煲 电饭锅 rice_cooker, 咖啡机 coffee_machine coffee_maker, 热水器 water_heater, 空气净化器 air_purifier, 加湿器 humidifier, 净水器 water_purifier, 路由器 router, 音箱 音响 speaker_device, 智能音箱 smart_speaker, 充电器 charger, 充电宝 移动电源 power_bank, 鼠标 mouse, 硬盘 hard_drive, 固态硬盘 ssd, 投影仪 projector, 无人机 drone, 游戏机 game_console
""",
    "furniture": """
台灯 desk_lamp, 沙发 sofa couch, 床垫 mattress, 床 bed, 桌子 桌 table, 书桌 办公桌 desk, 椅子 chair, 办公椅 office_chair, 衣柜 wardrobe
""",
    "vehicle": """
特斯拉 tesla, 比亚迪 byd, 本田 honda, 丰田 toyota, 宝马 bmw, 奔驰 mercedes mercedes-benz, 奥迪 audi, 大众 volkswagen vw, 福特 ford, 别克 buick, 雪佛兰 chevrolet chevy, 日产 尼桑 nissan, 马自达 mazda, 斯巴鲁 subaru, 现代汽车 hyundai, 起亚 kia, 沃尔沃 volvo, 保时捷 porsche, 雷克萨斯 lexus, 路虎 land_rover, 蔚来 nio, 小鹏 xpeng, 理想汽车 li_auto, 吉利 geely, 五菱 wuling, 自行车 单车 脚踏车 bicycle bike, 电动车 电瓶车 电动自行车 e-bike electric_bike electric_bicycle, 电动汽车 新能源车 electric_car ev, 摩托车 摩托 电单车 motorcycle motorbike, 滑板车 scooter kick_scooter, 电动滑板车 e-scooter electric_scooter, 火车 高铁 动车 列车 train, 卡车 货车 truck, 面包车 van, 越野车 suv, 轿车 sedan, 公交 公交车 巴士 bus, 地铁 捷运 港铁 subway metro underground mtr, 出租车 的士 计程车 打车 taxi cab, 网约车 滴滴 ride-hailing, 轮船 船 ferry boat ship_boat, 步行 走路 on_foot, 公共交通 public_transport public_transit
""",
    "payment": """
微信 wechat, 刷卡 cardpay, 支付宝 alipay, 花呗 huabei, 现金 cash, 云闪付 unionpay, 苹果支付 apple_pay, 谷歌支付 google_pay, 贝宝 paypal, 银行转账 转账 bank_transfer wire_transfer, 货到付款 cash_on_delivery cod_payment
""",
    "brand": """
西门子 siemens, 博世 bosch, 飞利浦 philips, 松下 panasonic, 英特尔 intel, 英伟达 nvidia, 甲骨文 oracle, 特步 xtep, 网易 netease, 快手 kuaishou, 滴滴出行 didi, 携程 trip.com ctrip, 爱彼迎 airbnb, 德勤 deloitte, 普华永道 pwc, 安永 ernst_&_young, 毕马威 kpmg, 高盛 goldman_sachs, 摩根 jp_morgan jpmorgan, 辉瑞 pfizer, 联合利华 unilever, 宝洁 procter_&_gamble p&g, 可口可乐 coca-cola, 百事 pepsi, 耶鲁 耶鲁大学 yale yale_university, 哈佛 哈佛大学 harvard harvard_university, 斯坦福 斯坦福大学 stanford stanford_university, 麻省理工 麻省理工学院 mit_university, 清华 清华大学 tsinghua tsinghua_university, 北大 北京大学 peking_university, 复旦 复旦大学 fudan fudan_university, 浙大 浙江大学 zhejiang_university, 南大 南京大学 nanjing_university, 武大 武汉大学 wuhan_university, 中山大学 sun_yat-sen_university, 港大 香港大学 university_of_hong_kong, 台大 台湾大学 national_taiwan_university,
腾讯 tencent, 阿里巴巴 阿里 alibaba, 字节跳动 字节 bytedance, 百度 baidu, 京东 jd jd.com, 拼多多 pinduoduo, 美团 meituan, 淘宝 taobao, 天猫 tmall, 抖音 douyin tiktok, 小红书 xiaohongshu rednote, 微博 weibo, 知乎 zhihu, 哔哩哔哩 b站 bilibili, 钉钉 dingtalk, 飞书 feishu lark, 谷歌 google, 微软 microsoft, 亚马逊 amazon, 脸书 facebook, 推特 twitter, 优兔 油管 youtube, 网飞 奈飞 netflix, 声田 spotify, 迪士尼 disney, 星巴克 starbucks, 麦当劳 mcdonald's mcdonalds, 肯德基 kfc, 优步 uber, 宜家 ikea, 沃尔玛 walmart, 好市多 costco, 山姆 sam's_club, 顺丰 sf_express, 中通 zto, 圆通 yto, 韵达 yunda, 申通 sto_express, 极兔 j&t, 邮政 post_office postal_service, 耐克 nike, 阿迪达斯 adidas, 优衣库 uniqlo, 招商银行 招行 cmb, 工商银行 工行 icbc, 建设银行 建行 ccb, 中国银行 bank_of_china, 农业银行 农行 abc_bank, 汇丰 hsbc, 国航 air_china, 东航 china_eastern, 南航 china_southern, 中国移动 移动 china_mobile, 中国联通 联通 china_unicom, 中国电信 电信 china_telecom
""",
    "color": """
蓝色 蓝 blue, 绿色 green, 红色 red, 黑色 black, 白色 white, 黄色 yellow, 紫色 purple violet, 粉色 粉红色 粉红 pink, 灰色 gray grey, 橙色 橘色 orange, 棕色 咖啡色 褐色 brown, 米色 beige, 金色 金 金卡 黄金 gold golden, 银色 银卡 白银 silver, 藏青 藏青色 深蓝色 navy navy_blue, 浅蓝色 天蓝色 light_blue sky_blue, 深绿色 dark_green, 米白色 off-white, 酒红色 burgundy
""",
    "level": """
付费版 paidtier,
白金 白金卡 platinum platinum_card, 钻石 钻石卡 diamond diamond_card, 普通 regular, 基础 基础版 basic, 标准 标准版 standard, 专业 专业版 pro, 高级版 premium, 免费 免费版 free, 家庭版 family_edition, 企业版 enterprise, 旗舰版 ultimate, 学生版 student_edition, 初级 beginner elementary, 中级 intermediate, 高级 advanced, 高优先级 优先级高 紧急 high_priority urgent, 低优先级 优先级低 low_priority, 经济舱 economy economy_class, 商务舱 公务舱 business_class, 头等舱 first_class, 二等座 second_class, 一等座 first-class_seat, 硬卧 hard_sleeper, 软卧 soft_sleeper
""",
    "delivery": """
自提 到店自取 自取 self-pickup in-store_pickup store_pickup, 送货上门 home_delivery deliver_to_door door_delivery, 上门取件 pickup_service home_pickup, 加急 加急配送 express_delivery express_shipping rush, 标准配送 普通配送 standard_shipping standard_delivery, 次日达 next-day_delivery, 当日达 same-day_delivery, 包装 packaging, 礼品包装 gift_wrap gift_wrapping, 退货包运费 free_return, 免运费 包邮 free_shipping free_delivery
""",
    "family": """
单亲 single_parent, 二胎 second_child, 养老院 nursing_home, 一口人 household
""",
    "habit": """
抽烟 吸烟 烟 smoke smokes smoking smoker cigarettes 香烟 抽 smoked, 熬夜 通宵熬夜 晚睡 夜猫子 夜猫 stay_up_late stays_up_late stay_up stays_up staying_up_late night_owl late_to_bed, 早睡 early_to_bed, 早起 early_riser early_bird, 午睡 午休 nap naps napping, 戒烟药 nicotine, 加班 overtime, 出国 go_abroad abroad, 通勤 commute commutes commuting, 化妆 makeup make-up, 锻炼 运动 exercise exercises exercising, 纹身 tattoo, 轮班 倒班 shift_work rotating_shifts
""",
    "religion": """
基督教 基督徒 christian, 天主教 catholic, 佛教 佛教徒 buddhist, 穆斯林 伊斯兰教 回族 muslim, 犹太教 犹太人 jewish, 印度教 hindu, 无神论 无神论者 atheist, 道教 taoist
""",
    "frequency": """
每天 天天 每日 日日 daily a_day per_day every_day each_day everyday, 每周 每星期 每礼拜 weekly every_week each_week per_week a_week, 每隔一天 隔天 every_other_day, 每两周 隔周 every_other_week biweekly fortnightly every_two_weeks, 每季度 every_quarter, 每 每逢 每个 every each per, 经常 常常 时常 不时 often frequently regularly 时不时 老是 老 动不动 a_lot, 通常 一般 平时 usually normally typically generally, 偶尔 有时 有时候 occasionally sometimes, 很少 rarely seldom, 不断 持续 一直 不停 不停地 总是 continuously constantly always
""",
    "spot": """
公司 单位 办公室 办公楼 office workplace company 单位里, 家 家里 屋企 home_place home, 学校 school, 储物柜 快递柜 丰巢 locker parcel_locker, 驿站 菜鸟驿站 快递站 pickup_point pickup_station parcel_station, 门口 家门口 front_door doorstep door, 前台 reception front_desk, 仓库 warehouse, 阳台 balcony, 厨房 kitchen, 车库 garage, 花店 flower_shop, 书店 bookstore bookshop, 超市 supermarket, 咖啡店 咖啡馆 cafe coffee_shop, 工厂 factory
""",
    "general": """
提案 proposal, 报价 quote_price quotation, 样品 sample, 石膏 cast plaster_cast, 进度 progress, 订金 down_payment, 尾款 final_payment balance_due, 课程表 timetable, 座机 landline, 夜灯 night_light, 花盆 flower_pot, 窗帘 curtain curtains, 地毯 carpet rug, 枕头 pillow, 被子 quilt duvet, 毛巾 towel, 水杯 water_bottle, 背包 书包 双肩包 backpack schoolbag, 钱包 钱夹 wallet purse, 手链 bracelet, 项链 necklace, 婴儿车 stroller pram, 尿不湿 纸尿裤 diapers nappies, 奶粉 baby_formula formula_milk, 玩具 toy toys, 蜡烛 candle, 家教课 tutoring, 网课 在线课程 online_course online_class online_courses, 冷 寒冷 cold cold_weather, 热 炎热 hot hot_weather, 打雷 雷声 thunder, 黑暗 darkness, 打针 针头 needles injections, 噪音 吵闹 noise loud_noise, 人多 拥挤 crowds crowded_places,
母语 native_language mother_tongue first_language native_tongue, 班会 class_meeting, 家访 home_visit, 家长会 parent-teacher_conference parent-teacher_meeting parent-teacher_night parents_evening, 不及格 挂科 fail failed flunked flunk, 专票 special_vat_invoice, 普票 ordinary_invoice, 负责人 assigned_to person_in_charge handled_by, 产品 商品 product item goods, 序列号 serial_number, 折扣 优惠 discount, 取件码 pickup_code, 会员日 member_day, 存放 stored, 停车 parked, 惯用手 dominant_hand, 三楼 third_floor, 二楼 second_floor, 四楼 fourth_floor, 五楼 fifth_floor,
充电线 数据线 charging_cable charger_cable usb_cable, 闹钟 alarm alarm_clock, 自动续费 自动续订 自动续期 自动扣费 auto-renewal auto_renewal automatic_renewal autorenewal auto-renew, 会议室 meeting_room, 说明书 instruction_manual, 配件 零件 accessory spare_part part_item, 发票联 收据 小票 receipt, 积分 points loyalty_points, 技术部 技术部门 技术团队 技术组 tech_team technical_team technical_department tech_department technical_support_team, 财务部 finance_department finance_team, 几何 geometry, 分数题 fraction, 代数 algebra, 微积分 高数 高等数学 calculus, 语法 grammar, 听力 listening_comprehension, 口语 spoken_language, 发音 pronunciation, 词汇 单词 vocabulary, 作文 写作文 composition, 屏幕 显示屏 screen display_screen, 电池 battery batteries, 按键 按钮 button, 拉链 zipper, 颜色不对 wrong_color, 通知栏 notice, 深夜勿扰 do_not_disturb, 双人床 double_bed, 单人床 single_bed, 吸烟房 smoking_room, 无烟房 non-smoking_room nonsmoking_room, 阁楼 attic, 地下室 basement, 一楼 ground_floor, 顶楼 top_floor,
可能 也许 或许 大概率 maybe might may possibly perhaps probably, 改善 改进 improve, 换乘 换洗 交换 transfer, 不同 不一样 different, 不错 good, 不少 许多 很多 many, 不锈钢 stainless_steel, 不久 soon, 几近 almost, 对不起 不好意思 sorry, 不幸 unfortunately, 不得了 了不起 great, 不动产 real_estate, 不限 unlimited, 没收 confiscate, 沉没 淹没 sink, 别人 别的 别处 others other, 无线 wireless, 无糖 sugar-free, 无花果 fig, 无锡 wuxi, 类别 kind, 性别 gender, 男 男性 male man, 女 女性 female woman, 未来 future, 不丹 bhutan, 酒店 宾馆 hotel, 市中心 市区 downtown city_center city_centre, 郊区 suburb suburbs, 乡下 农村 countryside, 颜色 color colour, 周年 anniversary_year, 生意 business, 学费贷款 student_loan, 优先级 priority, 登录 登陆 login log_in logging_in, 闪退 崩溃 crash crashes crashing, 问题 problem issue, 英文名 english_name, 中文名 chinese_name, 证件 identity_document, 门禁 access_code, 密码锁 smart_lock, 钥匙 key keys, 行李 luggage baggage, 行李箱 suitcase, 雨伞 umbrella, 书 book_item books, 手册 manual_book, 应用 软件 app application, 网站 website, 视频 video, 照片 photo picture, 图表 chart graph, 表格 table_sheet, 要点 列表 bullet_points bullet_point bullets, 表情 表情符号 emoji emojis, 代码 code, 例子 示例 举例 example examples, 步骤 steps, 一步一步 逐步 step-by-step, 结论先行 先给结论 conclusion_first answer_first, 称谓 honorific, 隐私 privacy private, 数据 data, 个性化 personalized personalised personalization personalisation, 分享 共享 share sharing, 定位 位置 location, 训练 model_training, 问卷 survey, 回访 回访电话 电话回访 follow-up_call phone_follow-up follow_up_calls, 客户经理 account_manager, 投诉 complain complained complaint complaints, 差评 negative_review bad_review, 好评 positive_review good_review, 评价 review reviews, 质保 保修 warranty, 保修期 warranty_period, 物业 property_management, 小区 compound_residence, 电梯 elevator lift, 停车位 车位 parking parking_space, 宽带 网络 broadband internet, 水电 utilities, 独立 independent, 合作 cooperate, 团队 team, 部门 department, 总部 headquarters, 分公司 branch_office, 加薪 raise_salary pay_rise, 年假 annual_leave, 病假 sick_leave, 产假 maternity_leave, 试用期 probation, 大学室友 college_roommate, 生日派对 birthday_party, 婚期 wedding_date, 蜜月 honeymoon, 装修 renovation renovating renovate, 买房 房产 home_purchase buying_a_house house_purchase, 视频会员 video_membership, 音乐会员 music_membership, 音乐流媒体 music_streaming, membership_card, 健身卡 gym_membership gym_card, 月卡 monthly_pass, 年卡 annual_pass, 月票 monthly_ticket, 图书证 library_card, 学生证 student_id student_card, 社保卡 医保卡 medical_insurance_card, 驾龄 years_of_driving, 老板娘 shop_owner_wife, 股票 stock stocks shares, 基金 fund funds, 比特币 bitcoin, 信用分 credit_score, 税 tax, 贷款额 loan_amount, 存款 savings, 快闪店 popup_store, 旧款 old_model, 新款 new_model, 二手 second-hand secondhand used_item, 全新 brand-new
""",
}
"""Topic → concepts, separated by commas. The name of a concept is its first English spelling."""

PLACES = """
china 中国 china
japan 日本 japan
korea 韩国 korea south_korea
northkorea 朝鲜 north_korea
usa 美国 usa america united_states us_country the_us the_states
britain 英国 britain uk united_kingdom great_britain
england 英格兰 england
scotland 苏格兰 scotland
ireland 爱尔兰 ireland
france 法国 france
germany 德国 germany
italy 意大利 italy
spain 西班牙 spain
portugal 葡萄牙 portugal
netherlands 荷兰 netherlands holland
belgium 比利时 belgium
switzerland 瑞士 switzerland
austria 奥地利 austria
sweden 瑞典 sweden
norway 挪威 norway
denmark 丹麦 denmark
finland 芬兰 finland
iceland 冰岛 iceland
poland 波兰 poland
russia 俄罗斯 俄国 russia
ukraine 乌克兰 ukraine
greece 希腊 greece
turkey 土耳其 turkey
egypt 埃及 egypt
southafrica 南非 south_africa
kenya 肯尼亚 kenya
morocco 摩洛哥 morocco
canada 加拿大 canada
mexico 墨西哥 mexico
brazil 巴西 brazil
argentina 阿根廷 argentina
chile 智利 chile
peru 秘鲁 peru
australia 澳大利亚 澳洲 australia
newzealand 新西兰 纽西兰 new_zealand
singapore 新加坡 singapore
thailand 泰国 thailand
vietnam 越南 vietnam
malaysia 马来西亚 malaysia
indonesia 印尼 印度尼西亚 indonesia
philippines 菲律宾 philippines
india 印度 india
nepal 尼泊尔 nepal
maldives 马尔代夫 maldives
uae 阿联酋 uae united_arab_emirates
saudi 沙特 saudi_arabia
israel 以色列 israel
iran 伊朗 iran
europe 欧洲 europe
africa 非洲 africa
asia 亚洲 asia
southeastasia 东南亚 southeast_asia
taiwan 台湾 taiwan
beijing 北京 北京市 beijing
shanghai 上海 上海市 shanghai
guangzhou 广州 广州市 guangzhou
shenzhen 深圳 深圳市 shenzhen
hangzhou 杭州 杭州市 hangzhou
nanjing 南京 南京市 nanjing
suzhou 苏州 苏州市 suzhou
chengdu 成都 成都市 chengdu
chongqing 重庆 重庆市 chongqing
wuhan 武汉 武汉市 wuhan
xian 西安 西安市 xi'an xian
tianjin 天津 天津市 tianjin
qingdao 青岛 青岛市 qingdao
xiamen 厦门 厦门市 xiamen
changsha 长沙 长沙市 changsha
kunming 昆明 昆明市 kunming
dalian 大连 大连市 dalian
shenyang 沈阳 沈阳市 shenyang
harbin 哈尔滨 哈尔滨市 harbin
changchun 长春 长春市 changchun
jinan 济南 济南市 jinan
zhengzhou 郑州 郑州市 zhengzhou
hefei 合肥 合肥市 hefei
fuzhou 福州 福州市 fuzhou
nanchang 南昌 南昌市 nanchang
nanning 南宁 南宁市 nanning
guiyang 贵阳 贵阳市 guiyang
lanzhou 兰州 兰州市 lanzhou
taiyuan 太原 太原市 taiyuan
shijiazhuang 石家庄 石家庄市 shijiazhuang
urumqi 乌鲁木齐 urumqi
lhasa 拉萨 拉萨市 lhasa
hohhot 呼和浩特 hohhot
yinchuan 银川 yinchuan
xining 西宁 xining
haikou 海口 海口市 haikou
sanya 三亚 三亚市 sanya
ningbo 宁波 宁波市 ningbo
wenzhou 温州 温州市 wenzhou
shaoxing 绍兴 绍兴市 shaoxing
jiaxing 嘉兴 嘉兴市 jiaxing
changzhou 常州 常州市 changzhou
nantong 南通 南通市 nantong
yangzhou 扬州 扬州市 yangzhou
xuzhou 徐州 徐州市 xuzhou
zhuhai 珠海 珠海市 zhuhai
dongguan 东莞 东莞市 dongguan
foshan 佛山 佛山市 foshan
zhongshan 中山市 zhongshan
shantou 汕头 汕头市 shantou
quanzhou 泉州 泉州市 quanzhou
guilin 桂林 桂林市 guilin
lijiang 丽江 丽江市 lijiang
dali 大理 大理市 dali
yantai 烟台 烟台市 yantai
weihai 威海 威海市 weihai
luoyang 洛阳 洛阳市 luoyang
yunnan 云南 云南省 yunnan
sichuan 四川 四川省 sichuan
guangdong 广东 广东省 guangdong
guangxi 广西 guangxi
hunan 湖南 湖南省 hunan
hubei 湖北 湖北省 hubei
henan 河南 河南省 henan
hebei 河北 河北省 hebei
shandong 山东 山东省 shandong
jiangsu 江苏 江苏省 jiangsu
zhejiang 浙江 浙江省 zhejiang
fujian 福建 福建省 fujian
hainan 海南 海南省 hainan
xinjiang 新疆 xinjiang
tibet 西藏 tibet
innermongolia 内蒙古 inner_mongolia
liaoning 辽宁 辽宁省 liaoning
heilongjiang 黑龙江 黑龙江省 heilongjiang
guizhou 贵州 贵州省 guizhou
anhui 安徽 安徽省 anhui
jiangxi 江西 江西省 jiangxi
gansu 甘肃 甘肃省 gansu
hongkong 香港 hong_kong
kowloon 九龙 kowloon
shamshuipo 深水埗 sham_shui_po
central 中环 central_hong_kong
admiralty 金钟 admiralty
wanchai 湾仔 wan_chai wanchai
kwuntong 观塘 kwun_tong
mongkok 旺角 mong_kok mongkok
shatin 沙田 sha_tin
tsuenwan 荃湾 tsuen_wan
tuenmun 屯门 tuen_mun
yuenlong 元朗 yuen_long
causewaybay 铜锣湾 causeway_bay
tsimshatsui 尖沙咀 tsim_sha_tsui
macau 澳门 macau macao
taipei 台北 台北市 taipei
newtaipei 新北 新北市 new_taipei
taichung 台中 台中市 taichung
tainan 台南 台南市 tainan
kaohsiung 高雄 高雄市 kaohsiung
hsinchu 新竹 新竹市 hsinchu
taoyuan 桃园 桃园市 taoyuan
hualien 花莲 hualien
tokyo 东京 tokyo
osaka 大阪 osaka
kyoto 京都 kyoto
nagoya 名古屋 nagoya
hokkaido 北海道 hokkaido
okinawa 冲绳 okinawa
seoul 首尔 seoul
busan 釜山 busan
jeju 济州岛 jeju
bangkok 曼谷 bangkok
chiangmai 清迈 chiang_mai
phuket 普吉岛 普吉 phuket
bali 巴厘岛 bali
kualalumpur 吉隆坡 kuala_lumpur
penang 槟城 penang
jakarta 雅加达 jakarta
manila 马尼拉 manila
hanoi 河内 hanoi
hochiminh 胡志明市 ho_chi_minh_city saigon
mumbai 孟买 mumbai
delhi 德里 新德里 delhi new_delhi
bangalore 班加罗尔 bangalore bengaluru
dubai 迪拜 dubai
istanbul 伊斯坦布尔 istanbul
london 伦敦 london
manchester 曼彻斯特 manchester
edinburgh 爱丁堡 edinburgh
birmingham 伯明翰 birmingham
oxford 牛津 oxford
cambridge 剑桥 cambridge
dublin 都柏林 dublin
paris 巴黎 paris
lyon 里昂 lyon
marseille 马赛 marseille
nice 尼斯 nice_france
berlin 柏林 berlin
munich 慕尼黑 munich
hamburg 汉堡市 hamburg
frankfurt 法兰克福 frankfurt
cologne 科隆 cologne
rome 罗马 rome
milan 米兰 milan
venice 威尼斯 venice
florence 佛罗伦萨 florence
madrid 马德里 madrid
barcelona 巴塞罗那 barcelona
lisbon 里斯本 lisbon
amsterdam 阿姆斯特丹 amsterdam
brussels 布鲁塞尔 brussels
zurich 苏黎世 zurich
geneva 日内瓦 geneva
vienna 维也纳 vienna
prague 布拉格 prague
budapest 布达佩斯 budapest
warsaw 华沙 warsaw
stockholm 斯德哥尔摩 stockholm
oslo 奥斯陆 oslo
copenhagen 哥本哈根 copenhagen
helsinki 赫尔辛基 helsinki
moscow 莫斯科 moscow
athens 雅典 athens
cairo 开罗 cairo
newyork 纽约 纽约市 new_york new_york_city nyc
losangeles 洛杉矶 los_angeles
sanfrancisco 旧金山 三藩市 san_francisco
seattle 西雅图 seattle
denver 丹佛 denver
chicago 芝加哥 chicago
boston 波士顿 boston
austin 奥斯汀 austin
houston 休斯顿 houston
dallas 达拉斯 dallas
miami 迈阿密 miami
atlanta 亚特兰大 atlanta
philadelphia 费城 philadelphia
washington 华盛顿 washington washington_dc
portland 波特兰 portland
phoenix 凤凰城 phoenix
detroit 底特律 detroit
lasvegas 拉斯维加斯 las_vegas
sandiego 圣地亚哥 san_diego
sanjose 圣何塞 san_jose
nashville 纳什维尔 nashville
minneapolis 明尼阿波利斯 minneapolis
hawaii 夏威夷 hawaii
california 加州 加利福尼亚 california
texas 德州 得克萨斯 texas
florida 佛罗里达 florida
toronto 多伦多 toronto
vancouver 温哥华 vancouver
montreal 蒙特利尔 montreal
ottawa 渥太华 ottawa
calgary 卡尔加里 calgary
sydney 悉尼 雪梨 sydney
melbourne 墨尔本 melbourne
brisbane 布里斯班 brisbane
perth 珀斯 perth
auckland 奥克兰 auckland
mexicocity 墨西哥城 mexico_city
saopaulo 圣保罗 sao_paulo
buenosaires 布宜诺斯艾利斯 buenos_aires
pudong 浦东 浦东新区 pudong
haidian 海淀 海淀区 haidian
"""

SURNAMES = """
王 wang wong, 李 li lee, 张 zhang cheung chang, 刘 liu lau, 陈 chen chan, 杨 yang, 黄 huang wong, 赵 zhao, 吴 wu ng, 周 zhou chow chou, 徐 xu, 孙 sun, 马 ma, 朱 zhu, 胡 hu, 郭 guo kwok, 何 he ho, 林 lin lam, 高 gao, 梁 liang leung, 郑 zheng cheng, 罗 luo, 宋 song, 谢 xie tse, 唐 tang, 韩 han, 曹 cao, 许 xu hsu, 邓 deng, 冯 feng fung, 萧 xiao, 程 cheng, 曾 zeng tsang, 彭 peng, 吕 lv lu, 苏 su, 卢 lu, 蒋 jiang, 蔡 cai tsai choi, 贾 jia, 丁 ding, 魏 wei, 薛 xue, 叶 ye yip, 阎 yan, 余 yu, 潘 pan, 杜 du, 戴 dai, 夏 xia, 钟 zhong, 汪 wang, 田 tian, 任 ren, 姜 jiang, 范 fan, 方 fang, 石 shi, 姚 yao, 谭 tan, 廖 liao, 邹 zou, 熊 xiong, 金 jin kim, 陆 lu, 郝 hao, 孔 kong, 白 bai, 崔 cui, 康 kang, 毛 mao, 邱 qiu, 秦 qin, 江 jiang, 史 shi, 顾 gu, 侯 hou, 邵 shao, 孟 meng, 龙 long, 万 wan, 段 duan, 雷 lei, 钱 qian, 汤 tang, 尹 yin, 黎 li lai, 易 yi, 常 chang, 武 wu, 乔 qiao, 贺 he, 赖 lai, 龚 gong, 文 wen, 沈 shen, 章 zhang, 鲁 lu, 葛 ge, 施 shi, 柳 liu, 袁 yuan, 傅 fu, 严 yan, 俞 yu, 莫 mo
"""
"""Common surnames and how they are written in Latin letters; a Latin one may stand for several."""
