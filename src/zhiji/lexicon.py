"""Words that mean the same, in Chinese and English: the small table behind ``relation``.

One concept a line: its name, then its spellings; ``_`` joins the words of an English phrase, inflections are found by
stem. Only closed classes are listed (kin, attributes, states of an order, negation, change), and the few open ones that
people mix languages in (common cities, foods, pets). An unknown word stands for itself, which at worst keeps two
memories apart. Pure data; nothing here decides anything.
"""

from __future__ import annotations

Kind = str

TABLE: dict[Kind, str] = {
    # who is spoken of; the user is the default and is dropped
    "person": """
mother 妈妈 母亲 老妈 妈 我妈 mother mom mum
father 爸爸 父亲 老爸 爸 father dad
parents 父母 爸妈 爹妈 parents
son 儿子 son
daughter 女儿 闺女 daughter
child 孩子 小孩 宝宝 child children kid kids baby
wife 妻子 老婆 太太 媳妇 爱人 wife
husband 丈夫 老公 husband
partner 伴侣 对象 partner spouse
boyfriend 男朋友 男友 boyfriend
girlfriend 女朋友 女友 girlfriend
sister 姐姐 妹妹 姐 妹 姐妹 sister
brother 哥哥 弟弟 哥 弟 兄弟 brother
grandmother 奶奶 外婆 姥姥 祖母 grandmother grandma
grandfather 爷爷 外公 姥爷 祖父 grandfather grandpa
grandparents 外公外婆 爷爷奶奶 grandparents
grandchild 孙子 孙女 外孙 外孙女 grandson granddaughter grandchild
siblinginlaw 姐夫 妹夫 嫂子 弟媳 小舅子 brother-in-law sister-in-law
parentinlaw 公公 婆婆 岳父 岳母 mother-in-law father-in-law
uncle 叔叔 伯伯 舅舅 姑父 姨父 uncle
aunt 阿姨 姑姑 姨妈 舅妈 婶婶 aunt
cousin 表哥 表姐 表弟 表妹 堂哥 堂姐 堂弟 堂妹 cousin
nephew 侄子 侄女 外甥 外甥女 nephew niece
family 家人 亲戚 family relative
landlord 房东 landlord
assistant 助理 秘书 secretary
friend 朋友 闺蜜 好友 friend
colleague 同事 colleague coworker
boss 老板 上司 领导 boss
roommate 室友 舍友 roommate flatmate
classmate 同学 classmate
neighbour 邻居 neighbour neighbor
teacher 老师 导师 teacher tutor
""",
    "user": """
user 用户 使用者 客户 顾客 买家 本人 我 我们 user customer client i me my our we
""",
    "beside": """
with 和 跟 与 同 陪 带 with
for 给 帮 替 for
""",
    # no meaning of their own
    "filler": """
the 自己 他 她 它 其 该 您 你 he she they them his her their its it us
agent 客服 商家 卖家 店家 平台 助手 agent by_the_agent by_agent support seller shop store assistant
copula 是 为 is are was were be been being am
be 的 了 吗 呢 吧 啊 呀 地 得 着 之 a an the do does did done doing
at 在 于 对 对于 关于 由 向 以 位于 里 内 通过 to of in on at as into about within
that 这 那 这个 那个 这些 那些 有关 that this these those there which who
also 也 只 就 都 还 又 再 又一次 很 非常 特别 十分 比较 挺 最 更 真 太 超 有点 一点 一下 一些 及 以及 等 正 正在 中 将 把 让 使 并 并且 而且 可 会 能 可以 能够 应该 应 过 上 性 so too again very really quite also just still or can could able will would shall should please
say 说 表示 提到 告诉 称 说是 据说 认为 觉得 说过 透露 显示 检查结果 结果显示 证实 say says said tell tells told mention mentioned state stated think
amount 金额 数额 号码 编号 单号 号 日期 时间 定 定在 定于 方式 情况 时候 数量 amount number date time total way method person follow diet style 风格 饮食 order_number tracking_number
whether 无论 不管 不论 哪怕 即使 不仅 不但 不只 不光 不止 不料 不妨 不愧 不由得 不禁 不惜 说不定 要不 是不是 要不要 能不能 有没有 会不会 可不可以 想不想 没错 没事 没关系 没准 not_only no_problem
""",
    # the sentence turns
    "turn": """
but 但 但是 不过 然而 可是 而 but however
rather 而不是 而非 rather_than instead_of
and 而是 and
""",
    "not": """
not 不 没 没有 不是 并非 并不 从不 从未 从没 尚未 还未 还没 未曾 无 无法 无需 不用 不必 未 勿 请勿 别 请别 别再 不太 不怎么 not no never without none neither nor
""",
    # a change is announced
    "now": """
now 现在 目前 如今 眼下 开始 以后 今后 从现在起 from_now_on now currently nowadays these_days start begin
already 已经 已 刚 刚刚 最近 近来 already recently lately
""",
    "change": """
change 改 改到 改在 改要 改选 修改 更改 变更 改期 改签 改签到 改订 改口 换 换到 换了 更换 更新 推迟 推迟到 延后 延期 延期到 延长 提前 提前到 调整 调到 升级 降级 涨 改主意 改变主意 change changed switch switched reschedule postpone push_back pushed_back bring_forward extend upgrade downgrade update updated replace replaced swap swapped instead changed_mind changed_their_mind changed_his_mind changed_her_mind
become 改为 改成 改用 改吃 改喝 换成 换为 变成 变为 更新为 调整为 升级为 升级到 升为 升到 降到 降为 涨到 增加到 提高到 减少到 转为 转成 changed_to switched_to updated_to upgraded_to downgraded_to replaced_by replaced_with raised_to increased_to lowered_to
move 搬 搬到 搬去 搬家 搬家到 搬往 搬至 搬进 迁到 移居 move moved relocate relocated
recareer 转行 转行做 改行 改行做 career_change
hop 跳槽 跳槽到 入职 hired_by joined
""",
    "correct": """
correct 应为 应该是 更正 更正为 纠正 其实 其实是 实际上 实际 写错 说错 弄错 搞错 记错 少写 多写 correct corrected correction actually mistake mistaken typo wrong should_be
""",
    "end": """
cancel 取消 撤销 撤回 作废 cancel cancelled canceled call_off called_off
stop 不再 再也不 已经不 停止 停用 放弃 退订 戒 戒掉 戒了 退出 no_longer stop stopped quit gave_up give_up unsubscribe
anymore any_more anymore
part 卖 卖掉 卖了 扔掉 扔了 送人 离职 辞职 sell sold threw_away gave_away resign resigned left_the_company left_the_job
heal 康复 痊愈 恢复 好了 recover recovered heal healed tests_were_negative was_a_mistake outgrew
""",
    # predicates
    "predicate": """
called 叫 叫做 名叫 名为 名字 名字叫 名字是 姓名 名称 name named call called go_by_the_name goes_by_the_name
callme 称呼 称呼为 称为 昵称 call_me address_as nickname goes_by
home 住 住在 居住 居住在 定居 定居在 家在 常住 常住在 现居 live reside based_in
origin 来自 老家 家乡 籍贯 hometown come_from comes_from native_of
job 职业 job profession occupation
serve 从事 担任 work_as works_as
work 工作 上班 work works
employ 就职 就职于 任职 任职于 供职 供职于 加入 employ employed employed_by employer join work_at work_for works_at works_for working_at working_for
birthday 生日 出生 出生于 生于 出生日期 birthday born date_of_birth birth_date
allergy 过敏 过敏源 过敏原 allergic allergy
like 喜欢 喜爱 爱 热爱 偏爱 偏好 喜好 爱好 钟爱 爱上 感兴趣 like love enjoy prefer fond_of favorite favourite interested_in preference
eat 吃 喝 食用 饮用 eat drink consume
want 想 想要 要 希望 期望 需要 需 要求 申请 选择 选 倾向 倾向于 决定 愿意 打算要 want wants would_like wish hope need require request choose choice opt willing decide ask_for
accept 接受 接收 同意 允许 accept allow agree receive
plan 计划 打算 准备 预计 将要 plan_to planning_to intend going_to
promise 承诺 答应 保证 promise promised guarantee
pay 付 付了 支付 付费 付款 pay paid_for
buy 买 买了 购买 购入 买过 buy bought purchase purchased
own 有 拥有 患有 养 养了 有了 驾驶 开的是 开着 have has had own keep raise drive drives ride rides
use 用 使用 在用 用的 用着 use using
go 去 前往 到 赴 飞 飞往 飞到 旅行 旅游 行程 go goes going went fly flew travel visit head trip vacation holiday
visited 去过 到过 visited been_to went_to
depart 出发 动身 起飞 离境 depart leave_from set_off
send 寄 寄件 寄件到 寄到 寄往 寄出去 发往 送到 mail ship_to send sent send_to deliver_to
from 从 自 from
speak 讲 会说 会讲 speak fluent
study 学 学习 考上 考入 读 在读 就读 就读于 上学 在上 study attend enrolled major
subscribe 订阅 subscribe
owe 欠 欠了 owe
lend 借给 借出 lend lent
borrow 借 借了 borrow borrowed
passive 被 by
book 订 订了 book booked reserve
put 放 放在 放到 leave_at
remind 提醒 通知 remind reminder notify notification
contact 联系 联络 contact reach
""",
    # these say "not" and their predicate at once
    "denied": """
like 讨厌 反感 厌恶 痛恨 dislike hate detest can_not_stand
eat 忌口 忌食 戒口
accept 拒绝 refuse decline reject
""",
    # closed sets of values; two different ones of a set cannot hold at once
    "stage": """
kindergarten 幼儿园 kindergarten preschool
primary 小学 小学生 elementary_school primary_school
middle 初中 初中生 初一 初二 初三 middle_school
high 高中 高中生 高一 高二 高三 high_school
college 大学 大学生 本科 本科生 college college_student university university_student undergraduate
year1 大一 freshman
year2 大二 sophomore
year3 大三
year4 大四 college_senior senior_in_college
graduate 研究生 硕士 读研 研一 研二 研三 graduate_school grad_school graduate_student master's_student
phd 博士 读博 博士生 phd phd_student doctoral
graduated 毕业 毕业了 graduated graduate
seeking 找工作 求职 失业 待业 unemployed job_hunting looking_for_a_job between_jobs
working 上班族 参加工作 找到工作 找到了工作 started_working got_a_job got_hired found_a_job
retired 退休 退休了 retired retire
""",
    "marital": """
single 单身 未婚 single unmarried
married 已婚 结婚 结婚了 结了婚 成家 married got_married
divorced 离婚 离异 离了婚 divorced got_divorced
engaged 订婚 engaged
dating 恋爱 谈恋爱 有对象 in_a_relationship dating
widowed 丧偶 widowed
""",
    "diet": """
vegetarian 素食 素食者 素食主义 素食主义者 吃素 茹素 vegetarian
vegan 纯素 全素 纯素食 vegan
omnivore 吃荤 开荤 吃肉
""",
    "length": """
short 简洁 简短 简明 精简 简要 简练 短 concise short brief terse succinct
long 详细 详尽 细致 长 detailed detail long thorough in_depth comprehensive
""",
    "tone": """
formal 正式 严肃 formal
casual 随意 轻松 口语化 活泼 casual informal relaxed
""",
    "tongue": """
english 英文 英语 english
chinese 中文 汉语 普通话 chinese mandarin
japanese 日文 日语 japanese
korean 韩文 韩语 korean
french 法文 法语 french
german 德文 德语 german
spanish 西班牙语 spanish
cantonese 粤语 广东话 cantonese
""",
    "channel": """
mail 邮件 电子邮件 email e-mail
sms 短信 sms text_message
phonecall 电话 打电话 来电 phone_call call_phone
""",
    "dwelling": """
villa 别墅 villa
flat 公寓 单元房 apartment flat
dormitory 宿舍 dormitory dorm
house 平房 house
""",
    "remedy": """
return 退货 退 退掉 return being_returned
exchange 换货 exchange replacement being_exchanged
refund 退款 refund being_refunded
repair 维修 返修 repair
reship 补发 重发 resend reship
credit 代金券 店铺积分 store_credit voucher
""",
    "status": """
unpaid 待付款 未付款 未支付 未付 unpaid
paid 已付款 已支付 已付 付款成功 paid
waiting 待发货 未发货 备货中 not_shipped awaiting_shipment
shipped 已发货 发货 已寄出 寄出 已发出 发出 shipped dispatched sent_out has_been_sent
moving 运输中 在途 派送中 配送中 在路上 in_transit on_the_way out_for_delivery
delivered 已签收 签收 已送达 送达 已收货 收到 到货 delivered arrived received
returned 已退货 已退回 退货完成 退货成功 returned
refunded 已退款 退款成功 退款完成 退款到账 已到账 到账 refunded
exchanged 已换货 换货完成 exchanged
cancelled 已取消 被取消
open 处理中 待处理 未解决 受理中 审核中 进行中 未完成 open in_progress pending under_review
closed 已关闭 关闭 已结案 已完结 已解决 解决 已完成 closed resolved completed
approved 已通过 审核通过 批准 已批准 approved
rejected 被拒 被拒绝 驳回 被驳回 rejected denied
delayed 延误 晚点 delayed
ontime 准点 正点 on_time
lost 丢失 遗失 丢件 弄丢 lost
""",
    # things that facts are about; two memories about different things are never one
    "topic": """
order 订单 order
shipment 快递 包裹 物流 运单 parcel package shipment delivery tracking
ticket 工单 售后单 退货单 ticket case
invoice 发票 invoice
title 发票抬头 抬头 invoice_title
fee 运费 邮费 快递费 shipping_fee shipping delivery_fee postage
shipto 收货地址 送货地址 配送地址 寄送地址 shipping_address delivery_address
billto 账单地址 billing_address
homeaddress 家庭地址 家里地址 住址 home_address
workaddress 公司地址 单位地址 办公地址 office_address work_address
returnto 退货地址 return_address
address 地址 默认地址 address default_address
project 项目 project
deadline 截止日期 截止时间 截止 期限 最后期限 deadline due due_date
meeting 会议 meeting
appointment 预约 预订 appointment booking reservation
flight 航班 飞机 flight
errand 出差 business_trip
wechatid 微信号 微信号码 wechat_id
phonenumber 手机号 手机号码 电话号码 phone_number mobile_number
email 邮箱 电子邮箱 email_address
card 银行卡 信用卡 储蓄卡 卡 card credit_card bank_card
tail 尾号 末四位 ending ending_in last_four
coupon 优惠券 coupon
compensation 赔偿 补偿 赔付 赔 compensation
budget 预算 budget
salary 工资 薪资 月薪 年薪 薪水 salary
height 身高 height
weight 体重 weight
member 会员 会员等级 membership member
exam 考试 exam test
interview 面试 interview
wedding 结婚纪念日 婚礼 wedding anniversary wedding_anniversary
tier 套餐 plan
reply 回答 回复 答复 答案 解释 说明 语气 口吻 answer reply response explanation tone
car 车 汽车 车子 car
mobile 手机 phone smartphone
computer 电脑 笔记本电脑 computer laptop
cat 猫 猫咪 cat
dog 狗 小狗 狗狗 dog
pet 宠物 pet
shoe 鞋 鞋子 shoe
coat 外套 coat jacket
""",
    "place": """
china 中国 china
japan 日本 japan
korea 韩国 korea
usa 美国 usa america united_states
britain 英国 britain uk england
france 法国 france
germany 德国 germany
canada 加拿大 canada
australia 澳大利亚 澳洲 australia
singapore 新加坡 singapore
thailand 泰国 thailand
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
hongkong 香港 hong_kong
macau 澳门 macau
taipei 台北 台北市 taipei
tokyo 东京 tokyo
osaka 大阪 osaka
seoul 首尔 seoul
bangkok 曼谷 bangkok
london 伦敦 london
paris 巴黎 paris
berlin 柏林 berlin
newyork 纽约 new_york new_york_city nyc
losangeles 洛杉矶 los_angeles
sanfrancisco 旧金山 三藩市 san_francisco
seattle 西雅图 seattle
denver 丹佛 denver
chicago 芝加哥 chicago
boston 波士顿 boston
austin 奥斯汀 austin
toronto 多伦多 toronto
vancouver 温哥华 vancouver
sydney 悉尼 sydney
melbourne 墨尔本 melbourne
""",
    "when": """
ago 前 ago
before 之前 以前 原来 before previously
lastyear 去年 last_year
thisyear 今年 this_year
nextyear 明年 next_year
lastmonth 上个月 上月 last_month
thismonth 这个月 本月 this_month
nextmonth 下个月 下月 next_month
lastweek 上周 上星期 last_week
thisweek 这周 本周 this_week
nextweek 下周 下星期 next_week
yesterday 昨天 yesterday
today 今天 today
tomorrow 明天 tomorrow
weekend 周末 weekend
morning 早上 早晨 上午 morning
evening 晚上 夜里 evening night
""",
    # open words that people say in either language, and synonyms with 不 that deny nothing
    "word": """
continuously 不断 持续 一直 不停 不停地 总是 continuously constantly always
often 经常 常常 时常 不时 often frequently
usually 通常 一般 平时 usually normally
maybe 可能 也许 或许 大概 maybe might may possibly perhaps probably
improve 改善 改进 improve
transfer 换乘 换洗 交换 transfer
must 不得不 不能不 必须 must
different 不同 不一样 different
good 不错 good
many 不少 许多 很多 many
steel 不锈钢 stainless_steel
soon 不久 soon
almost 差不多 almost
sorry 对不起 不好意思 sorry
unlucky 不幸 unfortunately
extreme 不得了 了不起 great
property 不动产 real_estate
unlimited 不限 unlimited
irresistible 忍不住 舍不得 巴不得 恨不得
confiscate 没收
sink 沉没 淹没 埋没 出没
others 别人 别的 别处 others other
particularly 分别
wireless 无线 wireless
sugarfree 无糖 sugar_free
figs 无花果 fig
wuxi 无锡
buick 别克 buick
kind 类别 级别 kind
gender 性别 gender
africa 非洲 africa
future 未来 future
bhutan 不丹
smoking 抽烟 吸烟 烟 smoke smoking
hotel 酒店 宾馆 hotel
color 颜色 color colour
daily 每天 天天 每日 daily every_day
peanut 花生 peanut
shrimp 虾 shrimp prawn
shellfish 贝类 甲壳类 shellfish
crab 螃蟹 蟹 crab
seafood 海鲜 seafood
fish 鱼 fish
milk 牛奶 milk
lactose 乳糖 lactose
dairy 乳制品 奶制品 dairy
egg 鸡蛋 egg
nut 坚果 nut
soy 大豆 黄豆 soy
wheat 小麦 wheat
gluten 麸质 gluten
mango 芒果 mango
pollen 花粉 pollen
dust 灰尘 尘螨 dust
penicillin 青霉素 penicillin
coriander 香菜 coriander cilantro
garlic 大蒜 蒜 garlic
onion 洋葱 onion
spicy 辣 辛辣 辣的 spicy
meat 肉 荤 meat
beef 牛肉 beef
pork 猪肉 pork
lamb 羊肉 lamb mutton
chicken 鸡肉 chicken
coffee 咖啡 coffee
tea 茶 tea
greentea 绿茶 green_tea
alcohol 酒 alcohol
beer 啤酒 beer
wine 红酒 葡萄酒 wine
sugar 糖 sugar
chocolate 巧克力 chocolate
noodles 面条 noodles
rice 米饭 rice
hiking 爬山 登山 徒步 hiking
swimming 游泳 swimming swim
running 跑步 running run
yoga 瑜伽 yoga
football 足球 football soccer
basketball 篮球 basketball
photography 摄影 photography
reading 阅读 看书 reading
music 音乐 music
film 电影 film movie
blue 蓝色 blue
green 绿色 green
red 红色 red
black 黑色 black
white 白色 white
yellow 黄色 yellow
doctor 医生 大夫 doctor
nurse 护士 nurse
programmer 程序员 programmer software_engineer developer
designer 设计师 designer
lawyer 律师 lawyer
accountant 会计 会计师 accountant
student 学生 student
tesla 特斯拉 tesla
byd 比亚迪 byd
honda 本田 honda
toyota 丰田 toyota
bmw 宝马 bmw
apple 苹果 apple iphone
huawei 华为 huawei
xiaomi 小米 xiaomi
wechat 微信 wechat
alipay 支付宝 alipay
tencent 腾讯 tencent
alibaba 阿里巴巴 阿里 alibaba
bytedance 字节跳动 字节 bytedance
baidu 百度 baidu
google 谷歌 google
microsoft 微软 microsoft
amazon 亚马逊 amazon
""",
}

UNIQUE_PERSONS = frozenset(("mother", "father", "parents", "wife", "husband", "partner", "boyfriend", "girlfriend"))
"""People that one has one of; of all others there may be several, so another name is another person."""

CHANGING_PERSONS = frozenset(("son", "daughter", "child", "boss", "brother", "sister"))
"""People of whom a changed attribute (school, home) is taken for a change, not for another person."""

TRADITIONAL = (
    "礙來倉個們偉傑備傳價億優兒劉動務勞區厭吳員單嗎嚴國圓團執場壞夠媽嬰孫學寫寬寶將專尋對導層屬島師帳帶幣幫幾庫廈廚廠廣廳張強彎"
    "後徑從復恆悅惡愛態慣憂應懷戀戰戲戶掛換損撥擇擊擔據擬擴攜敗數斷時曆曬書會東條楊業極構樂樓標樣橋機橫檢歐歡歲歷歸殘殺氣決沒"
    "測準溝滅滯滿漁漢潔潤澤濕濟濱灣災為烏無煙熱營爛爭爺爾牆狀獎獨獲現瑪環產畢畫異當瘡療癢發監盤盧眾確碼礎禮稅種稱積穩窩窮筆節"
    "範簡簽籃糧糾紀約紅純紙級細紹終組結絕給統絲經綜綠維網緊線緣練縣縮總績織繪繳繼續罰羅義習聖聞聯聲職聽肅脫腦腫腳膽臉臨臺與興"
    "舉舊艱華萬葉蔣藝藥蘇蘋蘭處號蝦蟲術衛裏補裝裡製複襯見規視親覺觀觸訂計訊討訓記設許訴診評詞詢試話該詳認誕語誤說課調談請論諾"
    "謝證識譯議護讀變讓豐豬貓貝負財貢貧貨販責貴買貸費貼貿賀資賓賞賠賣賬賴購賽趕趙躍車軟較載輕輛輪輸轉辦辭農這連週進運過達遞遠"
    "適遲遷選還邊郵鄉鄧鄭鄰醫醬釋針銀銷鋼錄錢錯鍵鍾鎖鎮鏡鐘鐵門開閒間閱關陰陳陸陽隊階際隨險隻雖雙雜雞離難雲電靈靜韓響頁項順須"
    "預頓領頭頻顆題額顏願類顧風飛飯飲餅養館馬馮駕騎驗驚髒體髮鬆鬧魚鮮鳥鴨鹹鹽麗麥麵麼黃點黨齊齒齡龍"
)
SIMPLIFIED = (
    "碍来仓个们伟杰备传价亿优儿刘动务劳区厌吴员单吗严国圆团执场坏够妈婴孙学写宽宝将专寻对导层属岛师账带币帮几库厦厨厂广厅张强弯"
    "后径从复恒悦恶爱态惯忧应怀恋战戏户挂换损拨择击担据拟扩携败数断时历晒书会东条杨业极构乐楼标样桥机横检欧欢岁历归残杀气决没"
    "测准沟灭滞满渔汉洁润泽湿济滨湾灾为乌无烟热营烂争爷尔墙状奖独获现玛环产毕画异当疮疗痒发监盘卢众确码础礼税种称积稳窝穷笔节"
    "范简签篮粮纠纪约红纯纸级细绍终组结绝给统丝经综绿维网紧线缘练县缩总绩织绘缴继续罚罗义习圣闻联声职听肃脱脑肿脚胆脸临台与兴"
    "举旧艰华万叶蒋艺药苏苹兰处号虾虫术卫里补装里制复衬见规视亲觉观触订计讯讨训记设许诉诊评词询试话该详认诞语误说课调谈请论诺"
    "谢证识译议护读变让丰猪猫贝负财贡贫货贩责贵买贷费贴贸贺资宾赏赔卖账赖购赛赶赵跃车软较载轻辆轮输转办辞农这连周进运过达递远"
    "适迟迁选还边邮乡邓郑邻医酱释针银销钢录钱错键钟锁镇镜钟铁门开闲间阅关阴陈陆阳队阶际随险只虽双杂鸡离难云电灵静韩响页项顺须"
    "预顿领头频颗题额颜愿类顾风飞饭饮饼养馆马冯驾骑验惊脏体发松闹鱼鲜鸟鸭咸盐丽麦面么黄点党齐齿龄龙"
)
"""The commonest traditional characters and their simplified forms, position by position."""
