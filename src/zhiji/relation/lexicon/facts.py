"""What facts are about, and closed sets of values: one of each at a time. Pure data; see the package for the format."""

from __future__ import annotations

CLOSED: dict[str, str] = {
    "stage": """
kindergarten 幼儿园 kindergarten preschool nursery_school
primary 小学 小学生 一年级小学 elementary_school primary_school grade_school
middle 初中 初中生 中学 国中 middle_school junior_high junior_high_school
grade7 初一 初中一年级
grade8 初二 初中二年级
grade9 初三 初中三年级
high 高中 高中生 high_school senior_high
grade10 高一 高中一年级
grade11 高二 高中二年级
grade12 高三 高中三年级
college 大学 大学生 本科 本科生 college college_student university university_student undergraduate
year1 大一 freshman first-year_student
year2 大二 sophomore
year3 大三
year4 大四 college_senior senior_in_college
graduate1 研一
graduate2 研二
graduate3 研三
graduate 研究生 硕士 读研 graduate_school grad_school graduate_student master's_student master's master's_degree
phd 博士 读博 博士生 phd phd_student doctoral doctorate
graduated 毕业 毕业了 graduated graduate
student 学生 student
seeking 找工作 求职 失业 待业 无业 unemployed job_hunting looking_for_a_job looking_for_work between_jobs out_of_work 待岗 赋闲 在家待业 没工作 没有工作 jobless not_working out_of_a_job without_a_job
working 上班族 参加工作 started_working
hired 找到工作 找到了工作 got_a_job got_hired found_a_job found_work
retired 退休 退休了 retired retire 退休在家 退下来了 退休人员 退休职工 退伍 退役 retiree pensioner in_retirement
""",
    "hours": """
fulltime 全职 转正 转正了 full-time permanent_employee full-time_employee full-time_staff 全职员工 正式员工 正式工
parttime 兼职 part-time
freelance 自由职业 自由职业者 自由工作者 freelance freelancer freelancing
""",
    "marital": """
single 单身 未婚 分手 分手了 broke_up broken_up single unmarried 没有对象 没对象 单身狗 还没结婚 没结婚 not_married split_up broke_up_with
married 已婚 结婚 结婚了 结了婚 成家 成家了 领证了 married got_married tied_the_knot 有家室 已成家 结过婚 办了婚礼 wed newlywed
divorced 离婚 离异 离了婚 离婚了 divorced got_divorced
engaged 订婚 订婚了 engaged got_engaged
dating 恋爱 谈恋爱 有对象 恋爱中 in_a_relationship dating
widowed 丧偶 widowed
separated 分居 separated
""",
    "pregnancy": """
trying 备孕 备孕中 trying_for_a_baby trying_to_conceive
pregnant 怀孕 怀孕了 有孕 有了身孕 怀着孕 孕期 待产 怀上了 pregnant pregnancy 身孕 怀胎 怀了孕 怀有身孕 怀上 with_child
born 生了 分娩 分娩了 生完 生完孩子 生了宝宝 gave_birth given_birth had_the_baby had_her_baby 生下 生下了 产下 产下了 生产了 出生了 had_a_baby had_a_boy had_a_girl gave_birth_to had_a_son had_a_daughter delivered_the_baby delivered_her_baby delivered_a_baby
""",
    "diet": """
vegetarian 素食 素食者 素食主义 素食主义者 吃素 茹素 vegetarian
vegan 纯素 全素 纯素食 纯素食者 严格素食 vegan plant-based
omnivore 吃荤 开荤 吃肉 omnivore
pescatarian 鱼素 鱼素者 pescatarian
""",
    "length": """
short 简洁 简短 简明 精简 简要 简练 短 短一点 言简意赅 三言两语 扼要 concise short brief terse succinct to_the_point shorter
long 详细 详尽 细致 长 深入 具体 全面 展开 详细点 detailed detail long thorough in_depth comprehensive elaborate longer
""",
    "tone": """
formal 正式 严肃 官方 书面 formal professional serious
casual 随意 轻松 口语化 活泼 随和 亲切 友好 轻松点 casual informal relaxed laid-back friendly chatty conversational
humorous 幽默 搞笑 风趣 humorous funny
polite 礼貌 客气 polite courteous
direct 直接 直白 开门见山 blunt straightforward
gentle 温和 委婉 温柔 gentle
""",
    "tongue": """
english 英文 英语 english
chinese 中文 汉语 国语 chinese
mandarin 普通话 mandarin
japanese 日文 日语 japanese
korean 韩文 韩语 korean
french 法文 法语 french
german 德文 德语 german
spanish 西班牙语 西语 西班牙文 spanish
cantonese 粤语 广东话 白话 cantonese
italian 意大利语 意大利文 italian
portuguese 葡萄牙语 葡语 葡萄牙文 portuguese
russian 俄语 俄文 russian
arabic 阿拉伯语 阿拉伯文 arabic
thai 泰语 泰文 thai
vietnamese 越南语 越南文 vietnamese
hindi 印地语 hindi
indonesian 印尼语 印尼文 indonesian
malay 马来语 马来文 malay
dutch 荷兰语 荷兰文 dutch
swedish 瑞典语 swedish
norwegian 挪威语 norwegian
danish 丹麦语 danish
finnish 芬兰语 finnish
polish 波兰语 polish
turkish 土耳其语 turkish
greek 希腊语 greek
hebrew 希伯来语 hebrew
latin 拉丁语 拉丁文 latin
ukrainian 乌克兰语 ukrainian
czech 捷克语 czech
persian 波斯语 persian farsi
hokkien 闽南语 闽南话 台语 hokkien
hakka 客家话 客家语 hakka
shanghainese 上海话 shanghainese
sichuanese 四川话 sichuanese
signlanguage 手语 sign_language
traditional 繁体 繁体字 繁体中文 繁中 正体中文 traditional_chinese
simplified 简体 简体字 简体中文 简中 simplified_chinese
""",
    "channel": """
mail 邮件 电子邮件 电邮 email e-mail emails
sms 短信 短讯 手机短信 sms text_message texts text texting
phonecall 电话 打电话 来电 通话 致电 phone_call call_phone by_phone phone_calls calls telephone
push 推送 推送通知 app推送 push_notification push
letter 信件 信函 letter postal_mail
videocall 视频通话 视频会议 video_call
""",
    "dwelling": """
villa 别墅 villa
flat 公寓 单元房 apartment flat condo
dormitory 宿舍 学校宿舍 dormitory dorm student_housing
house 平房 房子 house
studio 单间 开间 studio studio_apartment
""",
    "household": """
livealone 独居 一个人住 自己住 自己一个人住 单独住 独自居住 独自生活 live_alone lives_alone living_alone lives_by_themselves lives_by_himself lives_by_herself lives_on_their_own live_by_themselves
sharedflat 合租 合租房 shared_flat shared_apartment sharedflat 和室友合租 跟室友合租 和室友一起住 跟室友一起住 与室友合住 和室友住 与人合租 和人合租 跟人合租
withparents 与父母同住 withparents
cohabit 同居 cohabits
""",
    "ward": """
hospitalized 住院 住院了 住进医院 住进了医院 在住院 入院 hospitalized hospitalised in_the_hospital in_hospital admitted_to_hospital admitted_to_the_hospital
discharged 出院 出院了 出了院 discharged out_of_the_hospital released_from_hospital left_the_hospital home_from_the_hospital
""",
    "attendance": """
suspended 休学 休学了 停学 on_a_gap_year suspended_studies
resumed 复学 复学了 重返校园 back_at_school back_in_school returned_to_school
onleave 休假 休假中 在休假 请假中 在休产假 休产假 on_leave on_vacation on_maternity_leave on_sick_leave
backatwork 复工 销假 休完假 回来上班 回去上班 回到岗位 back_at_work returned_to_work back_from_leave
""",
    "opening": """
opened 开张 开张了 营业 营业中 开业 开业了 开门 open_for_business
shut 停业 歇业 关门 关门了 倒闭 倒闭了 closed_down shut_down out_of_business went_bankrupt
""",
    "unit": """
km 公里制 kilometer kilometre km
mile 英里 mile
celsius 摄氏 摄氏度 celsius centigrade
fahrenheit 华氏 华氏度 fahrenheit
cm 厘米 公分 centimeter centimetre cm
inch 英寸 inch inches
metric 公制 metric metric_units
imperial 英制 imperial imperial_units
kg 公斤 千克 kilogram kilogramme kilo kg
lb 磅 pound lb
feet 英尺 foot feet
meter 米制 meter metre
hour24 24小时制 24-hour 24-hour_clock 24-hour_format
hour12 12小时制 12-hour 12-hour_clock 12-hour_format
""",
    "mode": """
darkmode 深色模式 暗色模式 夜间模式 暗黑模式 深色 深色主题 dark_mode dark_theme night_mode
lightmode 浅色模式 亮色模式 日间模式 浅色 浅色主题 light_mode light_theme
""",
    "payday": """
monthly 每月 每个月 every_month each_month of_each_month of_every_month of_the_month a_month 月付 按月付 按月付费 按月付款 按月订阅 包月 monthly billed_monthly monthly_billing pays_monthly month-to-month per_month
yearly 每年 每一年 every_year each_year a_year 年付 按年付 按年付费 按年付款 按年购买 按年订阅 包年 annual annually yearly billed_yearly billed_annually annual_billing yearly_billing pays_yearly per_year
quarterly 季付 按季付 按季付费 quarterly billed_quarterly
weeklypay 周付 按周付 billed_weekly
installments 分期 分期付款 分期付 installments instalments pays_in_installments
""",
    "shift": """
nightshift 夜班 值夜班 上夜班 晚班 大夜班 night_shift graveyard_shift overnight_shift nights
dayshift 白班 日班 早班 上白班 day_shift morning_shift
""",
    "workplace": """
remote 远程 远程办公 远程工作 居家办公 在家办公 在家工作 remote remotely work_from_home works_from_home working_from_home wfh
onsite 坐班 到公司上班 现场办公 on-site in-office in_the_office back_to_the_office
hybrid 混合办公 hybrid
""",
    "seat": """
window 靠窗 靠窗座位 靠窗的座位 窗边 窗口位 靠窗位 window_seat 靠窗的位置 靠窗的位子 靠窗坐 坐窗边 by_the_window next_to_the_window near_the_window
aisle 靠过道 过道 靠走道 走道 过道座位 靠走廊 走廊位 aisle_seat aisle 靠过道坐 靠过道的位置 靠过道的座位 on_the_aisle by_the_aisle
""",
    "invoicekind": """
einvoice 电子发票 电子票 e-invoice electronic_invoice digital_invoice
paperinvoice 纸质发票 纸质票 paper_invoice printed_invoice
""",
    "remedy": """
return 退货 退 being_returned return_request
exchange 换货 exchange replacement being_exchanged
refund 退款 refund being_refunded 退钱 money_back
repair 维修 返修 修理 送修 在修 维修中 修理中 返修中 repair fixing being_repaired being_fixed being_serviced in_repair under_repair out_for_repair
reship 补发 重发 补寄 重寄 resend reship
credit 代金券 店铺积分 store_credit voucher
""",
    "status": """
unpaid 待付款 未付款 未支付 未付 待支付 unpaid awaiting_payment not_paid payment_pending
paid paid_out payout_made 已付款 已支付 已付 付款成功 付清 已缴费 已结清 已缴 paid payment_received
waiting 待发货 未发货 备货中 尚未发货 还没发货 没发货 未发出 尚未寄出 还没寄出 未寄出 待出货 未出货 打包中 等待发货 备货 not_shipped awaiting_shipment processing being_packed being_prepared hasn't_shipped not_yet_shipped
shipped 已发货 发货 发货了 已寄出 寄出 寄出了 已发出 发出 出货 已出货 已出库 出库 寄咗 已寄 shipped dispatched sent_out has_been_sent ship ships shipping_out on_its_way 已经发货 已经寄出 已发 发走 发走了 shipped_out sent_off left_the_warehouse was_dispatched
moving 运输中 在途 派送中 配送中 在路上 派件中 送货中 正在派送 正在配送 转运中 in_transit on_the_way out_for_delivery en_route being_delivered 运输途中 途中 运送中 在运输途中 配送途中 在运途中 运送途中 在路上了 派送途中 正在运输 on_the_road in_delivery
delivered 已签收 签收 签收了 已送达 送达 送达了 已收货 收到 收到了 收货 到货 到货了 妥投 已妥投 送到了 已送到 delivered arrived received signed_for arrive arrives deliver 签收完成 已妥投 已到货 送抵 本人签收 已收到 已经收到 已经签收 delivered_to got_delivered showed_up came
eta 预计送达 expected_delivery
ready 到站 待取 待取件 可取件 到驿站 到代收点 ready_for_pickup ready_to_collect awaiting_pickup ready
pickedup 已取件 取件成功 取走 已取 取走了 已自提 picked_up collected
returned 已退货 已退回 退货完成 退货成功 退回 returned sent_back
refunded 已退款 退款成功 退款完成 退款到账 已到账 到账 到账了 refunded refund_completed refund_issued 已退 退款已到 退款到了 退回来了 钱退了 refund_arrived refund_received got_the_refund got_a_refund 退款已到账
exchanged 已换货 换货完成 exchanged
cancelled 已取消 被取消 已撤单 已作废 交易关闭
open 审批中 处理中 待处理 未解决 受理中 审核中 进行中 未完成 待回复 等待回复 等回复 待受理 已受理 跟进中 待审核 开着 调查中 open in_progress pending under_review awaiting_a_reply awaiting_reply awaiting_response waiting_for_a_reply unresolved being_processed being_reviewed under_investigation in_review 没解决 尚未解决 还没解决 still_open being_handled being_looked_into
closed 已关闭 关闭 关闭了 已结案 结案 已完结 完结 已解决 解决 解决了 已完成 完成 完成了 关单 办结 已办结 closed resolved completed complete done fixed settled 处理完 处理完了 处理完毕 搞定 搞定了 sorted_out taken_care_of wrapped_up
reopened 重开 重新打开 重新开启 reopened
approved 已通过 审核通过 批准 已批准 获批 批了 通过审核 通过了 approved accepted granted 通过审批 审批通过 批下来 批下来了 下来了 签发
rejected 被拒 被拒绝 驳回 被驳回 未通过 没通过 拒批 rejected denied turned_down 被驳回 没批 没有通过 不予通过 拒签 被拒签
delayed 延误 晚点 延误了 晚点了 delayed behind_schedule running_late 延迟 推迟发货 推迟了 held_up postponed_shipping
ontime 准点 正点 on_time on_schedule
lost 丢失 遗失 丢件 弄丢 丢失了 lost missing 丢了 不见了 找不到了 misplaced
found 找到 找回 找到了 找回来了 found recovered_item
broken 坏了 故障 损坏 坏掉 出故障 broken out_of_order malfunctioning damaged 受损 破损 摔坏 摔坏了 碎了 裂了 有裂痕 破了 坏 坏的 cracked smashed shattered faulty defective not_working_properly
repaired 修好 修好了 已修好 已维修 repaired 修理好 修理好了 维修好 维修好了 维修完成 working_again was_fixed been_fixed been_repaired fixed_up mended
escalated 已升级工单 升级处理 转交 escalated 转交了 转交给 escalate handed_over passed_on_to forwarded_to
outofstock 缺货 断货 无货 没货 售罄 out_of_stock sold_out back-ordered 缺货中 卖完 卖完了 卖光 unavailable
instock 有货 现货 补货了 到货补货 in_stock back_in_stock restocked 补到货 有现货 available_again
expired 过期 已过期 到期 到期了 失效 expired 过期了 已经过期 到期日 期满 已失效 expire expires expiring lapsed lapse run_out ran_out
active 生效 有效 已激活 激活 active activated
""",
}

TOPICS = """
order 订单 订单号 order order_number
shipment 快递 包裹 物流 运单 快件 邮包 parcel package shipment delivery tracking tracking_number
ticket 工单 售后单 退货单 投诉单 案件 ticket case
invoice 发票 invoice 开发票 receipt_invoice
title 发票抬头 抬头 invoice_title
fee 运费 邮费 快递费 shipping_fee shipping delivery_fee postage
shipto 收货地址 送货地址 配送地址 寄送地址 收件地址 shipping_address delivery_address
billto 账单地址 billing_address
homeaddress 家庭地址 家里地址 住址 家庭住址 home_address
workaddress 公司地址 单位地址 办公地址 office_address work_address
returnto 退货地址 return_address
pickupto 取件地址 pickup_address
address 地址 默认地址 address default_address
project 项目 project
deadline 截止日期 截止时间 截止 期限 最后期限 限期 交稿日期 提交日期 截稿 deadline due due_date due_by
meeting 会议 开会 例会 meeting regular_meeting
standup 站会 晨会 stand-up standup
appointment 预约 预订 约了 预约了 挂号 挂了号 appointment booking reservation
flight 航班 飞机 班机 机票 flight plane
errand 出差 business_trip
wechatid 微信号 微信号码 wechat_id wechat_account
phonenumber 手机号 手机号码 电话号码 联系电话 联络电话 phone_number mobile_number cell_number contact_number telephone_number 手机号码是 联系号码 mobile_phone_number cell_phone_number contact_phone
email 邮箱 电子邮箱 邮箱地址 电邮地址 email_address
card 银行卡 卡 card bank_card
creditcard 信用卡 credit_card
debitcard 储蓄卡 借记卡 debit_card
idcard 身份证 id_card
tail tail 尾号 末四位 尾数 ending ends_in ends_with end_in ending_in ending_with last_four last_four_digits last_4 last_4_digits final_four_digits
coupon 优惠券 优惠码 coupon promo_code discount_code 券 代金劵 优惠卷 voucher_code
compensation 赔偿 补偿 赔付 赔 compensation
budget 预算 budget price_limit price_cap
salary 工资 薪资 月薪 年薪 薪水 薪酬 salary wage paycheck
height 身高 height tall
weight 体重 weight weigh weighs weighed
size 尺码 尺寸 号型 size sizes
rent2 房租 租金 rental_fee monthly_rent
mortgage 房贷 mortgage
carloan 车贷 car_loan auto_loan
loan 贷款 loan
deposit 押金 定金 deposit
tuition 学费 tuition
member 会员 会员等级 会员级别 membership member 会籍 会员卡 会员资格 会员身份 vip
exam 考试 exam test examination
interview 面试 interview
job2 岗位 职位 position
wedding 结婚纪念日 wedding_anniversary anniversary
wedding2 婚礼 wedding
tier 套餐 方案 plan
reply 回答 回覆 回复 答复 答案 解释 说明 语气 口吻 回应 交流 沟通 对话 communicate communication conversation chat answer reply response explanation tone
car 车 汽车 车子 座驾 小车 car
platenumber 车牌 车牌号 license_plate licence_plate plate_number
mobile 手机 手提电话 phone smartphone cellphone cell_phone mobile_phone mobile
computer 电脑 computer pc
laptop 笔记本电脑 笔记本 手提电脑 laptop notebook_computer
tablet 平板 平板电脑 tablet
smartwatch 手表 智能手表 watch_device smartwatch wristwatch
headphones 耳机 headphones headphone earphones earbuds headset
camera 相机 照相机 camera
monitor 显示器 monitor
keyboard 键盘 keyboard
printer 打印机 printer
television 电视 电视机 tv television
fridge 冰箱 雪柜 fridge refrigerator
washer 洗衣机 washing_machine washer
aircon 空调 冷气 air_conditioner air_con
cat 猫 猫咪 喵星人 cat kitty
dog 狗 小狗 狗狗 汪星人 dog puppy
pet 宠物 pet
rabbit 兔子 兔 rabbit bunny
hamster 仓鼠 hamster
parrot 鹦鹉 parrot
turtle 乌龟 turtle tortoise
goldfish 金鱼 goldfish
bird 小鸟 鸟 bird
shoe 鞋 鞋子 鞋码 shoe shoes
coat 外套 coat jacket
shirt 衬衫 衬衣 shirt dress_shirt
clothes 衣服 衣 服装 clothes clothing
tshirt 短袖 体恤 t-shirt tee
top 上衣 top
trousers 裤子 长裤 裤 trousers pants
jeans 牛仔裤 jeans
dress 裙子 连衣裙 dress skirt
hat 帽子 hat cap
ring 戒指 ring
glove 手套 glove
sock 袜子 sock
sweater 毛衣 sweater jumper pullover
suit 西装 西服 suit
uniform 校服 制服 uniform
underwear 内衣 underwear
bra 文胸 bra
swimsuit 泳衣 swimsuit
belt 皮带 腰带 belt
marketing 营销 推广 促销 广告 推销 宣传 market_promo marketing promotional promotion promo promos ads advertising advertisement spam
newsletter 资讯邮件 周报 简报 newsletter
distance 距离 路程 里程 distance
temperature 温度 气温 temperature
voice 语音 voice
font 字体 字号 font font_size
interface 界面 主题 interface theme ui
timezone 时区 time_zone timezone
currency 货币 币种 currency
username 用户名 username account_name login_name
password 密码 password
account 账号 账户 帐号 账户名 account
level 等级 级别 段位 水平 level rank
score 分数 成绩 得分 score grade marks 考分 考试成绩 test_score result
pregnantweek 孕周 weeks_pregnant
bloodtype 血型 blood_type
bloodpressure 血压 blood_pressure
bloodsugar 血糖 blood_sugar
eyesight 视力 eyesight vision
lefteye 左眼 left_eye
righteye 右眼 right_eye
lefthand 左手 left_hand
righthand 右手 right_hand
leftleg 左腿 left_leg
rightleg 右腿 right_leg
leftknee 左膝 左膝盖 left_knee
rightknee 右膝 右膝盖 right_knee
seat2 座位 座 seat
room 房间 房号 room
essay 论文 essay paper thesis dissertation
draft 初稿 草稿 draft first_draft
report 报告 汇报 report
homework 作业 功课 homework assignment 功课作业
presentation 演讲 展示 汇报演示 presentation
contract 合同 合约 contract
visa 签证 visa
passport 护照 passport
licence 驾照 驾驶证 驾驶执照 driving_licence driver's_license driving_license driver_license license licence
insurance 保险 insurance
paymentmethod 支付方式 付款方式 payment_method
gift 礼物 gift present
gym 健身房 gym fitness_club
library 图书馆 library
hospital 医院 hospital clinic
bank 银行 bank
diningroom 餐厅 饭店 餐馆 restaurant
consignee 收货人 收件人 recipient consignee addressee
manager 经理 主管 manager
emergency 紧急联系人 emergency_contact
doctorvisit 复诊 复查 follow-up_visit follow_up
checkup 体检 check-up checkup medical_exam physical_exam health_check
haircut 剪头发 剪发 理发 haircut
vaccine 疫苗 打疫苗 接种疫苗 接种 vaccine vaccination vaccinated vaccinate
surgery 手术 surgery operation
physio 物理治疗 理疗 physical_therapy physiotherapy physio
massage 按摩 推拿 massage
class 班 班级
"""
