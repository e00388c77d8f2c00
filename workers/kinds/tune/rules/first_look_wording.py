"""The sentences of the first look, in English and Chinese."""

from workers.engines.language import Lang

SENTENCES: dict[Lang, dict[str, str]] = {
    "en": {
        "said": "The description says “{text}”, which speaks for {title}.",
        "denied": "The description denies “{text}”.",
        "code": "{name}, line {line}: `{text}` may lead to {title}.",
        "kept": "{name} is among the files.",
        "options": "The description names all the classes and so speaks for none of them.",
        "nothing": "Neither the description nor the code points at a class.",
        "even": "What is known by words alone does not set one class above the others.",
        "no_problem": "Nothing that was measured weighs enough to be a problem.",
    },
    "zh": {
        "said": "描述中提到“{text}”，指向{title}。",
        "denied": "描述中排除了“{text}”。",
        "code": "{name} 第 {line} 行：`{text}` 可能导致{title}。",
        "kept": "文件中有 {name}。",
        "options": "描述把各个类别都列了出来，因此并不指向其中任何一个。",
        "nothing": "描述和代码都没有指向某个类别。",
        "even": "仅凭文字，分不出哪个类别更有可能。",
        "no_problem": "测得的数据中，没有哪一项的影响大到算得上问题。",
    },
}
