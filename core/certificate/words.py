"""The certificate's own words in each language. What was recorded, such as reasons, stays as it was recorded."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class Language(StrEnum):
    """Of a certificate."""

    ENGLISH = "en"
    CHINESE = "zh"
    GERMAN = "de"


_TABLE: Mapping[str, tuple[str, str, str]] = {
    "title": ("Burn-in certificate", "老化测试证书", "Prüfzertifikat"),
    "simulated": (
        "SIMULATED: no hardware was measured. This is no proof of anything.",
        "模拟：未测量任何硬件，不构成任何证明。",
        "SIMULIERT: Es wurde keine Hardware gemessen. Dies beweist nichts.",
    ),
    "PASS": ("PASSED", "通过", "BESTANDEN"),
    "WARN": ("PASSED WITH WARNINGS", "通过（有警告）", "BESTANDEN, MIT WARNUNGEN"),
    "FAIL": ("FAILED", "未通过", "NICHT BESTANDEN"),
    "INCOMPLETE": ("INCOMPLETE", "未完成", "UNVOLLSTÄNDIG"),
    "pass": ("PASS", "通过", "BESTANDEN"),
    "warn": ("WARN", "警告", "WARNUNG"),
    "fail": ("FAIL", "未通过", "DURCHGEFALLEN"),
    "incomplete": ("INCOMPLETE", "未完成", "UNVOLLSTÄNDIG"),
    "none": ("NONE", "无", "KEINES"),
    "NONE": ("NO VERDICT", "尚无结论", "KEIN ERGEBNIS"),
    "all_passed_one": (
        "The card passed every stage that ran: {checks} results checked, none wrong.",
        "该卡通过了所有已运行的阶段：核对了 {checks} 个结果，全部正确。",
        "Die Karte hat jede gelaufene Stufe bestanden: {checks} Ergebnisse geprüft, keines falsch.",
    ),
    "all_passed": (
        "All {count} devices passed every stage that ran: {checks} results checked, none wrong.",
        "{count} 个设备全部通过所有已运行的阶段：核对了 {checks} 个结果，全部正确。",
        "Alle {count} Geräte haben jede gelaufene Stufe bestanden: {checks} Ergebnisse geprüft, keines falsch.",
    ),
    "no_verdict": ("The run has no verdict.", "该运行没有结论。", "Der Lauf hat kein Ergebnis."),
    "more_causes": ("{count} more on page 3.", "另有 {count} 项见第 3 页。", "{count} weitere auf Seite 3."),
    "customer": ("Customer", "客户", "Kunde"),
    "order": ("Order", "订单", "Auftrag"),
    "machine_serial": ("Machine serial", "整机序列号", "Seriennummer der Maschine"),
    "tester": ("Tester", "测试人", "Prüfer"),
    "place": ("Place", "地点", "Ort"),
    "room": ("Room temperature", "室温", "Raumtemperatur"),
    "circuit": ("Circuit", "电路", "Stromkreis"),
    "date": ("Date", "日期", "Datum"),
    "profile": ("Profile, duration", "测试方案，时长", "Profil, Dauer"),
    "machine": ("Machine", "机器", "Maschine"),
    "software": ("Rigwright, PyTorch", "Rigwright，PyTorch", "Rigwright, PyTorch"),
    "driver": ("Driver, CUDA", "驱动，CUDA", "Treiber, CUDA"),
    "not_told": ("not told", "未提供", "nicht angegeben"),
    "not_read": ("not read", "未读取", "nicht gelesen"),
    "cards": ("Cards", "显卡", "Karten"),
    "slot": ("Slot", "插槽", "Steckplatz"),
    "model": ("Model", "型号", "Modell"),
    "serial": ("Serial", "序列号", "Seriennummer"),
    "vbios": ("VBIOS", "VBIOS", "VBIOS"),
    "errors": ("Errors", "错误", "Fehler"),
    "hottest": ("Hottest", "最高温度", "Wärmste"),
    "verdict": ("Verdict", "结论", "Ergebnis"),
    "three": ("As planned, as built, as measured", "计划、实装、实测", "Geplant, gebaut, gemessen"),
    "plan": ("Plan", "计划", "Plan"),
    "built": ("As built", "实装", "Gebaut"),
    "measured": ("Measured", "实测", "Gemessen"),
    "no_plan": (
        "The run had no plan to be compared with.",
        "该运行没有可比较的计划。",
        "Der Lauf hatte keinen Plan zum Vergleich.",
    ),
    "of card": ("Cards", "显卡", "Karten"),
    "of slot": ("Slots", "插槽", "Steckplätze"),
    "of link": ("Links", "链路", "Anbindung"),
    "of VBIOS": ("VBIOS", "VBIOS", "VBIOS"),
    "of board": ("Board, BIOS", "主板，BIOS", "Hauptplatine, BIOS"),
    "of CPU": ("CPU", "处理器", "Prozessor"),
    "of RAM": ("Memory", "内存", "Arbeitsspeicher"),
    "of drive": ("Drives", "硬盘", "Laufwerke"),
    "of PSU": ("Power supply", "电源", "Netzteil"),
    "power": ("Power of a card", "单卡功率", "Leistung einer Karte"),
    "temperature": ("Temperature of cards", "显卡温度", "Temperatur der Karten"),
    "rate": ("Products in {what}", "{what} 矩阵乘法", "Produkte in {what}"),
    "wall": ("Power at the wall", "墙插功率", "Leistung am Netz"),
    "noise": ("Noise at {what}", "{what} 处噪声", "Geräusch in {what}"),
    "noise_idle": ("Noise idle, at {what}", "{what} 处待机噪声", "Geräusch im Leerlauf, in {what}"),
    "not_measured": ("NOT MEASURED", "未测量", "NICHT GEMESSEN"),
    "ran": ("What ran", "已运行", "Was lief"),
    "not_run": ("Not run or not finished", "未运行或未完成", "Nicht gelaufen oder nicht beendet"),
    "everything": ("Nothing was left out.", "无遗漏。", "Nichts wurde ausgelassen."),
    "spared": ("Interrupted, shortened or resumed", "中断、缩短或恢复", "Unterbrochen, verkürzt oder fortgesetzt"),
    "nothing": ("nothing", "无", "nichts"),
    "tested_by": ("Tested by, date", "测试人，日期", "Geprüft von, Datum"),
    "released_by": ("Released by, date", "批准人，日期", "Freigegeben von, Datum"),
    "accepted_by": ("Accepted by customer, date", "客户验收，日期", "Abgenommen vom Kunden, Datum"),
    "seal": ("Sealed record", "封存记录", "Versiegelte Aufzeichnung"),
    "digest": ("SHA-256", "SHA-256", "SHA-256"),
    "key": ("Key", "密钥", "Schlüssel"),
    "proves": (
        "A seal proves that nothing was changed since and which key sealed it, not that a measurement was right."
        " rigwright verify FILE checks this file.",
        "封存只证明此后未被更改以及由哪个密钥封存，不证明测量正确。用 rigwright verify FILE 检查本文件。",
        "Ein Siegel beweist, dass seither nichts geändert wurde und welcher Schlüssel siegelte, nicht, dass richtig"
        " gemessen wurde. rigwright verify FILE prüft diese Datei.",
    ),
    "curves": ("Curves", "曲线", "Verläufe"),
    "reasons": ("Reasons, causes first", "理由（先列原因）", "Gründe, Ursachen zuerst"),
    "cause": ("Cause", "原因", "Ursache"),
    "to_do": ("What to do", "处理办法", "Was zu tun ist"),
    "where": ("Where", "位置", "Wo"),
    "passed": ("Passed", "已通过", "Bestanden"),
    "more": ("{count} more reasons are in the report of the run.", "另有 {count} 条理由见运行报告。",
             "{count} weitere Gründe stehen im Bericht des Laufs."),
    "told_later": ("Facts changed after the run", "运行后修改的信息", "Nach dem Lauf geänderte Angaben"),
    "annex": ("Annex: the log of the run", "附录：运行日志", "Anhang: Protokoll des Laufs"),
    "page": ("page {page} of {pages}", "第 {page} 页，共 {pages} 页", "Seite {page} von {pages}"),
    "intact": ("intact", "完好", "unverändert"),
    "changed": ("CHANGED since it was recorded", "记录后被更改", "GEÄNDERT seit der Aufzeichnung"),
    "unsigned": ("not signed", "未签名", "nicht signiert"),
    "not_sealed": ("not sealed", "未封存", "nicht versiegelt"),
    "outdated": ("by an unknown key", "密钥未知", "mit unbekanntem Schlüssel"),
}  # fmt: skip
_PLACE = {language: place for place, language in enumerate(Language)}


def words(language: Language) -> Mapping[str, str]:
    """All words of one language."""
    return {key: texts[_PLACE[language]] for key, texts in _TABLE.items()}
