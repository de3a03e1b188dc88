"""Closed classes: people, fillers, denial, change, predicates, times. Pure data; see the package for the format."""

from __future__ import annotations

GRAMMAR: dict[str, str] = {
    # who is spoken of; the user is the default and is dropped. After a dot: what one language does not tell apart
    "person": """
mother 妈妈 母亲 老妈 妈 我妈 妈咪 老母 mother mom mum mommy mummy
father 爸爸 父亲 老爸 爸 爹 老豆 father dad daddy
parents 父母 爸妈 爹妈 双亲 爸爸妈妈 parents
son 儿子 犬子 son
son-elder 大儿子 长子 eldest_son older_son elder_son oldest_son
son-younger 小儿子 次子 二儿子 younger_son youngest_son
daughter 女儿 闺女 千金 daughter
daughter-elder 大女儿 长女 eldest_daughter older_daughter elder_daughter oldest_daughter
daughter-younger 小女儿 次女 二女儿 younger_daughter youngest_daughter
child 细路 细路仔 孩子 小孩 宝宝 娃 娃娃 小朋友 子女 仔女 child children kid baby toddler
partner.wife 妻子 老婆 太太 媳妇 爱人 wife
partner.husband 丈夫 老公 先生 husband
partner 伴侣 对象 partner spouse significant_other
boyfriend 男朋友 男友 boyfriend
girlfriend 女朋友 女友 girlfriend
fiance 未婚夫 未婚妻 fiance fiancee fiancé fiancée
ex 前任 前夫 前妻 前男友 前女友 ex ex-husband ex-wife
sibling 兄弟姐妹 兄弟姊妹 sibling
sister 姐妹 姊妹 sister
sister.elder 姐姐 姐 大姐 家姐 older_sister elder_sister big_sister eldest_sister
sister.younger 妹妹 妹 小妹 younger_sister little_sister kid_sister
brother 兄弟 brother
brother.elder 哥哥 哥 大哥 older_brother elder_brother big_brother eldest_brother
brother.younger 弟弟 弟 小弟 younger_brother little_brother kid_brother
grandmother grandmother grandma granny
grandmother.paternal 奶奶 祖母 嫲嫲 paternal_grandmother
grandmother.maternal 外婆 姥姥 外祖母 婆婆 maternal_grandmother
grandfather grandfather grandpa granddad
grandfather.paternal 爷爷 祖父 paternal_grandfather
grandfather.maternal 外公 姥爷 外祖父 maternal_grandfather
grandparents grandparents
grandparents.maternal 外公外婆 姥姥姥爷
grandparents.paternal 爷爷奶奶
grandson grandson
grandson.paternal 孙子
grandson.maternal 外孙
granddaughter granddaughter
granddaughter.paternal 孙女
granddaughter.maternal 外孙女
grandchild grandchild grandchildren grandkid
brotherinlaw brother-in-law
brotherinlaw.sister 姐夫 妹夫
brotherinlaw.wife 小舅子 大舅子
sisterinlaw sister-in-law
sisterinlaw.brother 嫂子 弟媳 弟妹
sisterinlaw.wife 小姨子
motherinlaw mother-in-law
motherinlaw.wife 岳母 丈母娘
fatherinlaw father-in-law
fatherinlaw.wife 岳父 老丈人
fatherinlaw.husband 公公
soninlaw 女婿 son-in-law
daughterinlaw 儿媳 儿媳妇 daughter-in-law
uncle uncle
uncle.father 叔叔 伯伯 叔父 伯父
uncle.mother 舅舅 舅父
uncle.law 姑父 姨父 姑丈 姨丈
aunt aunt auntie
aunt.father 姑姑 姑妈
aunt.mother 姨妈 阿姨 小姨
aunt.law 舅妈 婶婶 伯母
cousin cousin
cousin.male 表哥 表弟 堂哥 堂弟
cousin.female 表姐 表妹 堂姐 堂妹
nephew nephew
nephew.brother 侄子
nephew.sister 外甥
niece niece
niece.brother 侄女
niece.sister 外甥女
family 家人 亲戚 亲人 family relative
landlord 房东 landlord landlady
tenant 租客 房客 tenant
assistant 助理 秘书 secretary
friend 朋友 好友 friend buddy
bestfriend 闺蜜 最好的朋友 死党 best_friend bff
colleague 同事 colleague coworker co-worker workmate
boss 老板 上司 领导 boss supervisor line_manager
roommate 室友 舍友 roommate flatmate housemate
classmate 同学 classmate schoolmate
deskmate 同桌 deskmate
neighbour 邻居 neighbour neighbor
teacher 老师 导师 家教 教师 teacher tutor instructor
coach 教练 coach trainer personal_trainer
nanny 保姆 月嫂 nanny babysitter
cleaner 保洁 钟点工 cleaner housekeeper
partnerb 合伙人 business_partner cofounder co-founder
customer2 甲方 client_company
godmother 干妈 godmother
godfather 干爹 godfather
twin 双胞胎 twin
""",
    "user": """
user 用户 使用者 客户 顾客 买家 用家 客人 本人 我 我们 user customer client i me my our we
""",
    "beside": """
with 和 跟 与 同 陪 带 with together_with along_with
for 给 帮 替 为了 for
""",
    # no meaning of their own
    "filler": """
the 自己 他 她 它 其 该 您 你 佢 他们 她们 he she they them him his her hers their theirs its it us your you himself herself themself
agent 客服 商家 卖家 店家 平台 助手 agent by_the_agent by_agent support seller shop store assistant
copula 是 为 系 is are was were be been being am
be 的 了 吗 呢 吧 啊 呀 地 得 着 之 嘅 紧 咗 啦 喇 a an the do does did doing own_a
at 在 于 对 对于 关于 由 向 以 位于 里 内 通过 喺 to of in on at as into about regarding concerning in_the_city_of
that 这 那 这个 那个 这些 那些 有关 某 that this these those there which who whose when where
also 必须 不得不 不能不 must 也 只 就 都 还 又 再 又一次 很 非常 特别 十分 比较 挺 最 更 真 太 超 有点 一点 一下 一些 及 以及 等 正 正在 中 将 把 让 使 并 并且 而且 可 会 能 可以 能够 应该 应 过 上 性 能不能 仅 仅仅 满 刚满 刚好 大概 左右 大约 约 差不多 尽量 尽可能 务必 一律 统一 都要 全部 均 全 几乎 整体 总体 基本 基本上 主要 是个 是名 是位 是一个 是一名 是一位 一名 一位 一只 一条 一部 一辆 一台 一种 一款 一份 一对 默认 by_default 一家 一所 一件 一双 一直都 本来 一向 向来 本身 目前为止 so too again very really quite also just still or can could able will would shall should please both quite pretty rather_a approximately roughly around about_to always_been only currently_in entirely fully completely totally particularly_fond themselves personally
say turns_out turned_out 说 表示 提到 告诉 称 说是 据说 认为 觉得 说过 透露 显示 检查结果 结果显示 证实 反馈 反映 说道 讲过 明确表示 强调 确认 提及 告知 表明 说明了 say says said tell tells told mention mentioned state stated think thinks thought confirm confirmed report_that reported_that note noted explained indicate indicated according_to
amount 金额 数额 号码 编号 单号 号 日期 时间 定 定在 定于 方式 情况 时候 数量 身体 饮食 平常 习惯 习惯于 日常 生活 期间 部分 方面 内容 东西 状态 结果 一事 相关 amount number date time total way method person follow diet style 风格 status current_status people thing regular_basis 面额 面值 face_value
bound 以内 不超过 最多 至多 上限 上限是 上限为 封顶 不高于 控制在 之内 以下 顶多 at_most up_to no_more_than capped_at capped maximum upper_limit below under less_than within within_a
yet yet ever anyway actually_is
whether 无论 不管 不论 哪怕 即使 不仅 不但 不只 不光 不止 不料 不妨 不愧 不由得 不禁 不惜 说不定 要不 是不是 要不要 有没有 会不会 可不可以 想不想 没错 没事 没关系 没准 not_only no_problem
keep-up 执行 坚持 采用 遵循 实行 保持 处于 属于 进行 followed follows maintain maintains practise practice practices observe observes
up up
occur happens happen takes_place take_place took_place is_held are_held
""",
    # the sentence turns
    "turn": """
but 但 但是 不过 然而 可是 而 只是 but however though although whereas while
rather 而不是 而非 rather_than instead_of over_a as_opposed_to
and 而是 and
because 因为 由于 所以 因此 because since_they so_that therefore
""",
    "not": """
not 不 没 没有 不是 并非 并不 从不 从未 从没 从来不 从来没 从来没有 尚未 还未 还没 还没有 未曾 无 无法 无需 不用 不必 未 勿 请勿 别 请别 别再 不太 不怎么 不能 不可以 不可 不得 唔 冇 唔系 未能 毫不 绝不 决不 根本不 一点不 完全不 not no never without none neither nor hardly_ever don't avoid avoids avoiding can_not unable isn't
""",
    # a change is announced
    "now": """
now 现在 目前 如今 眼下 开始 以后 今后 从现在起 从今以后 之后 往后 而家 当前 现 现时 新 最新 改天 from_now_on now currently nowadays these_days start started begin began new newly going_forward as_of_now at_present presently at_the_moment from_here_on
already 已经 已 终于 刚 刚刚 最近 近来 近期 刚才 already recently lately just_now 已然 已 早已 早就
""",
    "change": """
change 换号 换号了 换手机号 换号码 换了号码 改 改到 改在 改要 改选 改考 改学 改喝水 改坐 改走 改约 改约到 改住 改请 改买 改派 改口 修改 更改 变更 改期 改期到 改签 改签到 改订 换 换到 换了 换个 更换 更换到 更新 推迟 推迟到 延后 延后到 押后 延期 延期到 延长 延长到 推迟至 延期至 延长至 提前 提前到 提早 提早到 推后 推到 挪到 挪 调到 调整 调整了 调 升级 降级 涨 改主意 改变主意 改变了主意 加到 减到 升 降 压到 缩减到 缩到 砍到 上调到 下调到 上调 下调 放宽到 增至 降至 升至 减至 提高 降低 提升到 提升 降低到 缩短到 缩短 转 转到 转去 转用 转投 重新安排 更正到 变了 变 有变 有变化 change changed switch switched reschedule rescheduled postpone postponed push_back pushed_back pushed bring_forward brought_forward moved_up moved_forward extend extended upgrade upgraded downgrade downgraded update updated replace replaced swap swapped instead changed_mind changed_their_mind changed_his_mind changed_her_mind changed_my_mind raised raise increased increase lowered lower reduced reduce cut bumped bump trimmed delayed_to adjusted adjust modified modify revised revise renamed rename transferred_to traded_in traded trade_in trade went_back go_back converted dropped_to went_from gone_from went_up went_up_to went_down went_down_to gone_up gone_down rose_to rebooked rebook traded_up transferred_from transferred 改动 变动 变更了 更改了 调换 调整到了 转学 转学到 转专业 转专业到 转院 转院到 转会 转会到 改道 改签了 改期了 延误到 换新 换新了 renewed renew 续约 续约到 续签 续签到 changed_over swapped_out moved_to_a_later moved_over switched_over went_over rose fell climbed grew grown shrank swap_out
become 改为 改成 改用 改吃 改喝 改做 改叫 换成 换为 换用 变成 变为 更新为 更新成 调整为 调整到 调整成 升级为 升级到 升级成 升为 升到 降到 降为 降级为 降级到 涨到 增加到 增加至 提高到 提高至 减少到 减少至 转为 转成 改回 换回 改至 延至 改名 改名为 改名叫 替换为 替换成 更换为 更换成 变更为 变更成 修改为 修改成 更改为 更改成 changed_to switched_to updated_to upgraded_to downgraded_to replaced_by replaced_with raised_to increased_to lowered_to become became becomes turned_into converted_to renamed_to
move 搬 搬到 搬去 搬家 搬家到 搬往 搬至 搬进 搬入 搬来 搬咗去 搬咗 搬回 迁到 迁往 迁至 迁居 移居 移居到 移民 move moved relocate relocated moved_back moved_house moved_in moving_to
recareer 转行 转行做 转行当 改行 改行做 改行当 转做 转岗 career_change changed_careers switched_careers retrained
hop 跳槽 跳槽到 跳槽去 入职 入职了 转职 转职到 hired_by joined got_a_new_job changed_jobs switched_jobs
""",
    "correct": """
correct 应为 应该是 更正 更正为 更正成 纠正 纠正为 其实 其实是 实际上 实际上是 实际 实际是 写错 说错 弄错 搞错 记错 填错 写错了 说错了 弄错了 搞错了 记错了 填错了 打错 打错了 少写 多写 误写 订正 correct corrected correction actually mistake mistaken typo wrong should_be misspoke mistyped in_fact not_correct mixed_up
""",
    "end": """
cancel 取消 取消了 撤销 撤回 撤回了 作废 撤单 退掉 退掉了 退了 注销 注销了 终止 解约 解除 退订了票 废除 cancel cancelled canceled call_off called_off withdrew withdraw withdrawn revoke revoked terminated terminate scrapped fell_through
stop 不再 再也不 已经不 停止 停止了 停掉 停了 放弃 放弃了 退订 退订了 戒 戒掉 戒了 退出 退出了 退群 不干 打消 结束 结束了 中止 关掉 停更 断了 唔再 no_longer stop stopped quit quits gave_up give_up given_up unsubscribe unsubscribed pulled_out_of backed_out_of opt_out opted_out opting_out cease ceased discontinued drop_out dropped dropped_out ended end finished_with done_with abandoned abandon 戒除 不玩了 不做了 不用了 不去了 不学了 不养了 不打了 不练了 不干了 停练 停课 中断 没再 没有再 kicked_the kicked quitting
anymore any_more anymore any_longer
part 拆了 拆掉 拆除 拆下 取下 取下来 卸下 卸掉 脱掉 came_off comes_off taken_off removed 卖 卖掉 卖了 卖出 扔掉 扔了 送人 送走 送给别人 丢掉 摘了 摘掉 摘下 转让 转卖 转手 离开 离开了 死 死了 过世 去世 去世了 走丢 报废 sell sold threw_away gave_away left leave got_rid_of give_away got_rid passed_away died donated
resign 离职 离职了 辞职 辞职了 辞去 辞掉 辞了 被裁 被裁员 被裁了 被辞退 被开除 炒鱿鱼 裸辞 resign resigned left_the_company left_the_job left_their_job left_his_job left_her_job laid_off fired got_fired got_laid_off lost_the_job lost_their_job lost_his_job lost_her_job quit_the_job quit_their_job quit_his_job quit_her_job
repay 还清 还清了 结清贷款 还掉 还掉了 paid_off pay_off 还完 还完了 paid_back repaid pay_back
heal 康复 康复了 痊愈 痊愈了 恢复 好了 治好 治好了 消失 recover recovered heal healed cured cure tests_were_negative test_was_negative was_a_mistake was_mistaken outgrew outgrown grew_out_of cleared_up went_away is_gone fine_now misdiagnosed misdiagnosis
""",
    # predicates
    "predicate": """
called 叫 叫做 名叫 名为 名字 名字叫 名字是 姓名 名称 全名 大名 真名 名字系 取名 取名叫 起名 起名叫 唤作 name named call called full_name real_name go_by_the_name goes_by_the_name
surname 姓 姓氏 surname last_name family_name
callme 称呼 称呼为 称为 昵称 小名 外号 绰号 被称呼为 被叫做 叫我 call_me address_as addressed_as nickname nicknamed goes_by go_by known_as
home 住 住在 居住 居住在 定居 定居在 定居于 家在 家住 家住在 常住 常住在 现居 现居于 居于 住址在 长居 喺度住 安家 live lives living lived reside resides residing based_in settled_in
origin 来自 老家 家乡 籍贯 故乡 祖籍 出身 hometown come_from comes_from native_of originally_from grew_up_in is_from from_originally home_town
job 职业 做的是 行业 profession occupation job career
serve 从事 担任 当 做 任职为 出任 work_as works_as working_as serves_as serve_as employed_as
work 工作 上班 返工 供职 打工 干活 办公 work works working worked
employ 就职 就职于 工作单位 所在单位 任职 任职于 供职于 加入 受雇于 受雇 效力于 employ employed employed_by employer join work_at work_for works_at works_for working_at working_for 任教于 效力 在职于 work_in works_in working_in has_a_job_at has_a_job_with
birthday 生日 出生 出生于 生于 出生日期 诞生 birthday born date_of_birth birth_date birthdate dob
allergy 过敏 过敏史 过敏源 过敏原 敏感 allergic allergy allergies
intolerant 不耐受 不耐 耐受不了 intolerant intolerance
fear 害怕 怕 scare 恐惧 畏惧 惧怕 恐 惊 afraid scared fear fears phobia terrifies terrified terrify frightened frightens scares phobic 受不了高 fearful_of afraid_of scared_of terrified_of frightened_of
like 喜欢 喜爱 爱 热爱 偏爱 偏好 喜好 爱好 钟爱 爱上 感兴趣 钟意 中意 迷上 最爱 热衷 热衷于 痴迷 沉迷 酷爱 欣赏 有兴趣 兴趣 like likes love loves enjoy prefer fond_of favorite favourite interested_in interest preference keen_on into_the fan_of big_fan_of hobby adore passionate_about crazy_about 喜爱着 情有独钟 钟情 钟情于 爱听 着迷 着迷于 痴迷于 偏向 更爱 更喜欢 最喜欢 enthusiast love_to big_on into_a fond_of keen_about lover_of likes_to enjoys enjoying hooked_on
eat 吃 喝 食用 饮用 食 饮 进食 摄入 eat ate eaten eating drink drank drunk drinking consume 食用 sip
want 想 想要 要 希望 期望 需要 需 要求 申请 选择 选 倾向 倾向于 决定 愿意 打算要 想收到 想用 请求 愿 乐意 必须要 想着 巴望 want wants would_like wish hope need require request requested choose chose chosen choice opt willing decide decided ask_for asked_for asked ask looking_for seek has_to have_to needs_to 盼望 盼着 希望能 渴望 请 更想 指定 prefer_that requests demanded demands insist insists
accept 接受 接收 同意 允许 准许 授权 许可 答应接收 愿意接收 愿意接受 愿意接听 愿意收 接听 收取 accept allow allowed agree agreed receive receiving consent consented permit opt_in opted_in opting_in 接到 收到来自 okay_with happy_with
plan 计划 打算 准备 预计 将要 将会 安排 筹备 拟 正打算 plan_to planning_to plans_to planned intend intends training_for 备战 going_to plan_on planning_on is_planning aim_to aims_to prepare scheduled_to considering 有意 考虑 想在 盘算 打算在 准备着 着手准备 in_preparation preparing_for prepares_for preparing gearing_up_for
promise 承诺 答应 保证 promise promised guarantee
pay 付 付了 支付 付费 付款 缴 缴纳 交费 pay paid_for pays paying cost costs
buy 买 买了 购买 购入 买过 入手 入手了 购置 买下 刚买 buy bought purchase purchased 购得 买入 新买 新买了 bought_a picked_up_a
own 有 拥有 患有 养 养了 有了 驾驶 开的是 开 办 办了 办理 办理了 持有 得了 患 患了 带有 家里有 家有 家中有 养着 做了 备有 have has had own keep drive drives drove driving ride rides rode riding suffer_from suffers_from diagnosed_with got owns 买了个 名下有 家里养了 家里养着 家养 家里养 手上有 手里有 possesses possess has_got
wear 戴着 绑着 裹着 缠着 贴着 穿 穿的 穿的是 戴 佩戴 穿着 wear wears wore worn wearing
play 打 玩 踢 弹 拉 弹奏 演奏 playing play plays played
use 用 使用 在用 用的 用着 用惯 搭载 use using uses used_by
go 去 前往 到 赴 飞 飞往 飞到 旅行 旅游 行程 游玩 出游 go goes going went fly flew flying_to travel visit head trip vacation holiday travelling traveling take_a_trip
visited 去过 到过 visited been_to went_to has_been_to
depart 出发 动身 起飞 离境 depart leave_from set_off
send 送货 配送 派送 送货到 送货去 派送到 寄 寄件 寄件到 寄到 寄往 寄出去 发往 送到 送往 邮寄 发 mail ship_to send sent send_to deliver_to
from 从 自 from
speak 讲 会说 会讲 能说 能讲 说得 懂 通晓 精通 掌握 流利 识讲 speak speaks spoke spoken speaking fluent fluently fluent_in conversational_in proficient_in 会说一口 能说一口
learn 在学 正在学 学习 学 自学 学着 上着 报了 learn learning learned learnt learns study studies studying studied take_lessons takes_lessons taking_lessons takes_classes taking_classes take_classes picking_up practising practicing lessons lesson 课 课程 上课 class classes 正在学习 在学习
study 考上 考入 读 在读 就读 就读于 就学 念 念书 读书 上学 在上 入读 修读 attend attends attending enrolled enrolled_in enroll major majoring majors studies_at study_at studying_at goes_to_school 攻读 修读 求学 念的是 读的是 主修 学的是 go_to_school pursuing pursue
submit 交 提交 上交 交稿 递交 交付 submit submitted hand_in turn_in handed_in turned_in
attend2 报名 报名了 报名参加 参加 出席 出席了 参与 take_part participate takes_part join_in
take 坐 搭 乘 乘坐 搭乘 考 报考 应考 备考 参加考试 sit take took taken taking sits
passed 完赛 跑完 finish finished 考过 考过了 考完 考完了 拿到 拿到了 考取 考到 pass passed obtained 写完 写完了 做完 做完了 读完 读完了 看完 看完了 学完 学完了 交完 考出 结业 结课 completed_the done_with_the
watch 看 观看 收看 追 watch watches watching watched
listen 听 收听 listen listens listening listen_to
cook 做饭 下厨 烹饪 煮饭 cook cooks cooking
subscribe 订阅 订阅了 订了会员 开通 开通了 关注 关注了 subscribe subscribed subscribes subscription subscriber signed_up_for sign_up_for
owe 欠 欠了 owe
lend 借给 借出 lend lent
borrow 借 借了 borrow borrowed
passive 被 by
rent 租 租了 租住 租住在 租房 租房住 出租屋 租着 rent rents renting rented
book 订 订了 book booked reserve reserved
put 放 放在 放到 leave_at drop_at put
remind 提醒 通知 remind reminder notify notification notifications alert alerts 告知一声
contact 联系 联络 联系方式 contact reach reached 联系到 get_in_touch get_in_touch_with
sleep 睡 睡觉 睡眠 sleep sleeps sleeping slept go_to_bed bedtime
getup 起床 早起床 起身 get_up wake_up wakes_up gets_up waking_up wake
take-medicine 吃药 服药 服用 takes_medication on_medication
miss 错过 落下 missed
live-with 同住 一起住 住一起 live_with lives_with living_with
support 支持 拥护 supports
wait 等待 等着 在等 等候 wait waits waiting waiting_for await awaits
help 帮助 帮忙 help helps
busy 忙 很忙 忙碌 忙着 busy
goodat 擅长 拿手 goodat
enabled 开启 enabled
expirydate 有效期 expirydate
return-home 回 回到 返回 back
run-business 经营 开店 创业 own_business self-employed runs_a_business
""",
    # these say "not" and their predicate at once
    "denied": """
enabled 停用 disabled
like 讨厌 反感 厌恶 痛恨 嫌弃 讨厌听 憎 dislike hate detest can_not_stand can't_stand despise loathe not_a_fan_of disgusted_by averse_to
eat 忌口 忌食 戒口 忌 refrain_from abstain_from abstains_from stay_away_from stays_away_from
accept 拒绝 拒收 拒接 不接受 屏蔽 谢绝 婉拒 禁止 refuse refuses refused decline reject block blocks opt_out_of opted_out_of opting_out_of opts_out_of
""",
    "when": """
ago 前 ago
after 晚于 after
before 之前 以前 原来 过去 曾经 曾 before previously used_to formerly once
lastyear 去年 旧年 last_year
thisyear 今年 this_year
nextyear 明年 next_year
lastmonth 上个月 上月 last_month
thismonth 这个月 本月 this_month
nextmonth 下个月 下月 next_month
lastweek 上周 上星期 上礼拜 last_week
thisweek 这周 本周 这星期 这个星期 this_week
nextweek 下周 下星期 下礼拜 next_week
yesterday 昨天 琴日 昨日 yesterday
today 今天 今日 today
tomorrow 明天 听日 明日 tomorrow
weekend 周末 礼拜末 weekend
weekday 工作日 平日 weekday
morning 早上 早晨 上午 清晨 一早 朝早 morning
noon 中午 午间 noon lunchtime midday
afternoon 下午 午后 下昼 afternoon
smallhours 凌晨 small_hours early_hours wee_hours
evening 晚上 夜里 夜晚 傍晚 夜间 晚间 今晚 evening night 深夜 半夜 nighttime at_night
spring 春天 春季 spring
summer 夏天 夏季 summer
autumn 秋天 秋季 autumn fall_season
winter 冬天 冬季 winter
newyear 新年 元旦 new_year
springfestival 春节 过年 农历新年 lunar_new_year chinese_new_year spring_festival
christmas 圣诞 圣诞节 christmas
nationalday 国庆 国庆节 十一假期 national_day
midautumn 中秋 中秋节 mid-autumn_festival
summerholiday 暑假 summer_holiday summer_vacation summer_break
winterholiday 寒假 winter_holiday winter_vacation winter_break
""",
}
