"""A same-length view of a text for matching: patterns see one spelling, values are cut from the original by offset.

Full width becomes half width, A–Z lower case, curly quotes straight, traditional characters simplified, and Cantonese
function words their Mandarin counterparts (係 → 是, 唔 → 不). Only characters that this package's patterns use are mapped.
"""

from __future__ import annotations

from typing import Final

_TRADITIONAL: Final = (
    "訂订單单貨货換换購购買买賣卖錢钱還还償偿補补發发遞递運运損损壞坏裝装雙双號号碼码電电話话郵邮簡简詳详說说講讲語语"
    "請请謝谢讓让記记認认識识證证誰谁該该試试詢询問问題题給给為为對对過过這这個个們们來来會会學学習习書书寫写畫画點点"
    "時时間间現现實实樣样種种總总經经從从後后裡里裏里邊边處处開开關关門门閃闪聽听視视覺觉歡欢愛爱樂乐厭厌惡恶討讨"
    "煩烦飯饭麵面蝦虾魚鱼雞鸡鴨鸭豬猪馬马貓猫鳥鸟龍龙龜龟飲饮館馆廳厅廚厨鹹咸濃浓藥药醫医師师護护員员業业務务職职"
    "場场廠厂廣广東东國国灣湾區区縣县鄉乡鎮镇階阶樓楼層层棟栋線线鐵铁車车輛辆飛飞機机爺爷媽妈嗎吗孫孙兒儿婦妇親亲"
    "屬属歲岁數数週周禮礼節节氣气陽阳陰阴曆历曬晒熱热涼凉凍冻張张陳陈楊杨黃黄趙赵吳吴劉刘鄭郑許许蔣蒋羅罗葉叶蘇苏"
    "呂吕閻阎韓韩馮冯賈贾鄒邹盧卢譚谭賴赖龔龚臺台顏颜綠绿藍蓝紅红銀银鋁铝壓压腎肾腦脑懷怀療疗癒愈膽胆腸肠創创傷伤"
    "應应當当須须無无沒没別别嘗尝幫帮協协辦办擾扰撥拨聯联絡络連连繫系體体訊讯傳传輸输檢检測测結结離离異异獨独戀恋"
    "養养帶带遊游戲戏選选擇择計计劃划約约準准備备轉转變变動动態态狀状況况隻只條条塊块萬万億亿兩两幾几歷历畢毕碩硕"
    "導导專专課课級级編编軟软設设術术舊旧剛刚纔才讀读練练鋼钢團团隊队參参賽赛舉举溫温濕湿華华攝摄見见覆复復复確确"
    "誤误錯错雖虽僅仅維维權权優优驗验貴贵費费帳账賬账資资額额稅税閒闲興兴歐欧環环島岛灘滩橋桥閣阁濟济滬沪蘭兰慶庆"
    "寧宁雲云爾尔濱滨瀋沈漢汉絲丝針针織织褲裤襪袜衛卫頭头髮发臉脸膚肤鏡镜戶户標标諾诺鎖锁斷断脫脱縫缝麼么甚什喚唤"
    "稱称爲为於于與与並并將将屆届終终尋寻網网頁页圖图庫库據据報报價价鍾钟鐘钟擔担負负責责雜杂貸贷債债憶忆讚赞獲获"
    "盡尽儘尽夠够乾干劇剧戰战勝胜營营簽签驛驿櫃柜佔占偉伟傑杰儀仪勁劲匯汇啟启嚴严圓圆執执夢梦妝妆嬰婴寶宝審审屍尸"
    "嶺岭幣币廢废彈弹徵征恆恒愿愿懶懒戶户拋抛掛挂採采揚扬損损搶抢撿捡攤摊敗败敵敌斃毙暫暂曉晓會会極极榮荣槍枪檔档"
)
_CANTONESE: Final = "係是唔不嘅的冇没喺在佢他咗了啲些嚟来㗎的哋们咁这嗰那俾给畀给睇看搵找攞拿邊边"
_PUNCTUATION: Final = {
    **dict(zip("，！？；：（）～’‘“”「」『』【】、", ',!?;:()~\'\'""""""[]、', strict=True)),
    **dict.fromkeys("\u3000\u00a0\t\r\u200b", " "),
}
_WIDE: Final = {chr(code): chr(code - 0xFEE0).lower() for code in range(0xFF01, 0xFF5F)}
_LOWER: Final = {chr(code): chr(code + 32) for code in range(ord("A"), ord("Z") + 1)}


def _pairs(text: str) -> dict[str, str]:
    return dict(zip(text[::2], text[1::2], strict=True))


_TABLE: Final = str.maketrans(_WIDE | _LOWER | _PUNCTUATION | {"￥": "¥"} | _pairs(_TRADITIONAL) | _pairs(_CANTONESE))
_SCRIPT: Final = frozenset(_pairs(_TRADITIONAL))
_PLAIN: Final = frozenset(_pairs(_TRADITIONAL).values()) - _SCRIPT
_FRAME: Final = str.maketrans(
    _pairs(
        "户戶订訂单單货貨换換号號电電话話称稱过過对對欢歡爱愛邮郵诺諾运運岁歲业業学學记記养養个個务務时時职職员員发發补補偿償请請买買问問题題语語说說后後还還"
    )
)


def fold(text: str) -> str:
    """Return ``text`` as the patterns see it; offsets stay the same."""
    return text.translate(_TABLE)


def is_traditional(text: str) -> bool:
    """Return whether a text is written in traditional characters."""
    return sum((char in _SCRIPT) - (char in _PLAIN) for char in text) > 0


def traditional(frame: str) -> str:
    """Return one of our own simplified sentence frames in traditional characters."""
    return frame.translate(_FRAME)
